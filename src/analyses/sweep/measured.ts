/**
 * Measures of tail tokens, turns and sequences of a prepared batch: the definitions of `trainers/neutral/measures.ts`,
 * on sums.
 *
 * @module
 */

import { computeK3 } from "../../core/kernels/index.ts";
import type { Aggregation, Figure, Level, Statistic } from "../../trainers/neutral/index.ts";
import { tokenStatistic } from "../../trainers/neutral/index.ts";
import { formatFigure } from "./core-region.ts";
import type { CoreSums, Prepared } from "./prepared.ts";

/** What earlier steps left in the mask. */
export interface Kept {
  /** 1 if the core of a turn is still in the mask, `[turns]`. */
  readonly core: Uint8Array;
  /** The same for tail tokens. */
  readonly tail: Uint8Array;
}

/** Measures of one prepared batch; each is computed once, however many corrections need it. */
export class MeasuredBatch {
  readonly prepared: Prepared;
  readonly #tails = new Map<string, Float64Array>();
  readonly #segments = new Map<string, Float64Array>();
  readonly #advantages = new Map<Level, Float64Array>();

  constructor(prepared: Prepared) {
    this.prepared = prepared;
  }

  /** Values of the tail tokens, in the measure's own unit. */
  tailValues(figure: Figure): Float64Array {
    const logs = this.#tailStatistics(figure);
    if (figure.statistic !== "ratio") return logs;
    return known(this.#tails, `exp ${formatKey(figure)}`, () => logs.map(Math.exp));
  }

  /** Δ of each tail token, clamped as the figure requires. */
  tailLogRatios(figure: Figure & { readonly statistic: "ratio" }): Float64Array {
    return this.#tailStatistics(figure);
  }

  /** Values of the turns or sequences, in the measure's own unit; over `kept` instead of the original mask if given. */
  segmentValues(level: Level, figure: Figure, aggregation: Aggregation, kept?: Kept): Float64Array {
    const values = this.logValues(level, figure, aggregation, kept);
    if (figure.statistic !== "ratio") return values;
    const key = `exp ${level} ${aggregation} ${formatKey(figure)}`;
    return kept ? values.map(Math.exp) : known(this.#segments, key, () => values.map(Math.exp));
  }

  /** Like {@link segmentValues}, but the log-ratio for `ratio`. */
  logValues(level: Level, figure: Figure, aggregation: Aggregation, kept?: Kept): Float64Array {
    if (kept) return this.#aggregate(level, figure, aggregation, kept);
    const key = `${level} ${aggregation} ${formatKey(figure)}`;
    return known(this.#segments, key, () => this.#aggregate(level, figure, aggregation));
  }

  /** Mean advantage over each turn's or sequence's tokens. */
  segmentAdvantages(level: "turn" | "sequence"): Float64Array {
    return known(this.#advantages, level, () => {
      const { advantages, turnLengths, turnStarts, lengths, sequences, turns } = this.prepared;
      if (level === "turn")
        return Float64Array.from({ length: turns }, (_, i) => advantages[i]! / turnLengths[i]!);
      return Float64Array.from({ length: sequences }, (_, i) => {
        let sum = 0;
        for (let turn = turnStarts[i]!; turn < turnStarts[i + 1]!; turn++) sum += advantages[turn]!;
        return sum / lengths[i]!;
      });
    });
  }

  #tailStatistics(figure: Figure): Float64Array {
    const { rollout, trainer } = this.prepared.tail;
    return known(this.#tails, formatKey(figure), () =>
      rollout.map((value, t) => tokenStatistic(figure, value, trainer[t]!)),
    );
  }

  #aggregate(level: Level, figure: Figure, aggregation: Aggregation, kept?: Kept): Float64Array {
    const { prepared } = this;
    const { core, tailStarts, turnStarts, turns, sequences } = prepared;
    const tails = this.#tailStatistics(figure);
    const { sums, sign } = selectCoreSums(core, figure);
    const values = new Float64Array(level === "turn" ? turns : sequences);
    for (let i = 0; i < values.length; i++) {
      const first = level === "turn" ? i : turnStarts[i]!;
      const last = level === "turn" ? i + 1 : turnStarts[i + 1]!;
      let count = 0;
      let sum = 0;
      let max = Number.NEGATIVE_INFINITY;
      for (let turn = first; turn < last; turn++) {
        if (kept?.core[turn] !== 0 && core.count[turn] !== 0) {
          count += core.count[turn]!;
          if (aggregation === "max") max = Math.max(max, coreMaximum(core, turn, figure.statistic));
          else sum += sign * sums[turn]!;
        }
        for (let t = tailStarts[turn]!; t < tailStarts[turn + 1]!; t++) {
          if (kept && kept.tail[t] === 0) continue;
          count++;
          sum += tails[t]!;
          // Unlike a comparison, this keeps NaN.
          max = Math.max(max, tails[t]!);
        }
      }
      values[i] = count === 0 ? 0 : aggregation === "sum" ? sum : aggregation === "mean" ? sum / count : max;
    }
    return values;
  }
}

function selectCoreSums(core: CoreSums, figure: Figure): { sums: Float64Array; sign: number } {
  switch (figure.statistic) {
    case "ratio":
      return { sums: core.delta, sign: 1 };
    case "k1":
      return { sums: core.delta, sign: -1 };
    case "k2":
      return { sums: core.deltaSquare, sign: 0.5 };
    default:
      return { sums: core.extra.get(formatFigure(figure))!, sign: 1 };
  }
}

/**
 * Statistics are monotonic in Δ or Δp on either side of 0, so their largest value is at an end of their range. A binary
 * KL is not, and its maximum leaves no core.
 */
function coreMaximum(core: CoreSums, turn: number, statistic: Statistic): number {
  const low = core.deltaMin[turn]!;
  const high = core.deltaMax[turn]!;
  switch (statistic) {
    case "ratio":
      return high;
    case "k1":
      return -low;
    case "k2":
      return Math.max((low * low) / 2, (high * high) / 2);
    case "k3":
      return Math.max(computeK3(low), computeK3(high));
    case "k3_reverse":
      return Math.max(computeK3(-low), computeK3(-high));
    case "ratio_distance":
      return Math.max(Math.abs(Math.expm1(low)), Math.abs(Math.expm1(high)));
    case "error_ratio":
      return Math.exp(Math.max(Math.abs(low), Math.abs(high)));
    case "prob_diff":
      return core.probDiffMax[turn]!;
    case "abs_prob_diff":
      return Math.max(Math.abs(core.probDiffMin[turn]!), Math.abs(core.probDiffMax[turn]!));
    case "binary_kl":
    case "binary_kl_reverse":
      return Number.NEGATIVE_INFINITY;
  }
}

function formatKey(figure: Figure): string {
  const { deltaBound } = figure;
  return deltaBound === undefined ? formatFigure(figure) : `${formatFigure(figure)} ±${deltaBound}`;
}

function known<K, V>(values: Map<K, V>, key: K, compute: () => V): V {
  const value = values.get(key);
  if (value !== undefined) return value;
  const computed = compute();
  values.set(key, computed);
  return computed;
}
