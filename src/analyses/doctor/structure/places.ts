import { formatNumber, formatPlain, formatShare, plural } from "../../../core/text/index.ts";
import { RUN_METRICS } from "../../../results/metrics/run-metrics.ts";
import { type Clue, hold } from "../clue.ts";
import { isFirstOwn, isLastOwn } from "../features/boundaries.ts";
import { isChunkStart, measureChunks } from "../features/chunks.ts";
import { type Concentration, concentrate } from "../features/concentration.ts";
import type { View } from "../sample/view.ts";
import { listHandles } from "./handles.ts";

/**
 * Single places that hold everything that is off: the first token, the last, turn starts, chunk starts; or that hold one
 * value in every sequence, however near the truth it is.
 */
export function examinePlaces(view: View): Clue[] {
  return [
    ...examineConstant(view, "first_token_wrong", "first response token", (i) => isFirstOwn(view, i)),
    ...examineConstant(view, "last_token_wrong", "last response token", (i) => isLastOwn(view, i)),
    ...examine(view, "first_token_wrong", "first response token", (i) => isFirstOwn(view, i)),
    ...examine(view, "last_token_wrong", "last response token", (i) => isLastOwn(view, i)),
    ...examineChunkStarts(view),
    ...examine(view, "retokenized_turns", "first token after tool output", (i) => view.isTurnStart(i)),
  ];
}

const FEWEST = 3;
/** Mean |Δ| at tokens that differ on the other side. */
const FEWEST_NATS = 1.5;

/** Whether far more tokens of the set are off than of the rest. */
function isConcentrated({ tokens, offInside, offOutside, meanInside, meanOutside }: Concentration): boolean {
  return (
    tokens >= FEWEST &&
    offInside * tokens >= FEWEST &&
    offInside > 0.25 &&
    offOutside < 0.12 * offInside &&
    meanInside > 8 * meanOutside
  );
}

function examine(view: View, cause: string, place: string, isInside: (i: number) => boolean): Clue[] {
  const found = concentrate(view, isInside);
  if (!isConcentrated(found)) return [];
  // Turns begin with a choice, where any two policies differ; a different token there is all but ruled out.
  if (cause === "retokenized_turns" && found.meanInside < FEWEST_NATS) return [];
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i) && isInside(i)) view.claim(i);
  return [describe(view, cause, place, found)];
}

const FEWEST_CONSTANT = 8;
/** So many prompts, and values of the other side to this precision in nats, where one side has a single value. */
const FEWEST_DIFFERENT = 4;
const PRECISION = 1e-3;

/**
 * One exact value at the place in nearly all sequences, and hardly anywhere else; or in nearly all that have one token
 * there, as when a program appends the end of the text itself.
 */
function examineConstant(view: View, cause: string, place: string, isInside: (i: number) => boolean): Clue[] {
  const inside: number[] = [];
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i) && isInside(i)) inside.push(i);
  const id = (i: number): number => view.row(i).ids?.[view.index(i)] ?? -1;
  const often = findMode(inside.map(id));
  for (const tokens of [inside, inside.filter((i) => id(i) === often)])
    for (const side of ["rollout", "trainer"] as const) {
      const clue = findConstant(view, { side, place, tokens, isInside });
      if (clue !== undefined) return [{ ...clue, cause }];
    }
  return [];
}

interface Where {
  readonly side: "rollout" | "trainer";
  readonly place: string;
  readonly tokens: readonly number[];
  readonly isInside: (i: number) => boolean;
}

function findConstant(view: View, { side, place, tokens, isInside }: Where): Omit<Clue, "cause"> | undefined {
  const [column, other] = side === "rollout" ? [view.a, view.c] : [view.c, view.a];
  const value = findMode(tokens.map((i) => column[i]!));
  const equal = tokens.filter((i) => column[i] === value);
  const different = new Set(equal.map((i) => Math.round(other[i]! / PRECISION))).size;
  if (value === undefined || equal.length < Math.max(FEWEST_CONSTANT, 0.8 * tokens.length)) return undefined;
  // After one prompt, the same context gives the same number, and the other side's own noise many.
  const prompts = new Set(equal.map((i) => view.row(i).group)).size;
  if (Math.min(different, prompts) < FEWEST_DIFFERENT) return undefined;
  let [elsewhere, same] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    // Where the other side is as near the value, it may be right.
    if (!view.isOwn(i) || isInside(i) || Math.abs(other[i]! - value) < PRECISION) continue;
    elsewhere++;
    if (column[i] === value) same++;
  }
  if (same > 0.02 * elsewhere) return undefined;
  for (let i = 0; i < view.tokens; i++) if (isInside(i) && column[i] === value) view.claim(i);
  return {
    weight: hold(4 + 1.5 * Math.log(equal.length)),
    sentence: `The ${side} log-prob of the ${place} is exactly ${formatPlain(value)} in ${plural(equal.length, "sequence")} of ${tokens.length}, whatever the other side has there, and hardly anywhere else.`,
    figures: { side, value, sequences: equal.length, of: tokens.length },
    handles: listHandles(view, equal),
  };
}

function findMode(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((x, y) => y[1] - x[1])[0]?.[0];
}

function describe(view: View, cause: string, place: string, found: Concentration): Clue {
  const { tokens, offInside, offOutside, meanInside, meanOutside, weight, deltaInside } = found;
  return {
    cause,
    weight: hold(5 + 1.5 * Math.log(offInside * tokens)),
    sentence: `Mean |Δ| is ${formatNumber(meanInside)} nats at the ${place} (${plural(tokens, "token")}) and ${formatNumber(meanOutside)} elsewhere. It accounts for ${formatShare(weight)} of Σ|Δ|.`,
    figures: {
      mean_there: meanInside,
      mean_elsewhere: meanOutside,
      delta_there: deltaInside,
      tokens,
      off_there: offInside,
      off_elsewhere: offOutside,
    },
    picture: {
      kind: "bars",
      title: `Mean |Δ| at the ${place} and elsewhere`,
      x_label: "where",
      y_label: "mean |Δ|, nats",
      x: [place, "elsewhere"],
      series: [{ name: RUN_METRICS.delta_abs_mean.label, y: [meanInside, meanOutside] }],
    },
    handles: listHandles(view, found.worst),
  };
}

function examineChunkStarts(view: View): Clue[] {
  const chunks = measureChunks(view);
  if (chunks === null) return [];
  const { chunk, starts, offAtStarts, offElsewhere } = chunks;
  if (offAtStarts < 5 || offAtStarts < 0.4 * starts || offElsewhere > 0.5 * offAtStarts) return [];
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i) && isChunkStart(view, i, chunk)) view.claim(i);
  return [
    {
      cause: "cp_boundary",
      weight: hold(4 + 1.5 * Math.log(offAtStarts)),
      sentence: `Of ${plural(starts, "token")} at positions that are multiples of ${chunk} (prompt included), ${offAtStarts} have |Δ| above 0.25 nats; of all others, ${offElsewhere}. Labels are off by one where a chunk of ${chunk} tokens begins.`,
      figures: { chunk, starts, off_at_starts: offAtStarts, off_elsewhere: offElsewhere },
      handles: listHandles(view, chunks.worst),
    },
  ];
}
