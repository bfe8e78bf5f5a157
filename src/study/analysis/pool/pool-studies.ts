/**
 * Several studies of the same policies as one, with their texts one after another.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { KlPolicy } from "../../results/report.ts";
import { HeadSums } from "../attention/head-sums.ts";
import type { KlStudyInput, ReportText } from "../report/report-input.ts";
import type { TextSummary, TextUnderCheckpoints } from "../summary.ts";
import type { ExcludedMass, StudyCheckpoint, StudySums, SummarizedPair } from "./study-sums.ts";

/** A study, and its directory. */
export interface PlacedStudy {
  readonly at: string;
  readonly sums: StudySums;
}

export interface PooledStudies
  extends Omit<KlStudyInput, "settings" | "categories" | "findings" | "sizes" | "checkpoints" | "pairs"> {
  readonly checkpoints: readonly StudyCheckpoint[];
  readonly pairs: readonly SummarizedPair[];
  readonly cases: readonly TextUnderCheckpoints[];
  /** Policies with the same name in several studies but different models or back ends, and how many studies differ. */
  readonly differing: ReadonlyMap<string, number>;
}

/** Number of names written out if there are many. */
const FEW = 5;

/**
 * Pools studies in the given order, which decides the numbers of the texts and nothing else.
 *
 * @param studies at least one
 * @throws SchemaError when they are not about the same policies, or have a text in common
 */
export function poolStudies(studies: readonly PlacedStudy[]): PooledStudies {
  const [first] = studies;
  checkTexts(studies);
  for (const other of studies) checkAlike(first!, other);
  const { policies, differing } = poolPolicies(studies);
  const offsets: number[] = [];
  let texts = 0;
  for (const { sums } of studies) {
    offsets.push(texts);
    texts += sums.texts.length;
  }
  const cases = studies.flatMap(({ sums }, i) =>
    sums.looked.map((one) => ({ ...one, index: one.index + offsets[i]! })),
  );
  const names = [...new Set(studies.map(({ sums }) => sums.study))];
  const few = names.slice(0, FEW).join(", ");
  return {
    study: names.length <= FEW ? few : `${few} and ${names.length - FEW} more`,
    reference: first!.sums.reference,
    policies,
    vocabularySize: studies.map(({ sums }) => sums.vocabularySize).find((size) => size !== null) ?? null,
    maskedOutTokens: studies.reduce((sum, one) => sum + one.sums.maskedOutTokens, 0),
    texts: listTexts(studies, cases),
    checkpoints: poolCheckpoints(studies, offsets),
    pairs: poolPairs(studies, offsets),
    cases,
    differing,
  };
}

/** Lists the texts that are kept with their tokens. */
function listTexts(
  studies: readonly PlacedStudy[],
  cases: readonly TextUnderCheckpoints[],
): readonly ReportText[] {
  const looked = new Map(cases.map(({ index, text }) => [index, text]));
  return studies
    .flatMap(({ sums }) => sums.texts)
    .map((text, index): ReportText => {
      const known = looked.get(index);
      return known === undefined ? text : { ...text, tokens: known.tokens, mask: known.mask };
    });
}

function larger(a: ExcludedMass, b: ExcludedMass): ExcludedMass {
  return { p: Math.max(a.p, b.p), q: Math.max(a.q, b.q) };
}

function poolCheckpoints(studies: readonly PlacedStudy[], offsets: readonly number[]): StudyCheckpoint[] {
  interface Pooled extends StudyCheckpoint {
    readonly texts: TextSummary[];
    readonly outcomes: Map<string, boolean>;
    heads: HeadSums | undefined;
    excluded: ExcludedMass;
  }
  const pooled = new Map<string, Pooled>();
  for (const [i, { sums }] of studies.entries()) {
    for (const checkpoint of sums.checkpoints) {
      const { name, excluded, heads } = checkpoint;
      const into: Pooled = pooled.get(name) ?? {
        ...checkpoint,
        texts: [],
        outcomes: new Map(),
        heads: heads && new HeadSums(heads.layers, heads.size),
      };
      pooled.set(name, into);
      for (const text of checkpoint.texts) into.texts.push({ ...text, index: text.index + offsets[i]! });
      for (const [problem, isSolved] of checkpoint.outcomes) into.outcomes.set(problem, isSolved);
      if (heads !== undefined) {
        into.heads ??= new HeadSums(heads.layers, heads.size);
        into.heads.merge(heads);
      }
      into.excluded = larger(into.excluded, excluded);
    }
  }
  return [...pooled.values()];
}

