/**
 * Masks and the edges of turns: tool tokens that count as the policy's, masks shifted by one, and the first and last
 * tokens.
 *
 * @module
 */
import { LEFT_OUT, type View } from "../sample/view.ts";
import { type Concentration, concentrate } from "./concentration.ts";

/** Nats: a policy's own tokens are above this log-prob; tool output that it did not write is below. */
const UNLIKELY = -3;
/** This many unlikely tokens in a row were not written by one policy. */
const FEWEST_IN_A_ROW = 3;

export interface Boundaries {
  /** Rows with a gap in the mask between their own tokens. */
  readonly rowsWithGaps: number;
  readonly rows: number;
  readonly gaps: number;
  /** Gaps with a tool token of mask 1 directly before (after) them. */
  readonly toolBefore: readonly number[];
  readonly toolAfter: readonly number[];
  /** Gaps whose first (last) masked token has log-probs on both sides, like an own token. */
  readonly ownFirstInGap: number;
  readonly ownLastInGap: number;
  /** The id that ends most rows, and how many of these rows end in it with mask 0. */
  readonly ending: Ending;
  readonly first: Concentration;
  readonly last: Concentration;
  /** First tokens of all turns but the first. */
  readonly turnStart: Concentration;
  /** Later tokens of all turns but the first. */
  readonly laterTurns: Concentration;
}

export interface Ending {
  /** Null without token ids. */
  readonly id: number | null;
  readonly rows: number;
  readonly share: number;
  /** Rows whose last token has mask 0 although the trainer finds it as likely as an own token. */
  readonly unmasked: number;
  /** Rows ending in tokens with mask 1 that are 0 for the rollout and unlikely for the trainer. */
  readonly padded: number;
  readonly paddedTokens: readonly number[];
}

