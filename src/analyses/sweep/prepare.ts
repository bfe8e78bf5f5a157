import { checkedRows, k3Of, probDiffOf } from "../../core/kernels/index.ts";
import { type CorrectionBlock, diverges, tokenStatistic } from "../../trainers/neutral/index.ts";
import type { CoreRegion, ExtraStatistic } from "./core-region.ts";
import type { CoreSums, ExcludedCounts, Prepared } from "./prepared.ts";
import { TailBuilder } from "./tail-builder.ts";

/**
 * One pass over a batch: sums over the core of each turn (a contiguous run of mask 1), and the tail token by token.
 * Tokens whose Δ is not finite are counted and left out as if their mask were 0; they do not part a turn.
 *
 * @throws LengthMismatchError when columns differ in length.
 */
export function prepare(block: CorrectionBlock, region: CoreRegion): Prepared {
  checkedRows(block, {});
  const { rollout, trainer, mask, offsets, advantages } = block;
  const { delta: inner, probDiff: innerDiff, divergingInTail } = region;
  const looksAtDiffs = Number.isFinite(innerDiff.low) || Number.isFinite(innerDiff.high);
  // |Δp| ≤ |Δ| while neither log-prob is positive, so few tokens need their Δp to be known for the core.
  const surelyInside = Math.min(-innerDiff.low, innerDiff.high);
  const rowCount = offsets.length - 1;
  const turnRoom = countTurns(mask, offsets);
  const core = emptyCore(turnRoom, region.sums);
  const { k3: k3Sums, ...others } = core.extra;
  const extras = Object.entries(others) as [ExtraStatistic, Float64Array][];
  const wantsProbDiff = core.extra.prob_diff !== undefined || core.extra.abs_prob_diff !== undefined;
  const tail = new TailBuilder();
  const tailStarts = new Int32Array(turnRoom + 1);
  const turnIndex = new Int32Array(turnRoom);
  const turnLengths = new Int32Array(turnRoom);
  const startsInTail = new Uint8Array(turnRoom);
  const turnAdvantages = new Float64Array(turnRoom);
  const turnStarts = new Int32Array(rowCount + 1);
  const rows = new Int32Array(rowCount);
  const lengths = new Int32Array(rowCount);
  const emptyRows: number[] = [];
  const excluded = { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 };
  let sequences = 0;
  let turns = 0;

  for (let row = 0; row < rowCount; row++) {
    const end = offsets[row + 1]!;
    const firstTurn = turns;
    let length = 0;
    let turn = 0;
    for (let t = offsets[row]!; t < end; turn++) {
      while (t < end && mask[t] === 0) t++;
      if (t === end) break;
      let count = 0;
      let deltaSum = 0;
      let deltaSquare = 0;
      let deltaMin = Number.POSITIVE_INFINITY;
      let deltaMax = Number.NEGATIVE_INFINITY;
      let ratioSum = 0;
      let ratioSquare = 0;
      let k3 = 0;
      let positive = 0;
      let negative = 0;
      let advantageSum = 0;
      const tailBefore = tail.count;
      for (; t < end && mask[t] !== 0; t++) {
        const a = rollout[t]!;
        const b = trainer[t]!;
        const delta = b - a;
        if (delta - delta !== 0) {
          excluded[reasonOf(a, b)]++;
          continue;
        }
        const advantage = advantages === undefined ? Number.NaN : advantages[t]!;
        advantageSum += advantage;
        let inside = delta >= inner.low && delta <= inner.high;
        if (inside && looksAtDiffs && !(a <= 0 && b <= 0 && Math.abs(delta) <= surelyInside)) {
          const diff = probDiffOf(a, b);
          inside = diff >= innerDiff.low && diff <= innerDiff.high;
        }
        if (!inside || (divergingInTail && diverges(advantage, delta))) {
          if (count === 0 && tail.count === tailBefore) startsInTail[turns] = 1;
          tail.push(a, b, advantage);
          continue;
        }
        const ratio = Math.exp(delta);
        count++;
        deltaSum += delta;
        deltaSquare += delta * delta;
        if (delta < deltaMin) deltaMin = delta;
        if (delta > deltaMax) deltaMax = delta;
        ratioSum += ratio;
        ratioSquare += ratio * ratio;
        if (advantage > 0) positive++;
        else if (advantage < 0) negative++;
        if (k3Sums) k3 += k3Of(delta, ratio - 1);
        for (const [statistic, into] of extras) into[turns]! += tokenStatistic(statistic, a, b);
        if (wantsProbDiff) extendProbDiff(core, turns, probDiffOf(a, b));
      }
      const tokens = count + tail.count - tailBefore;
      if (tokens === 0) continue;
      core.count[turns] = count;
      core.delta[turns] = deltaSum;
      core.deltaSquare[turns] = deltaSquare;
      core.deltaMin[turns] = deltaMin;
      core.deltaMax[turns] = deltaMax;
      core.ratio[turns] = ratioSum;
      core.ratioSquare[turns] = ratioSquare;
      if (k3Sums) k3Sums[turns] = k3;
      core.positive[turns] = positive;
      core.negative[turns] = negative;
      turnAdvantages[turns] = advantageSum;
      turnIndex[turns] = turn;
      turnLengths[turns] = tokens;
      length += tokens;
      turns++;
      tailStarts[turns] = tail.count;
    }
    if (turns === firstTurn) {
      emptyRows.push(row);
      continue;
    }
    rows[sequences] = row;
    lengths[sequences] = length;
    sequences++;
    turnStarts[sequences] = turns;
  }
  return {
    sequences,
    turnStarts,
    rows,
    lengths,
    turns,
    tailStarts,
    turnIndex,
    turnLengths,
    startsInTail,
    advantages: turnAdvantages,
    core,
    tail: tail.finish(),
    emptyRows,
    excluded,
  };
}

function countTurns(mask: Uint8Array, offsets: Int32Array): number {
  let turns = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    let before = 0;
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      const bit = mask[t]!;
      if (bit !== 0 && before === 0) turns++;
      before = bit;
    }
  }
  return turns;
}

/** As the kernel counts them: −∞ on one side only is a Δ of its sign, all else is missing. */
function reasonOf(rollout: number, trainer: number): keyof ExcludedCounts {
  if (Number.isFinite(rollout) && trainer === Number.NEGATIVE_INFINITY) return "delta_negative_infinite";
  if (Number.isFinite(trainer) && rollout === Number.NEGATIVE_INFINITY) return "delta_positive_infinite";
  return "missing";
}

function extendProbDiff(core: CoreSums, turn: number, diff: number): void {
  if (diff < core.probDiffMin[turn]!) core.probDiffMin[turn] = diff;
  if (diff > core.probDiffMax[turn]!) core.probDiffMax[turn] = diff;
}

function emptyCore(turns: number, extra: readonly ExtraStatistic[]): CoreSums {
  const sums = (): Float64Array => new Float64Array(turns);
  return {
    count: new Int32Array(turns),
    delta: sums(),
    deltaSquare: sums(),
    deltaMin: sums(),
    deltaMax: sums(),
    ratio: sums(),
    ratioSquare: sums(),
    extra: Object.fromEntries(extra.map((statistic) => [statistic, sums()])),
    probDiffMin: sums().fill(Number.POSITIVE_INFINITY),
    probDiffMax: sums().fill(Number.NEGATIVE_INFINITY),
    positive: new Int32Array(turns),
    negative: new Int32Array(turns),
  };
}