function poolPairs(studies: readonly PlacedStudy[], offsets: readonly number[]): SummarizedPair[] {
  interface Pooled extends SummarizedPair {
    readonly texts: TextSummary[];
    excluded: ExcludedMass;
  }
  const pooled = new Map<string, Pooled>();
  for (const [i, { sums }] of studies.entries()) {
    for (const pair of sums.pairs) {
      const key = JSON.stringify([pair.p, pair.q]);
      const into: Pooled = pooled.get(key) ?? { ...pair, texts: [] };
      pooled.set(key, into);
      for (const text of pair.texts) into.texts.push({ ...text, index: text.index + offsets[i]! });
      into.excluded = larger(into.excluded, pair.excluded);
    }
  }
  return [...pooled.values()];
}

/** Everything that decides what figures mean must be equal in all studies; the location of models may differ. */
function poolPolicies(
  studies: readonly PlacedStudy[],
): Pick<PooledStudies, "differing"> & { readonly policies: Record<string, KlPolicy> } {
  const known = new Map<string, { readonly at: string; policy: KlPolicy }>();
  const differing = new Map<string, number>();
  for (const { at, sums } of studies) {
    for (const [name, policy] of sums.policies) {
      const before = known.get(name);
      if (before === undefined) {
        known.set(name, { at, policy });
        continue;
      }
      for (const field of ["role", "step", "stage", "logprobs", "temperature"] as const)
        if (before.policy[field] !== policy[field])
          refuse(
            `${field} of ${name} is ${before.policy[field]} in ${before.at}, ${policy[field]} in ${at}`,
            at,
          );
      if (before.policy.backend !== policy.backend || before.policy.model !== policy.model)
        differing.set(name, (differing.get(name) ?? 0) + 1);
      const notes = [...new Set([...before.policy.notes, ...policy.notes])];
      before.policy = { ...before.policy, notes };
    }
  }
  return {
    policies: Object.fromEntries([...known].map(([name, { policy }]) => [name, policy])),
    differing,
  };
}

function checkAlike(first: PlacedStudy, other: PlacedStudy): void {
  for (const field of ["reference", "vocabularySize"] as const) {
    const [ours, theirs] = [first.sums[field], other.sums[field]];
    if (ours === null || theirs === null || ours === theirs) continue;
    const name = field === "reference" ? "the reference" : "the reference's vocabulary";
    refuse(`${name} is ${ours} in ${first.at}, ${theirs} in ${other.at}`, other.at);
  }
}

function refuse(message: string, file: string): never {
  throw new SchemaError(`${message}: these studies cannot be reported together`, {
    at: { file },
    hint: "report on each by itself, or score the texts of one of them as the other's",
  });
}

/** A text in two studies would count twice; one name for two problems would pair unrelated texts. */
function checkTexts(studies: readonly PlacedStudy[]): void {
  const seen = new Map<string, string>();
  const prompts = new Map<string, { readonly prompt: number; readonly at: string }>();
  for (const { at, sums } of studies) {
    const own = new Map<string, number>();
    for (const { id, problem, prompt } of sums.texts) {
      const other = seen.get(id);
      if (other !== undefined) refuseTwice(`the text ${id} is in ${other} and in ${at}`, at);
      if (!own.has(problem)) own.set(problem, prompt);
    }
    for (const { id } of sums.texts) seen.set(id, at);
    for (const [problem, prompt] of own) {
      const known = prompts.get(problem);
      if (known !== undefined && known.prompt !== prompt)
        refuseTwice(`the problem ${problem} has one prompt in ${known.at}, another in ${at}`, at);
      if (known === undefined) prompts.set(problem, { prompt, at });
    }
  }
}

function refuseTwice(message: string, file: string): never {
  throw new SchemaError(message, {
    at: { file },
    likely: "the same texts were scored twice, or each file starts its own numbering of texts",
    hint: "leave one of the studies out, or score the texts again under names of their own: --column id=NAME",
  });
}

/** The sentence about policies that were scored by different models. */
export function describeDiffering(name: string, studies: number): string {
  return `${name} was scored by another model or back end in ${plural(studies, "study", "studies")} than in the first`;
}
