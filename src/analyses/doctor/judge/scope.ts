/**
 * Parts of a run that are far from the others: a step, the steps from one on, a rank, an environment. What is wrong in
 * them is judged on them alone.
 *
 * @module
 */

import { formatNumber, plural } from "../../../core/text/index.ts";
import type { EvidencePicture } from "../../../results/index.ts";
import { type Clue, hold } from "../clue.ts";
import { measureParts, type Part, type Parts } from "../features/parts.ts";
import { scoreRows } from "../features/row-scores.ts";
import type { View } from "../sample/view.ts";

export interface Scope {
  readonly clues: readonly Clue[];
  /** Rows of the parts that stand out. */
  readonly rows: readonly number[];
  readonly weight: number;
}

/** A part must be this many times the level of the others, which differ by less among themselves. */
const SMALLEST_RATIO = 2.2;
/** Shares are near 0 where a part is sound. */
const SMALLEST_RATIO_OF_SHARES = 8;
const SMALLEST_Z = 4.5;

/** The strongest scope there is; null where the run is alike all over. */
export function judgeScope(view: View, rowGaps: readonly number[]): Scope | null {
  const found = [
    { what: "mean gap in logits", parts: measureParts(view, rowGaps), smallest: SMALLEST_RATIO },
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
  return found.sort((x, y) => y.weight - x.weight)[0] ?? null;
}

function describeScope(view: View, what: string, parts: Parts, smallest: number): Scope | null {
  const { kind, odd, ratio, z, oddLevel, restLevel } = parts;
  if (!(ratio > smallest && z > SMALLEST_Z) || odd.length === 0 || kind === "version") return null;
  if (odd.length === parts.parts.length || parts.spreadOfRest > 0.6 * (ratio - 1)) return null;
  const rows = selectRows(view, kind, odd);
  if (rows.length > 0.9 * view.rows.length) return null;
  const weight = hold(2 * z - 6 + Math.log(ratio));
  const level = `the ${what} is ${formatNumber(oddLevel)}, elsewhere ${formatNumber(restLevel)} (z ${formatNumber(z)})`;
  const figures = { parts: odd.map(({ name }) => name).join(","), level: oddLevel, elsewhere: restLevel, z };
  const base = { figures, picture: drawParts(what, parts) };
  const names = odd.map(({ name }) => name);
  if (kind === "rank" || kind === "environment") {
    const cause = kind === "rank" ? "one_bad_rank" : "one_bad_source";
    return {
      weight,
      rows,
      clues: [{ ...base, cause, weight, sentence: `On ${kind} ${names[0]} ${level}.` }],
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

/** One step, all from one on at one level, or a rise. */
function judgeSteps(
  { odd, parts, trend }: Parts,
  weight: number,
): Pick<Clue, "cause" | "weight" | "sentence">[] {
  const [first, last] = [odd[0] as Part, odd[odd.length - 1] as Part];
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

/** Of the steps from one part to the next, the share that go up. */
function countRises(parts: readonly Part[]): number {
  let rises = 0;
  for (let k = 1; k < parts.length; k++) if ((parts[k] as Part).level > (parts[k - 1] as Part).level) rises++;
  return parts.length < 2 ? 0 : rises / (parts.length - 1);
}

function selectRows(view: View, kind: Parts["kind"], odd: readonly Part[]): number[] {
  const names = new Set(odd.map(({ name }) => name));
  return view.rows.flatMap((row, r) => {
    const value = kind === "step" ? row.step : kind === "rank" ? row.rank : row.environment;
    return names.has(String(value)) ? [r] : [];
  });
}

function drawParts(what: string, { kind, parts }: Parts): EvidencePicture {
  return {
    kind: kind === "step" ? "line" : "bars",
    title: `${what.charAt(0).toUpperCase()}${what.slice(1)} by ${kind}`,
    x_label: kind,
    y_label: what,
    x: parts.map(({ name, value }) => (kind === "step" ? value : name)),
    series: [{ name: what, y: parts.map(({ level }) => level) }],
  };
}
