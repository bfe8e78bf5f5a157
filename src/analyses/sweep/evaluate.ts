/**
 * Applies a correction to a prepared batch: `applyCorrection` on sums.
 *
 * ```
 *                     core of each turn                     tail, token by token
 *  start      OWN_RATIO (token level), or the weight        the token's own, or its
 *             of its turn or sequence, or 1                 turn's or sequence's weight
 *  truncate   clamps a shared weight; OWN_RATIO is inside   clamps
 *  zero,mask  by token: nothing (it is inside)              each for itself
 *             by turn or sequence: all of it                all of it
 *  veto       all of the sequence, if a tail token is beyond
 *  normalize  only summed: the mean is known when the trainer's batch has been read
 *      └──────► Evaluation: weights and what is kept, for accumulate.ts
 * ```
 *
 * The property test in `sweep.test.ts` compares all of it with `applyCorrection`, for every kind of correction.
 *
 * @module
 */
import {
  type Bounds,
  type Correction,
  clamp,
  diverges,
  hasSign,
  isBeyond,
  isInside,
  type Limits,
  type Normalize,
  needsWeights,
  type Reject,
  readLimits,
  type Veto,
  type Weight,
} from "../../trainers/neutral/index.ts";
import type { MeasuredBatch } from "./measured.ts";
import type { Prepared } from "./prepared.ts";

/**
 * Marks a core whose tokens have their own ratios as weights, all within bounds; any other number is the weight that
 * they share: that of the turn or sequence, 1 without weights, or 0.
 */
const OWN_RATIO = Number.NaN;

/** The effect of a correction on a prepared batch. The arrays are valid until the next evaluation. */
export interface Evaluation {
  /**
   * `[turns]`: {@link OWN_RATIO}, or the weight of every core token of the turn. 1 if the correction has no weights.
   */
  readonly coreWeights: Float64Array;
  /** The same before any step. */
  readonly coreRawWeights: Float64Array;
  /** 1 if the core of the turn is in the mask. */
  readonly coreKept: Uint8Array;
  readonly tailWeights: Float64Array;
  readonly tailRawWeights: Float64Array;
  readonly tailKept: Uint8Array;
  /** Number of weights that `truncate` steps changed; a weight changed by two steps counts twice. */
  readonly truncated: number;
  /** For each `normalize` step, by slot: Σ weights (not divided by earlier factors) and their number. */
  readonly normalizers: readonly { readonly sums: Float64Array; readonly counts: Float64Array }[];
}

/** The trainer's batches (steps) that a `normalize` step averages over: each sequence has a slot. */
export interface Slots {
  readonly count: number;
  /** `[sequences]`. */
  readonly of: Int32Array;
  /** Rows without a counted token, by slot. */
  readonly emptyRows: Float64Array;
}

/** Evaluates successive corrections on one batch, with the same scratch arrays. */
export class Evaluator {
  readonly #measured: MeasuredBatch;
  readonly #prepared: Prepared;
  readonly #slots: Slots;
  readonly #coreWeights: Float64Array;
  readonly #coreRawWeights: Float64Array;
  readonly #tailWeights: Float64Array;
  readonly #tailRawWeights: Float64Array;
  readonly #kept: { readonly core: Uint8Array; readonly tail: Uint8Array };

  constructor(measured: MeasuredBatch, slots: Slots) {
    const { turns, tail } = measured.prepared;
    this.#measured = measured;
    this.#prepared = measured.prepared;
    this.#slots = slots;
    this.#coreWeights = new Float64Array(turns);
    this.#coreRawWeights = new Float64Array(turns);
    this.#tailWeights = new Float64Array(tail.count);
    this.#tailRawWeights = new Float64Array(tail.count);
    this.#kept = { core: new Uint8Array(turns), tail: new Uint8Array(tail.count) };
  }

  run(correction: Correction): Evaluation {
    const normalizers: Evaluation["normalizers"][number][] = [];
    let truncated = 0;
    let started = false;
    const start = (): void => {
      if (!started) this.#start(correction);
      started = true;
    };
    this.#kept.core.fill(1);
    this.#kept.tail.fill(1);
    for (const step of correction.steps) {
      if (needsWeights(step)) start();
      if (step.action === "truncate") truncated += this.#truncate(step);
      else if (step.action === "normalize") normalizers.push(this.#normalizer(step.over));
      else if (step.action === "veto") this.#veto(step);
      else this.#reject(step, correction);
    }
    start();
    return {
      coreWeights: this.#coreWeights,
      coreRawWeights: this.#coreRawWeights,
      coreKept: this.#kept.core,
      tailWeights: this.#tailWeights,
      tailRawWeights: this.#tailRawWeights,
      tailKept: this.#kept.tail,
      truncated,
      normalizers,
    };
  }

  /** Computes the weights before any step; late, because a weight may be `over` what earlier steps kept. */
  #start({ weight }: Correction): void {
    if (!weight) {
      this.#coreRawWeights.fill(1);
      this.#tailRawWeights.fill(1);
    } else if (weight.level === "token") this.#startTokens(weight);
    else this.#startSegments(weight, weight.level);
    this.#coreWeights.set(this.#coreRawWeights);
    this.#tailWeights.set(this.#tailRawWeights);
  }

