/**
 * Parts of a run that are far from the rest: a step, all steps from one on, a rank, an environment. Their fault is
 * judged on them alone.
 *
 * @module
 */

import { capitalize, formatNumber, plural, quoteName } from "../../../core/text/index.ts";
import type { EvidencePicture } from "../../../results/diagnosis.ts";
import { type Clue, hold } from "../clue.ts";
import { measureParts, type Part, type Parts } from "../features/parts.ts";
import { scoreRows } from "../features/row-scores.ts";
import { scanSlices } from "../features/slices.ts";
import { measureSpread } from "../features/spread.ts";
import { View } from "../sample/view.ts";
import { weighLevel } from "./health.ts";

export interface Scope {
  readonly clues: readonly Clue[];
  /** Rows of the parts that stand out. */
  readonly rows: readonly number[];
  readonly weight: number;
}

/**
 * A part must be this many times the level of the rest, which vary less among themselves. Steps and ranks are drawn
 * from the same prompts; environments are not, so one may be further off in a run that is wrong everywhere.
 */
const SMALLEST_RATIO = { step: 1.45, rank: 1.45, version: 1.45, environment: 2.2 } as const;
const CLEAR_RATIO = 2.2;
/** Shares are near 0 in healthy parts. */
const SMALLEST_RATIO_OF_SHARES = 8;
const SMALLEST_Z = 4.5;
/** Nats of log-odds from which a part that stands out slightly is sound all the same. */
const SOUND_PART = 2;
/** A part this many times the rest needs fewer rows to be credible: ranks with few rows cannot reach a large z. */
const LARGE_RATIO = 5;
const SMALLEST_Z_OF_LARGE = 3.5;

/** The strongest scope; null if the run is uniform. */
export function judgeScope(view: View, rowGaps: readonly number[]): Scope | null {
  const found = [
    { what: "mean gap in logits", parts: measureParts(view, rowGaps), smallest: undefined },
    ...scoreRows(view).map(({ what, scores }) => ({
      what,
      parts: measureParts(view, scores, true),
      smallest: SMALLEST_RATIO_OF_SHARES,
    })),
  ].flatMap(({ what, parts, smallest }) =>
    parts.flatMap((part) => {
      const scope = describeScope(view, what, part, smallest);
      return scope === null ? [] : [scope];
    }),
  );
  const slice = describeSlice(view, rowGaps);
  if (slice !== null) found.push(slice);
  return found.sort((x, y) => y.weight - x.weight)[0] ?? null;
}

/** A slice must be this many times the rest, whatever its z: a smaller ratio is not worth reporting. */
const SMALLEST_SLICE_RATIO = 1.3;
/** Prior nats against a slight part, or one of several workers, being wrong. */
const RARE = 3;

/** The slice that stands out most, weighted by how rarely the best of that many would do so by chance. */
function describeSlice(view: View, rowGaps: readonly number[]): Scope | null {
  const slice = scanSlices(view, rowGaps);
  if (slice === null || slice.ratio < SMALLEST_SLICE_RATIO) return null;
  const { kind, period, offset, rows, z, ratio, tested } = slice;
  const weight = hold(weighChance(z, tested) - RARE);
  if (!(weight > 0)) return null;
  const clue: Clue = {
    cause: "mixed_weight_versions",
    weight,
    sentence: `In the order of the files, ${kind} ${offset + 1} of every ${period} in a step has a gap in logits ${formatNumber(ratio)} times that of the others (z ${formatNumber(z)}, the largest of ${tested} such slices): one of ${period} workers runs different weights.`,
    figures: { period, place: offset + 1, ratio, z, slices: tested },
  };
  return { clues: [clue], rows, weight };
}

/**
 * Nats by which the best of several tests speaks against chance: the upper bound −1 / (e p ln p) of the Bayes factor
 * for a p-value (Sellke, Bayarri and Berger, 2001), with p corrected for the number of tests.
 */
function weighChance(z: number, tested: number): number {
  if (z <= 1) return 0;
  // Mills' bound on the tail of a normal.
  const logP = Math.log(tested) - (z * z) / 2 - Math.log(z * Math.sqrt(2 * Math.PI));
  return logP < -1 ? -1 - logP - Math.log(-logP) : 0;
}

