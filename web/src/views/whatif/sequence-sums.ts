/**
 * Sequence and geometric level, exactly, from the columns of the table of sequences.
 *
 * @module
 */
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { hasBand, hasCap, type Level, type Setting } from "../../state/setting.ts";
import { emptySides, type Figures, figuresOf, type LengthShare, SIDES, type Side } from "./figures.ts";

/** Log-ratios of products are clamped to ± this many nats before exp, as trainers do and `logratio sweep` does. */
export const LOG_BOUND = 20;
const QUARTERS = 4;

/** ΣΔ of each sequence, or its mean Δ: the log of the ratio that the level is about. */
export function logRatios({ columns }: SequenceTable, level: Exclude<Level, "token">): Float64Array {
  return level === "sequence" ? columns.delta_sum : columns.delta_mean;
}

export function sideOf(correct: number): Side {
  return Number.isNaN(correct) ? "unknown" : correct > 0 ? "right" : "wrong";
}

/**
 * A sequence whose largest |Δ| reaches the veto has a token that far out; the table does not say on which side, so this
 * may be too many.
 */
function mayBeVetoed(largest: number, veto: number | null): boolean {
  return veto !== null && largest > -Math.log(veto);
}

/** By side, the share of its tokens in sequences that the veto may take. */
export function vetoedShares({ columns, length }: SequenceTable, veto: number): Record<Side, number> {
  const tokens = { right: 0, wrong: 0, unknown: 0 };
  const vetoed = { right: 0, wrong: 0, unknown: 0 };
  for (let row = 0; row < length; row++) {
    const own = columns.tokens[row]!;
    if (!(own > 0)) continue;
    const side = sideOf(columns.correct[row]!);
    tokens[side] += own;
    if (mayBeVetoed(columns.delta_abs_max[row]!, veto)) vetoed[side] += own;
  }
  const share = (side: Side): number => (tokens[side] > 0 ? vetoed[side] / tokens[side] : 0);
  return { right: share("right"), wrong: share("wrong"), unknown: share("unknown") };
}

/** @param quarters {@link lengthQuarters} of the table. */
export function sequenceFigures(table: SequenceTable, setting: Setting, quarters: Float64Array): Figures {
  const { method, cap, low, high, veto, level } = setting;
  if (level === "token") throw new RangeError("tokens have no figures of sequences");
  const { tokens, correct, delta_abs_max, rho_sum, rho_squares } = table.columns;
  const logs = logRatios(table, level);
  const sides = emptySides();
  const [weighted, banded, capped] = [hasCap(method) || method === "icepop", hasBand(method), hasCap(method)];
  const [least, most] = banded ? [Math.log(low), Math.log(high)] : [-Infinity, Infinity];
  const lengths = Array.from({ length: QUARTERS }, () => ({ tokens: 0, kept: 0 }));
  let [keptSequences, vetoed, all] = [0, 0, 0];
  for (let row = 0; row < table.length; row++) {
    const own = tokens[row]!;
    if (!(own > 0) || Number.isNaN(logs[row])) continue;
    const into = sides[sideOf(correct[row]!)];
    const quarter = lengths[quarterOf(own, quarters)]!;
    into.tokens += own;
    quarter.tokens += own;
    all += own;
    const ratio = Math.exp(Math.max(-LOG_BOUND, Math.min(LOG_BOUND, logs[row]!)));
    const weight = capped ? Math.min(ratio, cap) : ratio;
    if (capped && ratio > cap) into.clipped += own;
    const out = mayBeVetoed(delta_abs_max[row]!, veto);
    if (out) vetoed += own;
    if (out || !(logs[row]! >= least && logs[row]! <= most)) continue;
    keptSequences++;
    into.kept += own;
    quarter.kept += own;
    into.weights += weighted ? own * weight : rho_sum[row]!;
    into.squares += weighted ? own * weight * weight : rho_squares[row]!;
    into.loss += weighted ? own * weight : own;
  }
  const byLength = lengths.map(({ tokens: there, kept }, at): LengthShare => {
    const [from, to] = [quarters[at]!, quarters[at + 1]!];
    return { from: at === 0 ? from : from + 1, to, tokens: there, dropped: there > 0 ? 1 - kept / there : 0 };
  });
  return figuresOf(sides, {
    keptSequences,
    byLength: byLength.filter(({ tokens: there }) => there > 0),
    ...(veto !== null && { vetoedAtMost: vetoed / all }),
  });
}

/** Lengths that part the sequences into quarters, `[5]`, the ends included. */
export function lengthQuarters({ columns }: SequenceTable): Float64Array {
  const lengths = columns.tokens.filter((tokens) => tokens > 0).sort();
  return Float64Array.from({ length: QUARTERS + 1 }, (_, at) => {
    return lengths[Math.round((at / QUARTERS) * (lengths.length - 1))] ?? 0;
  });
}

function quarterOf(tokens: number, quarters: Float64Array): number {
  let at = 0;
  while (at < QUARTERS - 1 && tokens > quarters[at + 1]!) at++;
  return at;
}

/** Log-ratios by side, ascending: for the histogram. */
export function sortedBySide(
  table: SequenceTable,
  level: Exclude<Level, "token">,
): Readonly<Record<Side, Float64Array>> {
  const logs = logRatios(table, level);
  const { correct, tokens } = table.columns;
  const of = (side: Side): Float64Array =>
    logs
      .filter((log, row) => tokens[row]! > 0 && !Number.isNaN(log) && sideOf(correct[row]!) === side)
      .sort();
  return Object.fromEntries(SIDES.map((side) => [side, of(side)])) as Record<Side, Float64Array>;
}
