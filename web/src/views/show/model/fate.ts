/**
 * What a correction does to the tokens of one sequence: `applyCorrection`, and its outcome in words.
 *
 * @module
 */
import {
  type AppliedCorrection,
  applyCorrection,
  type Bounds,
  type Correction,
  clamp,
  formatMeasure,
  type Measure,
  needsAdvantages,
  readLimits,
  type StepOutcome,
} from "../../../../../src/trainers/neutral/index.ts";
import type { SequenceModel } from "./sequence-model.ts";

const EFFECTS = ["kept", "truncated", "masked", "vetoed"] as const;
export type Effect = (typeof EFFECTS)[number];

/** The input: a sequence's own tokens (mask 1). */
export type Judged = Pick<SequenceModel, "deltas"> & {
  readonly wire: Pick<SequenceModel["wire"], "mask" | "rollout" | "trainer" | "advantages">;
};

export interface Fates {
  /** Whether there is a correction that does anything. */
  readonly any: boolean;
  /** Why it could not be applied. */
  readonly problem?: string;
  readonly counts: Readonly<Record<Effect, number>>;
  /** The first token that vetoes the sequence; undefined without a veto. */
  readonly vetoedBy: number | undefined;
  /** The effect on a response token; a token without Δ is kept. `vetoed`: the token itself vetoes the sequence. */
  effect(token: number): Effect;
  /** The effect in words, with the bound: `truncated to 2`, `masked: ρ > 5`, `kept`. */
  describe(token: number): string;
}

const NOTHING: Fates = {
  any: false,
  counts: { kept: 0, truncated: 0, masked: 0, vetoed: 0 },
  vetoedBy: undefined,
  effect: () => "kept",
  describe: () => "kept",
};

/** Weights are those before normalization, because the batch's mean is unknown here. */
export function judgeTokens(correction: Correction | undefined, judged: Judged): Fates {
  if (correction === undefined || (correction.steps.length === 0 && correction.weight === undefined))
    return { ...NOTHING, describe: (token) => describeMissing(judged, token) ?? "kept" };
  const { mask, rollout, trainer, advantages } = judged.wire;
  if (needsAdvantages(correction) && advantages === undefined)
    return { ...NOTHING, problem: "it needs the signs of advantages, which are missing" };
  // A token without a Δ is left out and does not split a turn, as in a sweep.
  const places = Int32Array.from(mask.keys()).filter(
    (t) => mask[t] === 0 || !Number.isNaN(judged.deltas[t]!),
  );
  const take = (column: Float32Array): Float32Array => Float32Array.from(places, (t) => column[t]!);
  const steps = correction.steps.filter(({ action }) => action !== "normalize");
  const applied = applyCorrection(
    {
      rollout: take(rollout),
      trainer: take(trainer),
      mask: Uint8Array.from(places, (t) => mask[t]!),
      offsets: Int32Array.of(0, places.length),
      ...(advantages && { advantages: take(advantages) }),
    },
    { ...correction, steps },
  );
  return readFates(applied, places, judged);
}

function readFates(applied: AppliedCorrection, places: Int32Array, judged: Judged): Fates {
  const { deltas } = judged;
  const effects = new Uint8Array(deltas.length);
  const words = new Map<number, string>();
  const counts = { kept: 0, truncated: 0, masked: 0, vetoed: 0 };
  let vetoedBy: number | undefined;
  const mark = (effect: Effect, at: number, said: string): void => {
    const token = places[at]!;
    const code = EFFECTS.indexOf(effect);
    // The strongest effect is shown, the first among equals.
    if (code <= effects[token]! || Number.isNaN(deltas[token]!)) return;
    effects[token] = code;
    words.set(token, said);
    if (effect === "vetoed") vetoedBy = Math.min(vetoedBy ?? token, token);
  };
  for (const outcome of applied.steps) markStep(outcome, applied, mark);
  deltas.forEach((delta, t) => {
    if (!Number.isNaN(delta)) counts[EFFECTS[effects[t]!]!]++;
  });
  return {
    any: true,
    counts,
    vetoedBy,
    effect: (token) => EFFECTS[effects[token]!]!,
    describe(token) {
      const missing = describeMissing(judged, token);
      if (missing !== undefined) return missing;
      if (vetoedBy !== undefined && EFFECTS[effects[token]!] !== "vetoed")
        return `dropped: t${vetoedBy} vetoes the sequence`;
      return words.get(token) ?? "kept";
    },
  };
}

function describeMissing({ deltas }: Judged, token: number): string | undefined {
  return Number.isNaN(deltas[token]!) ? "no ratio: a log-prob is missing" : undefined;
}

function markStep(
  { step, measured }: StepOutcome,
  { rawWeights, logWeights, weights, mask }: AppliedCorrection,
  mark: (effect: Effect, at: number, said: string) => void,
): void {
  if (step.action === "truncate") {
    const of = logWeights === undefined ? "" : nameSegment(logWeights.segments.level);
    rawWeights!.forEach((weight, at) => {
      const bound = clamp(weight, readLimits(step));
      if (weight !== 0 && bound !== weight)
        mark("truncated", at, `${of === "" ? "" : `ρ${of} `}truncated to ${bound}`);
    });
    return;
  }
  if (step.action === "normalize" || measured === undefined) return;
  const { segments, values, rejected } = measured;
  const name =
    step.measure === "weight"
      ? step.measure
      : formatMeasure(step.measure)
          .replace("token.", "")
          .replace(/ratio$/, "ρ");
  for (let i = 0; i < rejected.length; i++) {
    if (rejected[i] === 0) continue;
    const beyond = `${name} ${sayBeyond(values[i]!, step)}`;
    for (let at = segments.starts[i]!; at < segments.ends[i]!; at++) {
      if (step.action === "veto") {
        mark("vetoed", at, `vetoes the sequence: ${beyond}`);
        continue;
      }
      // In a rejected turn, not every token need be dropped.
      const left = step.action === "zero" ? weights![at] : mask[at];
      if (step.only === undefined || left === 0)
        mark("masked", at, `${step.action === "zero" ? "weight 0" : "masked"}: ${beyond}`);
    }
  }
}

function sayBeyond(value: number, { lower, upper }: Bounds): string {
  if (lower !== undefined && value < lower) return `< ${lower}`;
  return upper !== undefined && value > upper ? `> ${upper}` : "is not a number";
}

function nameSegment(level: Measure["level"]): string {
  return level === "token" ? "" : ` of the ${level}`;
}