export function measureBoundaries(view: View): Boundaries {
  const gaps = findGaps(view);
  const edges = { toolBefore: [] as number[], toolAfter: [] as number[], ownFirst: 0, ownLast: 0 };
  for (const { from, to } of gaps) {
    if (isToolLike(view, from - 1)) edges.toolBefore.push(from - 1);
    if (isToolLike(view, to)) edges.toolAfter.push(to);
    if (isOwnLike(view, from)) edges.ownFirst++;
    if (isOwnLike(view, to - 1)) edges.ownLast++;
  }
  const starts = new Uint8Array(view.tokens);
  for (const { to } of gaps) starts[to] = 1;
  const inLater = markLaterTurns(view, gaps);
  return {
    rows: view.rows.length,
    rowsWithGaps: new Set(gaps.map(({ from }) => view.rowAt[from])).size,
    gaps: gaps.length,
    toolBefore: edges.toolBefore,
    toolAfter: edges.toolAfter,
    ownFirstInGap: edges.ownFirst,
    ownLastInGap: edges.ownLast,
    ending: measureEnding(view),
    first: concentrate(view, (i) => isFirstOwn(view, i)),
    last: concentrate(view, (i) => isLastOwn(view, i)),
    turnStart: concentrate(view, (i) => starts[i] === 1),
    laterTurns: concentrate(view, (i) => inLater[i] === 1 && starts[i] === 0),
  };
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Runs of mask 0 with own tokens on both sides. */
function findGaps(view: View): Gap[] {
  const gaps: Gap[] = [];
  for (let r = 0; r < view.rows.length; r++) {
    const [from, to] = view.span(r);
    let open: number | undefined;
    let seen = false;
    for (let i = from; i < to; i++) {
      if (view.left[i] === LEFT_OUT.masked) {
        if (open === undefined && seen) open = i;
        continue;
      }
      if (open !== undefined) gaps.push({ from: open, to: i });
      open = undefined;
      seen = true;
    }
  }
  return gaps;
}

function markLaterTurns(view: View, gaps: readonly Gap[]): Uint8Array {
  const later = new Uint8Array(view.tokens);
  for (const { to } of gaps) later.fill(1, to, view.span(view.rowAt[to]!)[1]);
  return later;
}

/**
 * Whether the policy did not write a token: the engine has 0 or finds it unlikely, and the trainer finds it unlikely.
 */
function isToolLike(view: View, i: number): boolean {
  if (!view.isOwn(i)) return false;
  const [a, c] = [view.a[i]!, view.c[i]!];
  return c < UNLIKELY && (a === 0 || a < UNLIKELY);
}

/** Whether both sides scored a token, and similarly; engines write 0 for tokens that they did not sample. */
function isOwnLike(view: View, i: number): boolean {
  const [a, c] = [view.a[i]!, view.c[i]!];
  return a !== 0 && a > UNLIKELY && c > UNLIKELY && Math.abs(c - a) < 0.5;
}

export interface ForeignRuns {
  readonly runs: number;
  readonly tokens: readonly number[];
  /** Number of those that are exactly 0 for the rollout. */
  readonly zeros: number;
  /**
   * Number of such runs expected by chance if unlikely tokens were independent: n f³ for n tokens outside the runs, a
   * share f of which is unlikely.
   */
  readonly expected: number;
}

/** Runs of own tokens that both sides find unlikely, or that are exactly 0 for the rollout. */
export function findForeignRuns(view: View): ForeignRuns {
  const tokens: number[] = [];
  let [runs, zeros, own, alone] = [0, 0, 0, 0];
  for (let r = 0; r < view.rows.length; r++) {
    const [from, to] = view.span(r);
    let start = from;
    for (let i = from; i <= to; i++) {
      if (i < to && isToolLike(view, i)) continue;
      if (i < to && view.isOwn(i)) own++;
      if (i - start < FEWEST_IN_A_ROW) alone += i - start;
      else {
        runs++;
        for (let k = start; k < i; k++) {
          tokens.push(k);
          if (view.a[k] === 0) zeros++;
        }
      }
      start = i + 1;
    }
  }
  const others = own + alone;
  return { runs, tokens, zeros, expected: others === 0 ? 0 : others * (alone / others) ** FEWEST_IN_A_ROW };
}

export function isFirstOwn(view: View, i: number): boolean {
  const [from] = view.span(view.rowAt[i]!);
  for (let k = i - 1; k >= from; k--) if (view.left[k] !== LEFT_OUT.masked) return false;
  return true;
}

export function isLastOwn(view: View, i: number): boolean {
  const [, to] = view.span(view.rowAt[i]!);
  for (let k = i + 1; k < to; k++) if (view.left[k] !== LEFT_OUT.masked) return false;
  return true;
}

function measureEnding(view: View): Ending {
  const last = new Map<number, number>();
  for (const { ids } of view.rows) {
    const id = ids?.[ids.length - 1];
    if (id !== undefined) last.set(id, (last.get(id) ?? 0) + 1);
  }
  const [id, rows] = [...last].sort((a, b) => b[1] - a[1])[0] ?? [null, 0];
  let [unmasked, padded] = [0, 0];
  const paddedTokens: number[] = [];
  for (let r = 0; r < view.rows.length; r++) {
    const [from, to] = view.span(r);
    if (to === from) continue;
    if (id !== null && view.rows[r]!.ids?.[to - from - 1] !== id) continue;
    const end = to - 1;
    if (view.left[end] === LEFT_OUT.masked && view.c[end]! > -1) unmasked++;
    const before = paddedTokens.length;
    for (let i = end; i > from && view.isOwn(i) && view.a[i] === 0 && view.c[i]! < UNLIKELY; i--)
      paddedTokens.push(i);
    if (paddedTokens.length > before) padded++;
  }
  return {
    id,
    rows,
    share: view.rows.length === 0 ? 0 : rows / view.rows.length,
    unmasked,
    padded,
    paddedTokens,
  };
}