  #startTokens({ logBound, deltaBound }: Weight): void {
    const logs = this.#measured.tailLogRatios(ratioFigure(deltaBound));
    const bound = logLimits(logBound);
    this.#coreRawWeights.fill(OWN_RATIO);
    for (let t = 0; t < logs.length; t++) this.#tailRawWeights[t] = Math.exp(clamp(logs[t]!, bound));
  }

  #startSegments({ aggregation, logBound, deltaBound, over }: Weight, level: "turn" | "sequence"): void {
    const kept = over === "kept" ? this.#kept : undefined;
    const logs = this.#measured.logValues(level, ratioFigure(deltaBound), aggregation, kept);
    const bound = logLimits(logBound);
    const { turnStarts, tailStarts } = this.#prepared;
    for (let i = 0; i < logs.length; i++) {
      const ratio = Math.exp(clamp(logs[i]!, bound));
      const [from, to] = level === "turn" ? [i, i + 1] : [turnStarts[i]!, turnStarts[i + 1]!];
      this.#coreRawWeights.fill(ratio, from, to);
      this.#tailRawWeights.fill(ratio, tailStarts[from]!, tailStarts[to]!);
    }
  }

  /**
   * Returns how many weights change. A core's own ratios are within every bound of the grid, so it needs no clamping.
   */
  #truncate(bounds: Bounds): number {
    const { core } = this.#prepared;
    const limits = readLimits(bounds);
    let truncated = 0;
    for (let turn = 0; turn < this.#coreWeights.length; turn++) {
      const weight = this.#coreWeights[turn]!;
      if (Number.isNaN(weight)) continue;
      const clamped = clamp(weight, limits);
      if (clamped === weight) continue;
      this.#coreWeights[turn] = clamped;
      truncated += core.count[turn]!;
    }
    for (let t = 0; t < this.#tailWeights.length; t++) {
      const weight = this.#tailWeights[t]!;
      if (isInside(weight, limits)) continue;
      this.#tailWeights[t] = clamp(weight, limits);
      truncated++;
    }
    return truncated;
  }

  /** The divisor of the weights, as sums: the rest of the trainer's batch may be in another part of the input. */
  #normalizer(over: Normalize["over"]): Evaluation["normalizers"][number] {
    const { core, turnStarts, tailStarts, lengths, sequences } = this.#prepared;
    const sums = new Float64Array(this.#slots.count);
    const counts = over === "every sequence" ? this.#slots.emptyRows.slice() : new Float64Array(sums.length);
    for (let i = 0; i < sequences; i++) {
      let sum = 0;
      for (let turn = turnStarts[i]!; turn < turnStarts[i + 1]!; turn++) {
        const weight = this.#coreWeights[turn]!;
        if (core.count[turn] !== 0)
          sum += Number.isNaN(weight) ? core.ratio[turn]! : core.count[turn]! * weight;
        for (let t = tailStarts[turn]!; t < tailStarts[turn + 1]!; t++) sum += this.#tailWeights[t]!;
      }
      const slot = this.#slots.of[i]!;
      sums[slot]! += over === "token" ? sum : sum / lengths[i]!;
      counts[slot]! += over === "token" ? lengths[i]! : 1;
    }
    return { sums, counts };
  }

  /** Core tokens are within bounds, so the tail decides. */
  #veto(rule: Veto): void {
    const limits = readLimits(rule);
    const values = this.#measured.tailValues(rule.measure);
    const { turnStarts, tailStarts, sequences } = this.#prepared;
    for (let i = 0; i < sequences; i++) {
      const end = tailStarts[turnStarts[i + 1]!]!;
      for (let t = tailStarts[turnStarts[i]!]!; t < end; t++) {
        if (!isBeyond(values[t]!, limits)) continue;
        this.#clearTurns(this.#kept.core, this.#kept.tail, turnStarts[i]!, turnStarts[i + 1]!);
        break;
      }
    }
  }

  #reject(rule: Reject, { weight }: Correction): void {
    const level = rule.measure === "weight" ? weight!.level : rule.measure.level;
    const cores = rule.action === "zero" ? this.#coreWeights : this.#kept.core;
    const tails = rule.action === "zero" ? this.#tailWeights : this.#kept.tail;
    if (level === "token") this.#rejectTokens(rule, tails);
    else this.#rejectSegments(rule, level, cores, tails);
  }

  /** By definition, no core token is rejected by itself. */
  #rejectTokens(rule: Reject, tails: Float64Array | Uint8Array): void {
    const { advantage } = this.#prepared.tail;
    const values = rule.measure === "weight" ? this.#tailWeights : this.#measured.tailValues(rule.measure);
    const deltas = this.#measured.tailLogRatios({ statistic: "ratio" });
    const limits = readLimits(rule);
    const { when } = rule;
    for (let t = 0; t < tails.length; t++) {
      if (isInside(values[t]!, limits)) continue;
      if (when !== undefined && !hasSign(advantage[t]!, when)) continue;
      if (rule.only === undefined || diverges(advantage[t]!, deltas[t]!)) tails[t] = 0;
    }
  }

  #rejectSegments(
    rule: Reject,
    level: "turn" | "sequence",
    cores: Float64Array | Uint8Array,
    tails: Float64Array | Uint8Array,
  ): void {
    const { turnStarts, turns, sequences } = this.#prepared;
    const { measure, when } = rule;
    const values =
      measure === "weight"
        ? this.#segmentWeights(level)
        : this.#measured.segmentValues(
            level,
            measure,
            measure.aggregation,
            measure.over === "kept" ? this.#kept : undefined,
          );
    const advantages = when && this.#measured.segmentAdvantages(level);
    const limits = readLimits(rule);
    const segments = level === "turn" ? turns : sequences;
    for (let i = 0; i < segments; i++) {
      if (isInside(values[i]!, limits) || (advantages && !hasSign(advantages[i]!, when!))) continue;
      const [from, to] = level === "turn" ? [i, i + 1] : [turnStarts[i]!, turnStarts[i + 1]!];
      if (rule.only === undefined) this.#clearTurns(cores, tails, from, to);
      else this.#clearDiverging(tails, from, to);
    }
  }

  /** The weight of each segment's first token, as `applyCorrection` reads it. */
  #segmentWeights(level: "turn" | "sequence"): Float64Array {
    const { turnStarts, tailStarts, startsInTail, turns, sequences } = this.#prepared;
    return Float64Array.from({ length: level === "turn" ? turns : sequences }, (_, i) => {
      const turn = level === "turn" ? i : turnStarts[i]!;
      return startsInTail[turn] === 1 ? this.#tailWeights[tailStarts[turn]!]! : this.#coreWeights[turn]!;
    });
  }

  /** If a rule splits turns this way, every token that diverges is in the tail. */
  #clearDiverging(tails: Float64Array | Uint8Array, from: number, to: number): void {
    const { tailStarts, tail } = this.#prepared;
    const deltas = this.#measured.tailLogRatios({ statistic: "ratio" });
    for (let t = tailStarts[from]!; t < tailStarts[to]!; t++)
      if (diverges(tail.advantage[t]!, deltas[t]!)) tails[t] = 0;
  }

  #clearTurns(
    cores: Float64Array | Uint8Array,
    tails: Float64Array | Uint8Array,
    from: number,
    to: number,
  ): void {
    const { tailStarts } = this.#prepared;
    cores.fill(0, from, to);
    tails.fill(0, tailStarts[from]!, tailStarts[to]!);
  }
}

function ratioFigure(deltaBound: number | undefined): { statistic: "ratio"; deltaBound?: number } {
  return { statistic: "ratio", ...(deltaBound !== undefined && { deltaBound }) };
}

function logLimits(bound = Number.POSITIVE_INFINITY): Limits {
  return { lower: -bound, upper: bound };
}

/** Why a sweep cannot evaluate a correction exactly; undefined if it can. */
export function unsweepable(correction: Correction): string | undefined {
  const { weight, steps } = correction;
  const normalized = steps.findIndex(({ action }) => action === "normalize");
  const later = normalized < 0 ? [] : steps.slice(normalized + 1);
  if (later.some((step) => step.action === "truncate" || ("measure" in step && step.measure === "weight")))
    return "it bounds weights after dividing them by the mean of their batch, which is known only after the batch has been read";
  const zeroed = steps.findIndex(({ action }) => action === "zero");
  const lifted = steps.findLastIndex((step) => step.action === "truncate" && (step.lower ?? 0) > 0);
  if (weight?.level === "token" && zeroed >= 0 && lifted > zeroed)
    return "it raises weights to a lower bound after setting some of them to 0";
  return undefined;
}
