/**
 * Merges what two joined files say about sampling and about what each side ran on, and reports contradictions, each of
 * which is a cause of mismatch by itself.
 *
 * @module
 */
import {
  type FindingLog,
  type Origin,
  type Provenance,
  relateWeights,
  type Sampling,
  type SequenceDraft,
  type SideFacts,
  type Sides,
} from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";

/** Name of each sampling parameter, and the consequence of different values. */
const PARAMETERS: Readonly<Record<keyof Sampling, readonly [name: string, likely: string]>> = {
  temperature: [
    "temperature",
    "each side divides its logits by its own temperature before it takes log-probs",
  ],
  topP: ["top-p", "each side's log-probs are normalized over the tokens that its own sampler kept"],
  topK: ["top-k", "each side's log-probs are normalized over the tokens that its own sampler kept"],
  minP: ["min-p", "each side's log-probs are normalized over the tokens that its own sampler kept"],
  repetitionPenalty: ["repetition penalty", "each side penalizes repeated tokens in its own way"],
  presencePenalty: ["presence penalty", "each side penalizes repeated tokens in its own way"],
  frequencyPenalty: ["frequency penalty", "each side penalizes repeated tokens in its own way"],
  logprobsMode: [
    "log-prob mode",
    "one side's log-probs are taken before its sampling parameters, the other's after",
  ],
};

/** Files round to float32: 0.7 and 0.699999988 are one temperature. */
const RELATIVE_ROUNDING = 1e-6;

export interface OriginsOptions {
  /** Origin of the joined pair. */
  readonly provenance: Provenance;
  readonly findings: FindingLog;
}

/** Origins of joined drafts; equal ones share one object, so that a batch is not cut between them. */
export class JoinedOrigins {
  readonly #options: OriginsOptions;
  readonly #byContent = new Map<string, Origin>();

  constructor(options: OriginsOptions) {
    this.#options = options;
  }

  /** The origin of a pair; contradictions between the two are reported. */
  join(rollout: SequenceDraft, trainer: SequenceDraft): Origin {
    const sampling = this.#joinSampling(rollout, trainer);
    const sides = joinSides(rollout, trainer);
    this.#compareWeights(sides, trainer);
    const content = JSON.stringify([sampling, sides]);
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    const { provenance } = this.#options;
    const origin: Origin = { provenance, sampling, ...(sides && { sides }) };
    this.#byContent.set(content, origin);
    return origin;
  }

  /** The rollout's parameters, completed from the other file. */
  #joinSampling(rollout: SequenceDraft, trainer: SequenceDraft): Sampling {
    const [own, other] = [rollout.origin?.sampling ?? {}, trainer.origin?.sampling ?? {}];
    for (const key of Object.keys(PARAMETERS) as (keyof Sampling)[]) {
      const [a, b] = [own[key], other[key]];
      if (a === undefined || b === undefined || areEqual(a, b)) continue;
      const [name, likely] = PARAMETERS[key];
      this.#options.findings.add({
        code: "sides-differ",
        severity: "warning",
        subject: `${key} ${a} ${b}`,
        count: 1,
        at: this.#locate(trainer),
        sides: { fact: key, rollout: a, trainer: b },
        likely,
        hint: `score both sides with the same ${name}, or take both log-probs before sampling parameters apply`,
        describe: (count) =>
          `${plural(count, "sequence has", "sequences have")} ${name} ${a} on the rollout side and ${b} on the trainer side`,
      });
    }
    return { ...other, ...own };
  }

  #compareWeights(sides: Sides | undefined, trainer: SequenceDraft): void {
    const [a, b] = [sides?.rollout?.weights, sides?.trainer?.weights];
    if (a === undefined || b === undefined || !mayDiffer(a, b)) return;
    this.#options.findings.add({
      code: "sides-differ",
      severity: "info",
      subject: `weights ${a} ${b}`,
      count: 1,
      at: this.#locate(trainer),
      sides: { fact: "weights", rollout: a, trainer: b },
      likely: "the two sides ran different weights, or name the same weights differently",
      describe: (count) =>
        `${plural(count, "sequence has", "sequences have")} weights ${a} on the rollout side and ${b} on the trainer side`,
    });
  }

  #locate({ origin, row }: SequenceDraft): { readonly file: string; readonly row?: number } {
    const file = origin?.provenance.file ?? this.#options.provenance.file;
    return { file, ...(row !== undefined && { row }) };
  }
}

function mayDiffer(a: string, b: string): boolean {
  const relation = relateWeights(a, b);
  return relation === "different" || relation === "unknown";
}

function areEqual(a: number | string, b: number | string): boolean {
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return Math.abs(a - b) <= RELATIVE_ROUNDING * Math.max(Math.abs(a), Math.abs(b));
}

/** Facts of each side from its own file, completed from the other file. */
function joinSides(rollout: SequenceDraft, trainer: SequenceDraft): Sides | undefined {
  const first = splitFacts(rollout, "rollout");
  const second = splitFacts(trainer, "trainer");
  const facts = {
    rollout: { ...second.rollout, ...first.rollout },
    trainer: { ...first.trainer, ...second.trainer },
  };
  const known = Object.entries(facts).filter(([, of]) => Object.keys(of).length > 0);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** A half's facts under the sides of the join: those of its own policy belong to its side. */
function splitFacts(
  { origin, rolloutLogprobs }: SequenceDraft,
  side: "rollout" | "trainer",
): { readonly rollout?: SideFacts | undefined; readonly trainer?: SideFacts | undefined } {
  const own = rolloutLogprobs === undefined ? "trainer" : "rollout";
  if (own === side) return origin?.sides ?? {};
  return { [side]: origin?.sides?.[own] };
}
