import { formatNumber, formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { absolutePosition } from "../features/chunks.ts";
import { measureLogitNoise, NoiseSums } from "../features/logit-noise.ts";
import type { View } from "../sample/view.ts";
import { listHandles } from "./handles.ts";

/** Nats: two float32 log-softmaxes of the same logits differ by a unit in the last place or two. */
const EQUAL = 4e-6;
/** Tokens before the position, and sequences that have tokens on both of its sides. */
const FEWEST_BEFORE = 200;
const FEWEST_ACROSS = 8;
/** Nats: surer tokens round to the same log-prob whatever the kernel does. */
const UNSURE = -1e-3;
/** Share of unsure tokens that differ: before the position, and after it. */
const MOST_BEFORE = 0.03;
const FEWEST_AFTER = 0.3;
/** Nats of logit noise: rounding of bfloat16 has up to that, a context that is cut or read otherwise more. */
const MOST_NOISE = 0.15;
/** Rounding raises as many tokens as it lowers: the share of either, which a few large Δ do not decide. */
const EVEN_SIGNS = 0.35;

/**
 * Both sides equal up to one position, counted from the first prompt token, and apart by rounding from there on: a
 * kernel that sums in another order takes over. A shorter window begins at a position too, but changes what is seen, so
 * it changes more than the last bits.
 */
export function examineKernels(view: View): Clue[] {
  const tokens = listPositions(view);
  const from = findPosition(tokens);
  if (from === undefined) return [];
  const before = tokens.filter(({ position }) => position < from);
  const after = tokens.filter(({ position }) => position >= from);
  const [early, late] = [shareApart(before), shareApart(after)];
  if (before.length < FEWEST_BEFORE || early > MOST_BEFORE || late < FEWEST_AFTER) return [];
  const across = countAcross(view, before, after);
  const apart = after.filter(({ isApart }) => isApart).map(({ i }) => i);
  const raised = apart.filter((i) => view.d[i]! > 0).length / apart.length;
  const all = listFrom(view, from);
  const noise = measureNoise(view, all);
  if (across < FEWEST_ACROSS || noise > MOST_NOISE || Math.min(raised, 1 - raised) < EVEN_SIGNS) return [];
  for (const i of all) view.claim(i);
  return [
    {
      cause: "kernel_boundary",
      weight: hold(4 + Math.log(across) + Math.log10(before.length)),
      sentence: `Before position ${from} (prompt included) the two sides are equal at ${formatShare(1 - early)} of ${plural(before.length, "unsure token")}; from there on, ${formatShare(late)} of ${plural(after.length, "unsure token")} differ, by rounding: logit noise of ${formatNumber(noise)} nats, with both signs.`,
      figures: {
        position: from,
        tokens_before: before.length,
        differ_before: early,
        tokens_after: after.length,
        differ_after: late,
        raised,
        logit_noise: noise,
      },
      handles: listHandles(view, apart),
    },
  ];
}

interface Placed {
  readonly i: number;
  readonly position: number;
  readonly isApart: boolean;
}

/** Unsure tokens by position; none without prompts, since a response's own positions begin at different ones. */
function listPositions(view: View): Placed[] {
  const tokens: Placed[] = [];
  for (let i = 0; i < view.tokens; i++) {
    const position = view.isOwn(i) && view.a[i]! < UNSURE ? absolutePosition(view, i) : undefined;
    if (position !== undefined) tokens.push({ i, position, isApart: Math.abs(view.d[i]!) > EQUAL });
  }
  return tokens.sort((x, y) => x.position - y.position);
}

/** The position that splits the tokens best into two shares of what is apart, by likelihood; undefined without any. */
function findPosition(tokens: readonly Placed[]): number | undefined {
  const all = tokens.filter(({ isApart }) => isApart).length;
  let [early, best] = [0, Number.NEGATIVE_INFINITY];
  let from: number | undefined;
  for (const [at, { position, isApart }] of tokens.entries()) {
    if (at > 0 && position !== tokens[at - 1]!.position) {
      const fit = logLikelihood(early, at) + logLikelihood(all - early, tokens.length - at);
      if (fit > best) [best, from] = [fit, position];
    }
    if (isApart) early++;
  }
  return from;
}

/** Of `hits` among `count` Bernoulli draws, at the share that fits them best, nats. */
function logLikelihood(hits: number, count: number): number {
  const term = (part: number): number => (part === 0 ? 0 : part * Math.log(part / count));
  return term(hits) + term(count - hits);
}

function shareApart(tokens: readonly Placed[]): number {
  return tokens.length === 0 ? 0 : tokens.filter(({ isApart }) => isApart).length / tokens.length;
}

function countAcross(view: View, before: readonly Placed[], after: readonly Placed[]): number {
  const rows = new Set(before.map(({ i }) => view.rowAt[i]!));
  return new Set(after.map(({ i }) => view.rowAt[i]!).filter((row) => rows.has(row))).size;
}

/** All tokens from a position on, sure ones too. */
function listFrom(view: View, from: number): number[] {
  const tokens: number[] = [];
  for (let i = 0; i < view.tokens; i++)
    if (view.isOwn(i) && (absolutePosition(view, i) ?? -1) >= from) tokens.push(i);
  return tokens;
}

function measureNoise(view: View, tokens: readonly number[]): number {
  const sums = new NoiseSums();
  for (const i of tokens) sums.add(view.a[i]!, view.d[i]!);
  return measureLogitNoise(sums).logitNoiseMean;
}
