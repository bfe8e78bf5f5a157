/**
 * What is made once of the run's sums, so that a drag costs little.
 *
 * @module
 */
import type { WhatIfSums } from "../../../../src/results/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { boundsOf, hasBand, hasCap, type Level, type Setting } from "../../state/setting.ts";
import type { StepRange } from "../../state/step-range.ts";
import { type Axis, asinhAxis } from "../../ui/histogram/axis.ts";
import type { HistogramPicture, HistogramSide, Zone } from "../../ui/histogram/draw-histogram.ts";
import { type Figures, SIDES, type Side, type VetoedShares } from "./figures.ts";
import { type RowGroups, rowGroups, sequenceFigures, sortedBySide, vetoedShares } from "./sequence-sums.ts";
import { type TokenSums, tokenFigures, tokenSums } from "./token-sums.ts";

export interface Prepared {
  readonly table: SequenceTable;
  readonly sums: TokenSums;
  readonly groups: RowGroups;
  readonly vetoed: (veto: number) => VetoedShares;
  readonly sorted: (level: Exclude<Level, "token">) => Readonly<Record<Side, Float64Array>>;
  /** That have a token. */
  readonly sequences: number;
  /** The sequence and token with the largest |Δ|. */
  readonly worst: { readonly sequence: number; readonly token: number } | undefined;
}

export function prepare(table: SequenceTable, whatIf: WhatIfSums): Prepared {
  const sorted = new Map<Level, Readonly<Record<Side, Float64Array>>>();
  let lastVeto: { readonly veto: number; readonly shares: VetoedShares } | undefined;
  const groups = rowGroups(table, whatIf);
  return {
    table,
    sums: tokenSums(whatIf),
    groups,
    vetoed(veto) {
      // The veto rests while another line is dragged.
      if (lastVeto?.veto !== veto) lastVeto = { veto, shares: vetoedShares(table, veto, groups) };
      return lastVeto.shares;
    },
    sorted(level) {
      const known = sorted.get(level) ?? sortedBySide(table, level);
      sorted.set(level, known);
      return known;
    },
    worst: worstOf(table),
    sequences: table.columns.tokens.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
  };
}

/** The same places, but sequences of other steps have no tokens that count. */
export function inSteps(table: SequenceTable, [from, to]: StepRange): SequenceTable {
  const { step, tokens } = table.columns;
  const counted = tokens.map((own, row) => (step[row]! >= from && step[row]! <= to ? own : 0));
  return { ...table, columns: { ...table.columns, tokens: counted } };
}

export function figuresNow({ table, sums, groups, vetoed }: Prepared, setting: Setting): Figures {
  if (setting.level !== "token") return sequenceFigures(table, setting, groups);
  return tokenFigures(sums, setting, setting.veto === null ? undefined : vetoed(setting.veto));
}

function worstOf({ columns, length }: SequenceTable): Prepared["worst"] {
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

/** Far enough for all but one in ten thousand, and for every bound in play. */
export function axisOf(prepared: Prepared, setting: Setting): Axis {
  const [least, middle, most] = tailsOf(prepared, setting.level);
  const bounds = boundsOf(setting)
    .map((name) => Math.abs(Math.log(setting[name] ?? 1)))
    .filter(Number.isFinite);
  const reach = Math.max(1e-3, -least, most, ...bounds.map((bound) => bound * 1.5));
  return asinhAxis(reach, Math.max(middle, reach * 1e-4));
}

/** Below, above and how far from 0 most are. */
function tailsOf({ sums, sorted }: Prepared, level: Level): readonly [number, number, number] {
  const at = (share: number): number => {
    if (level === "token") return sums.quantile(share);
    const sides = Object.values(sorted(level)).filter((values) => values.length > 0);
    const places = sides.map((values) => values[Math.round(share * (values.length - 1))]!);
    return share < 0.5 ? Math.min(...places) : Math.max(...places);
  };
  return [at(0.0001), Math.max(-at(0.02), at(0.98)), at(0.9999)];
}

const COLOURS: Readonly<Record<Side, string>> = { right: "--blue", wrong: "--orange", unknown: "--grey" };

export function pictureOf(sides: readonly HistogramSide[], setting: Setting, axis: Axis): HistogramPicture {
  return { axis, sides, zones: zonesOf(setting) };
}

export function sidesOf({ sums, sorted }: Prepared, level: Level): HistogramSide[] {
  const values = level === "token" ? undefined : sorted(level);
  const present = SIDES.filter((side) => (values ? values[side].length > 0 : sums.sides.includes(side)));
  return present.map((side) => ({
    name: side,
    colour: COLOURS[side],
    up: side !== "wrong" || present.length === 1,
    between: values
      ? (from, to) => placeIn(values[side], to) - placeIn(values[side], from)
      : (from, to) => sums.below(side, "tokens", to) - sums.below(side, "tokens", from),
  }));
}

/** How many of the ascending values are below. */
function placeIn(values: Float64Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function zonesOf({ method, cap, low, high }: Setting): Zone[] {
  return [
    ...(hasCap(method) ? [{ from: Math.log(cap), to: Infinity, kind: "clipped" as const }] : []),
    ...(hasBand(method)
      ? [
          { from: -Infinity, to: Math.log(low), kind: "dropped" as const },
          { from: Math.log(high), to: Infinity, kind: "dropped" as const },
        ]
      : []),
  ];
}
