/** Parts of a run (steps, ranks, environments) whose level differs from the others'. */
import type { View } from "../sample/view.ts";
import { mean, median, spearman } from "./stats.ts";

export type PartKind = "step" | "rank" | "environment" | "version";

export interface Part {
  readonly name: string;
  readonly value: number;
  readonly rows: number;
  /** Median over rows of the mean gap in logits. */
  readonly level: number;
}

export interface Parts {
  readonly kind: PartKind;
  readonly parts: readonly Part[];
  /** Parts that stand out together, and the geometric ratio of their level to that of the rest. */
  readonly odd: readonly Part[];
  readonly ratio: number;
  readonly oddLevel: number;
  readonly restLevel: number;
  /** Largest level of the rest over their mean, minus 1: how much they vary. */
  readonly spreadOfRest: number;
  /** z of a rank comparison (Mann and Whitney) of the odd parts' rows with the rest. */
  readonly z: number;
  /** Correlation of level with step or version, if these are ordered. */
  readonly trend: { readonly r: number; readonly z: number };
}

const FEWEST_ROWS = 4;

/**
 * @param rowGaps a score per row, such as its mean gap; NaN for rows with too few tokens
 * @param useMean whether levels are means over rows, for scores that are 0 in most rows
 */
export function measureParts(view: View, rowGaps: readonly number[], useMean = false): Parts[] {
  const keys: Record<PartKind, (r: number) => string | number | undefined> = {
    step: (r) => view.rows[r]!.step,
    rank: (r) => view.rows[r]!.rank,
    environment: (r) => view.rows[r]!.environment,
    version: (r) => view.rows[r]!.versions?.[0],
  };
  return (Object.keys(keys) as PartKind[]).flatMap((kind) => {
    const found = compareParts(view, rowGaps, kind, keys[kind], useMean);
    return found === null ? [] : [found];
  });
}

function compareParts(
  view: View,
  rowGaps: readonly number[],
  kind: PartKind,
  key: (r: number) => string | number | undefined,
  useMean: boolean,
): Parts | null {
  const groups = new Map<string, { value: number; gaps: number[] }>();
  for (let r = 0; r < view.rows.length; r++) {
    const name = key(r);
    const gap = rowGaps[r]!;
    if (name === undefined || (typeof name === "number" && Number.isNaN(name)) || !Number.isFinite(gap))
      continue;
    const group = groups.get(String(name)) ?? { value: Number(name), gaps: [] };
    groups.set(String(name), group);
    group.gaps.push(gap);
  }
  const parts = [...groups]
    .filter(([, { gaps }]) => gaps.length >= FEWEST_ROWS)
    .map(([name, { value, gaps }]) => ({
      name,
      value,
      rows: gaps.length,
      level: useMean ? mean(gaps) : median(gaps),
    }));
  if (parts.length < 2) return null;
  const isOrdered = kind === "step" || kind === "version";
  if (isOrdered) parts.sort((x, y) => x.value - y.value);
  const odd = isOrdered ? findOddSteps(parts) : findOddOne(parts);
  const names = new Set(odd.map(({ name }) => name));
  const [inside, outside]: [number[], number[]] = [[], []];
  for (const [name, { gaps }] of groups) (names.has(name) ? inside : outside).push(...gaps);
  const rest = parts.filter(({ name }) => !names.has(name));
  const [oddLevel, restLevel] = [mean(odd.map(({ level }) => level)), mean(rest.map(({ level }) => level))];
  return {
    kind,
    parts,
    odd,
    oddLevel,
    restLevel,
    ratio: oddLevel / (restLevel + 1e-9),
    spreadOfRest: Math.max(...rest.map(({ level }) => level)) / (restLevel + 1e-9) - 1,
    z: compareRanks(inside, outside),
    trend: isOrdered
      ? spearman(
          parts.map(({ value }) => value),
          parts.map(({ level }) => level),
        )
      : { r: 0, z: 0 },
  };
}

/** The part furthest above the others. */
function findOddOne(parts: readonly Part[]): Part[] {
  const sorted = [...parts].sort((x, y) => y.level - x.level);
  return sorted.slice(0, 1);
}

/** One step, or all from one step on, above the others: whichever gives the larger ratio of levels. */
function findOddSteps(parts: readonly Part[]): Part[] {
  const candidates = [...parts.map((part) => [part]), ...parts.slice(1).map((_, k) => parts.slice(k + 1))];
  const score = (odd: readonly Part[]): number => {
    const rest = parts.filter((part) => !odd.includes(part));
    // The smallest of the odd ones against the largest of the rest: a clean cut.
    return Math.min(...odd.map(({ level }) => level)) / (Math.max(...rest.map(({ level }) => level)) + 1e-9);
  };
  return candidates.sort((x, y) => score(y) - score(x))[0]!;
}

/** z of the Mann-Whitney statistic of two non-empty lists, without correction for ties. */
function compareRanks(inside: readonly number[], outside: readonly number[]): number {
  const [n, m] = [inside.length, outside.length];
  const all = [
    ...inside.map((gap) => ({ gap, isIn: true })),
    ...outside.map((gap) => ({ gap, isIn: false })),
  ];
  all.sort((x, y) => x.gap - y.gap);
  let ranks = 0;
  all.forEach(({ isIn }, k) => {
    if (isIn) ranks += k + 1;
  });
  const u = ranks - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
