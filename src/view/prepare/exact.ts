/**
 * What a correction would do to the whole run, token by token: the sweep over the recorded Δ.
 *
 * @module
 */
import { quoteForShell } from "../../analysis/next-command.ts";
import { UsageError } from "../../base/errors.ts";
import type { Correction, Measure, Step } from "../../corrections/correction.ts";
import { PRESETS } from "../../corrections/presets/index.ts";
import type { Preset, Setting, Settings } from "../../corrections/presets/preset.ts";
import type { ExactAnswer, ExactQuestion } from "../../protocol/view.ts";
import type { RecordBatch } from "../../schema/record.ts";
import { configsOf } from "../../sweep/configs.ts";
import { settingFigures } from "../../sweep/figures.ts";
import { Sweep } from "../../sweep/sweep.ts";

const LEVELS = ["none", "token", "sequence", "geometric"] as const;
type Level = (typeof LEVELS)[number];
type Bounded = ExactQuestion["weights"];
type Rejection = ExactQuestion["mask"];

/** Some sequences of the run: Δ of their tokens that count, packed. */
export interface DeltaBlock {
  readonly deltas: Float64Array;
  /** `[sequences + 1]`, into `deltas`. */
  readonly offsets: Int32Array;
  /** `[sequences]`: 1 right, 0 wrong, NaN unknown. */
  readonly correct: Float64Array;
}

/**
 * The question as a page sent it.
 *
 * @throws UsageError saying which part is missing or out of range
 */
export function parseQuestion(value: unknown): ExactQuestion {
  if (typeof value !== "object" || value === null)
    throw new UsageError("the question must be an object with weights, mask and veto");
  const { weights, mask, veto = null } = value as Record<string, unknown>;
  return { weights: bounded("weights", weights), mask: rejection(mask), veto: bound("veto", veto) };
}

function rejection(value: unknown): Rejection {
  const bounds = bounded("mask", value);
  const { action } = value as Record<string, unknown>;
  if (action === undefined) return bounds;
  if (action === "mask" || action === "zero") return { ...bounds, action };
  throw new UsageError("mask.action must be mask or zero");
}

function bounded(name: string, value: unknown): Bounded {
  const { level, upper = null, lower = null } = (value ?? {}) as Record<string, unknown>;
  if (!LEVELS.includes(level as Level))
    throw new UsageError(`${name}.level must be one of ${LEVELS.join(", ")}`);
  const bounds = { upper: bound(`${name}.upper`, upper), lower: bound(`${name}.lower`, lower) };
  if (bounds.upper !== null && bounds.lower !== null && bounds.lower > bounds.upper)
    throw new UsageError(`${name}.lower ${bounds.lower} is above ${name}.upper ${bounds.upper}`);
  return { level: level as Level, ...bounds };
}

