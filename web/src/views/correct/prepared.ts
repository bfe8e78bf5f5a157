/**
 * Everything that is computed once from the run's sums so that dragging is cheap.
 *
 * @module
 */
import type { CorrectBins } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { type Correction, needsWeights } from "../../../../src/trainers/neutral/index.ts";
import { type AxisName, linesOn } from "../../state/lines.ts";
import type { StepRange } from "../../state/step-range.ts";
import { type Axis, asinhAxis } from "../../ui/histogram/axis.ts";
import type { HistogramPicture, HistogramSide } from "../../ui/histogram/draw-histogram.ts";
import { type Figures, SIDES, type Side, type VetoedShares } from "./figures.ts";
import { isOn } from "./pieces.ts";
import {
  type RowGroups,
  rowGroups,
  sequenceFigures,
  sortedBySide,
  vetoedShares,
  vetoReach,
} from "./sequence-sums.ts";
import { type TokenSums, tokenFigures, tokenSums } from "./token-sums.ts";

export interface Prepared {
  readonly table: SequenceTable;
  readonly sums: TokenSums;
  readonly groups: RowGroups;
  readonly vetoed: (reach: number) => VetoedShares;
  readonly sorted: (axis: Exclude<AxisName, "token">) => Readonly<Record<Side, Float64Array>>;
  /** Sequences with a token. */
  readonly sequences: number;
  /** The sequence and token with the largest |Δ|. */
  readonly worst: { readonly sequence: number; readonly token: number } | undefined;
}

export function prepare(table: SequenceTable, bins: CorrectBins): Prepared {
  const sorted = new Map<AxisName, Readonly<Record<Side, Float64Array>>>();
  let lastVeto: { readonly reach: number; readonly shares: VetoedShares } | undefined;
  const groups = rowGroups(table, bins);
  return {
    table,
    sums: tokenSums(bins),
    groups,
    vetoed(reach) {
      // The veto does not change while another line is dragged.
      if (lastVeto?.reach !== reach) lastVeto = { reach, shares: vetoedShares(table, reach, groups) };
      return lastVeto.shares;
    },
    sorted(axis) {
      const known = sorted.get(axis) ?? sortedBySide(table, axis);
      sorted.set(axis, known);
      return known;
    },
    worst: findWorst(table),
    sequences: table.columns.tokens.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
  };
}

/** The same table, in which sequences of other steps have no tokens. */
export function inSteps(table: SequenceTable, [from, to]: StepRange): SequenceTable {
  const { step, tokens } = table.columns;
  const counted = tokens.map((own, row) => (step[row]! >= from && step[row]! <= to ? own : 0));
  return { ...table, columns: { ...table.columns, tokens: counted } };
}

/**
 * Undefined if the figures need the tokens themselves: for turns, or if both tokens and sequences are judged.
 */
export function figuresNow(
  { table, sums, groups, vetoed }: Prepared,
  correction: Correction,
): Figures | undefined {
  const { steps } = correction;
  const divided = steps.findIndex(({ action }) => action === "normalize");
  // A bound on normalized weights needs the mean first, which is a training step's.
  const after = divided < 0 ? [] : steps.slice(divided).filter(({ action }) => action !== "normalize");
  if (after.some(needsWeights)) return undefined;
  const reach = vetoReach(correction);
  const figures = isOn(correction, ["token"])
    ? tokenFigures(sums, correction, reach === undefined ? undefined : vetoed(reach))
    : isOn(correction, ["sum", "mean"])
      ? sequenceFigures(table, correction, groups)
      : undefined;
  return divided >= 0 && figures ? { ...figures, meanWeight: undefined } : figures;
}

function findWorst({ columns, length }: SequenceTable): Prepared["worst"] {
  let at = -1;
  for (let row = 0; row < length; row++)
    if (
      columns.tokens[row]! > 0 &&
      columns.worst_token[row]! >= 0 &&
      !(columns.delta_abs_max[at]! >= columns.delta_abs_max[row]!)
    )
      at = row;
  return at < 0 ? undefined : { sequence: at, token: columns.worst_token[at]! };
}

/** An axis wide enough for every finite value and every bound. */
export function makeAxis(prepared: Prepared, correction: Correction, name: AxisName): Axis {
  const [middle, most] = findTails(prepared, name);
  const bounds = linesOn(correction, name).map(({ at }) => Math.abs(at));
  const reach = Math.max(1e-3, most, ...bounds.map((bound) => bound * 1.5));
  return asinhAxis(reach, Math.max(middle, reach * 1e-4));
}

/** The |Δ| that 96 % of values stay within, and the largest. */
function findTails({ sums, sorted, worst, table }: Prepared, axis: AxisName): readonly [number, number] {
  if (axis === "token") {
    const most = worst === undefined ? 0 : table.columns.delta_abs_max[worst.sequence]!;
    return [Math.max(-sums.quantile(0.02), sums.quantile(0.98)), finite(most)];
  }
  const sizes = Object.values(sorted(axis)).flatMap((values) => {
    const at = (share: number): number => values[Math.round(share * (values.length - 1))]!;
    return values.length === 0
      ? []
      : [[Math.max(-at(0.02), at(0.98)), finite(Math.max(-values[0]!, values.at(-1)!))] as const];
  });
  return [Math.max(...sizes.map(([middle]) => middle)), Math.max(...sizes.map(([, most]) => most))];
}

/** No axis reaches infinity: infinite values are in its outermost columns. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

const COLORS: Readonly<Record<Side, string>> = { right: "--blue", wrong: "--orange", unknown: "--grey" };

export function makePicture(
  sides: readonly HistogramSide[],
  correction: Correction,
  name: AxisName,
  axis: Axis,
): HistogramPicture {
  const zones = linesOn(correction, name)
    .filter(({ step }) => correction.steps[step]!.action !== "veto")
    .map(({ side, at, effect: kind }) =>
      side === "low" ? { from: -Infinity, to: at, kind } : { from: at, to: Infinity, kind },
    );
  return { axis, sides, zones };
}

export function listSides({ sums, sorted }: Prepared, axis: AxisName): HistogramSide[] {
  const values = axis === "token" ? undefined : sorted(axis);
  const present = SIDES.filter((side) => (values ? values[side].length > 0 : sums.sides.includes(side)));
  return present.map((side) => ({
    name: side,
    color: COLORS[side],
    up: side !== "wrong" || present.length === 1,
    between: values
      ? (from, to) => placeIn(values[side], to) - placeIn(values[side], from)
      : (from, to) => sums.below(side, "tokens", to) - sums.below(side, "tokens", from),
  }));
}

/** How many of the ascending values are below `wanted`. */
function placeIn(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