function describeScope(view: View, what: string, parts: Parts, smallest: number | undefined): Scope | null {
  const { kind, odd, ratio, z, oddLevel, restLevel } = parts;
  if (
    !(
      ratio > (smallest ?? SMALLEST_RATIO[kind]) &&
      z > (ratio > LARGE_RATIO ? SMALLEST_Z_OF_LARGE : SMALLEST_Z)
    ) ||
    odd.length === 0
  )
    return null;
  if (kind === "version" && !isMixed(view)) return null;
  if (odd.length === parts.parts.length || parts.spreadOfRest > 0.6 * (ratio - 1)) return null;
  const rows = selectRows(view, kind, odd);
  if (rows.length > 0.9 * view.rows.length) return null;
  const part = new Set(rows);
  // Steps of a sound run differ a little; their noise is still an engine's.
  if (ratio < CLEAR_RATIO && judgeRows(view, (r) => part.has(r)) > SOUND_PART) return null;
  // If the rest is off too, a part that is more so belongs to what is wrong everywhere.
  const isSlight = kind === "environment" || ratio < CLEAR_RATIO;
  const restOdds = isSlight ? judgeRows(view, (r) => !part.has(r)) : 0;
  const weight = hold(2 * z - 6 + Math.log(ratio)) + Math.min(0, restOdds) - (ratio < CLEAR_RATIO ? RARE : 0);
  if (!(weight > 0)) return null;
  const level = `the ${what} is ${formatNumber(oddLevel)}, elsewhere ${formatNumber(restLevel)} (z ${formatNumber(z)})`;
  const figures = { parts: odd.map(({ name }) => name).join(","), level: oddLevel, elsewhere: restLevel, z };
  const base = { figures, picture: drawParts(what, parts) };
  const names = odd.map(({ name }) => name);
  if (kind === "version") {
    const sentence = `In sequences of weight version ${names.join(", ")} ${level}, within the same steps.`;
    return { weight, rows, clues: [{ ...base, cause: "mixed_weight_versions", weight, sentence }] };
  }
  if (kind === "rank" || kind === "environment") {
    const cause = kind === "rank" ? "one_bad_rank" : "one_bad_source";
    return {
      weight,
      rows,
      clues: [{ ...base, cause, weight, sentence: `On ${kind} ${quoteName(String(names[0]))} ${level}.` }],
    };
  }
  return {
    weight,
    rows,
    clues: judgeSteps(parts, weight).map((clue) => ({
      ...base,
      ...clue,
      sentence: `${clue.sentence} ${level}.`,
    })),
  };
}

/** Whether a step has sequences of several weight versions: otherwise versions coincide with steps. */
function isMixed({ rows }: View): boolean {
  const known = new Map<number, number>();
  return rows.some(({ step, versions }) => {
    const version = versions?.[0];
    if (version === undefined) return false;
    const first = known.get(step) ?? version;
    known.set(step, first);
    return first !== version;
  });
}

/** Log-odds that some rows differ only by an engine's precision, nats. */
function judgeRows(view: View, isIn: (r: number) => boolean): number {
  const spread = measureSpread(new View(view.rows.filter((_, r) => isIn(r))));
  return spread.tokens === 0 ? 0 : weighLevel(spread).logOdds;
}

/** One step, all from one step on at the same level, or a rise. */
function judgeSteps(
  { odd, parts, trend }: Parts,
  weight: number,
): Pick<Clue, "cause" | "weight" | "sentence">[] {
  const [first, last] = [odd[0]!, odd[odd.length - 1]!];
  const reachesEnd = last === parts[parts.length - 1];
  const rise = countRises(odd);
  const isGrowing = odd.length >= 2 && rise > 0.7 && last.level > 1.3 * first.level && trend.r > 0.85;
  if (odd.length === 1) {
    const sentence = `At step ${first.name}`;
    if (!reachesEnd) return [{ cause: "one_bad_step", weight, sentence }];
    return [
      { cause: "one_bad_step", weight, sentence },
      { cause: "sudden_onset", weight: weight - 0.7, sentence },
      { cause: "growing_staleness", weight: weight - 2, sentence },
    ];
  }
  const sentence = `From step ${first.name} to ${last.name} (${plural(odd.length, "step")} of ${parts.length})`;
  return [
    { cause: "growing_staleness", weight: isGrowing ? weight : weight - 5, sentence: `${sentence}, rising,` },
    { cause: "sudden_onset", weight: isGrowing ? weight - 4 : weight, sentence },
  ];
}

/** Share of transitions to the next step that go up. */
function countRises(parts: readonly Part[]): number {
  let rises = 0;
  for (let k = 1; k < parts.length; k++) if (parts[k]!.level > parts[k - 1]!.level) rises++;
  return parts.length < 2 ? 0 : rises / (parts.length - 1);
}

function selectRows(view: View, kind: Parts["kind"], odd: readonly Part[]): number[] {
  const names = new Set(odd.map(({ name }) => name));
  return view.rows.flatMap((row, r) => {
    const values = {
      step: row.step,
      rank: row.rank,
      environment: row.environment,
      version: row.versions?.[0],
    };
    const value = values[kind];
    return names.has(String(value)) ? [r] : [];
  });
}

function drawParts(what: string, { kind, parts }: Parts): EvidencePicture {
  return {
    kind: kind === "step" ? "line" : "bars",
    title: `${capitalize(what)} by ${kind}`,
    x_label: kind,
    y_label: what,
    x: parts.map(({ name, value }) => (kind === "step" ? value : name)),
    series: [{ name: what, y: parts.map(({ level }) => level) }],
  };
}