function bound(name: string, value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${name} must be a ratio above 0, or null`);
}

const AGGREGATIONS = { sequence: "sum", geometric: "mean" } as const;

/** The question in the neutral form: weights truncated at their bounds, then the mask, then the veto. */
export function correctionOf({ weights, mask, veto }: ExactQuestion): Correction {
  const steps: Step[] = [];
  if (weights.level !== "none" && hasBound(weights)) steps.push({ action: "truncate", ...boundsOf(weights) });
  if (mask.level !== "none" && hasBound(mask))
    steps.push({ action: mask.action ?? "mask", measure: ratioAt(mask.level), ...boundsOf(mask) });
  if (veto !== null)
    steps.push({
      action: "veto",
      measure: { statistic: "ratio", level: "token", aggregation: "sum" },
      lower: veto,
    });
  if (weights.level === "none") return { steps };
  const { level, aggregation } = ratioAt(weights.level);
  return { weight: { level, aggregation }, steps };
}

function hasBound({ upper, lower }: Bounded): boolean {
  return upper !== null || lower !== null;
}

function boundsOf({ upper, lower }: Bounded): { upper?: number; lower?: number } {
  return { ...(upper !== null && { upper }), ...(lower !== null && { lower }) };
}

function ratioAt(level: Exclude<Level, "none">): Measure & { readonly aggregation: "sum" | "mean" } {
  if (level === "token") return { statistic: "ratio", level, aggregation: "sum" };
  return { statistic: "ratio", level: "sequence", aggregation: AGGREGATIONS[level] };
}

export interface ExactContext {
  readonly blocks: AsyncIterable<DeltaBlock>;
  readonly paths: readonly string[];
  readonly flags: readonly string[];
}

export async function answerExactly(
  question: ExactQuestion,
  { blocks, paths, flags }: ExactContext,
): Promise<ExactAnswer> {
  const correction = correctionOf(question);
  const none = { level: "none", upper: null, lower: null } as const;
  const alone = (part: Partial<ExactQuestion>): Correction =>
    correctionOf({ weights: none, mask: none, veto: null, ...part });
  const sweep = new Sweep([
    { name: "asked", methods: [], correction },
    { name: "mask alone", methods: [], correction: alone({ mask: question.mask }) },
    { name: "veto alone", methods: [], correction: alone({ veto: question.veto }) },
  ]);
  const columns = new SharedColumns();
  for await (const block of blocks) {
    sweep.add(columns.batchOf(block));
    await new Promise(setImmediate);
  }
  // The first setting of a sweep is the baseline.
  const [asked, masked, vetoed] = [1, 2, 3].map((index) => settingFigures(sweep, index));
  const { correctness, tokens } = sweep.totals;
  const { correctnessTokens, correctnessSum } = sweep.sums[1]!;
  const [right, wrong] = [correctness.sum, correctness.count - correctness.sum];
  return {
    kept_tokens: asked!.tokens_kept,
    kept_sequences: asked!.sequences_kept,
    ess: asked!.ess_tokens,
    clipped: Math.round(asked!.truncated_share * tokens),
    masked: masked!.dropped.tokens,
    vetoed: vetoed!.dropped.sequences,
    mean_weight: asked!.weight_mean,
    dropped_right: right > 0 ? 1 - correctnessSum / right : null,
    dropped_wrong: wrong > 0 ? 1 - (correctnessTokens - correctnessSum) / wrong : null,
    configs: Object.fromEntries(
      configsOf(correction, PRESETS).configs.map(({ preset, text }) => [preset, text]),
    ),
    command: commandFor(correction, paths, flags),
  };
}

/** Batches of a sweep that looks at nothing but Δ; what they have in common is made once. */
class SharedColumns {
  #zeros = new Float64Array(0);
  #ones = new Uint8Array(0);

  batchOf({ deltas, offsets, correct }: DeltaBlock): RecordBatch {
    const [length, tokens] = [correct.length, deltas.length];
    if (this.#zeros.length < tokens) {
      this.#zeros = new Float64Array(tokens);
      this.#ones = new Uint8Array(tokens).fill(1);
    }
    const unknown = new Float64Array(length).fill(Number.NaN);
    const texts = new Array<undefined>(length).fill(undefined);
    return {
      length,
      provenance: { file: "", format: "cache", trainer: "view", alignment: "token" },
      sampling: {},
      offsets,
      responseMask: this.#ones.subarray(0, tokens),
      rolloutLogprobs: this.#zeros.subarray(0, tokens),
      trainerLogprobs: deltas,
      policyLogprobs: {},
      entropies: {},
      topK: {},
      steps: unknown,
      ranks: unknown,
      rows: new Int32Array(length),
      packs: new Int32Array(length),
      rewards: unknown,
      correctness: correct,
      sourceOffsets: unknown,
      sampleIds: texts,
      groupIds: texts,
      environments: texts,
      promptTexts: texts,
      responseTexts: texts,
    };
  }
}

/** `logratio correct` with the first preset that can do this; without one, the sweep that shows what comes close. */
function commandFor(correction: Correction, paths: readonly string[], flags: readonly string[]): string {
  const input = [...paths, ...flags].map(quoteForShell).join(" ");
  for (const preset of PRESETS) {
    const settings = preset.express(correction);
    if (settings === undefined) continue;
    return [`logratio correct ${input} --preset ${preset.name}`, ...setFlags(preset, settings)].join(" ");
  }
  return `logratio sweep ${input}`;
}

function setFlags({ parameters }: Preset, settings: Settings): string[] {
  return parameters.flatMap(({ name, fallback }) => {
    const value = settings[name];
    if (value === undefined || String(value) === String(fallback)) return [];
    return [`--set ${quoteForShell(`${name}=${textOf(value)}`)}`];
  });
}

function textOf(value: Setting): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
