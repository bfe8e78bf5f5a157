/**
 * Where in sequences, and in which rows, the two sides differ: profiles over position, prompt length and packing order.
 */
import type { View } from "../sample/view.ts";
import { absolutePosition } from "./chunks.ts";
import { findPacking, type Packing } from "./packing.ts";
import { SeenIds } from "./seen-ids.ts";
import { SUREST } from "./spread.ts";
import { mean, median, spearman } from "./stats.ts";

export interface PlaceBin {
  /** Mean position of its tokens, counting the prompt if known. */
  readonly position: number;
  readonly tokens: number;
  /** Mean |logit p_trainer − logit p_rollout|, capped at 3. */
  readonly gap: number;
  readonly medianGap: number;
  /** Mean |Δ|, nats. */
  readonly abs: number;
}

export interface Places {
  readonly bins: readonly PlaceBin[];
  /** Position where the level jumps most, with the mean gaps before and after. */
  readonly kink: {
    readonly position: number;
    readonly before: number;
    readonly after: number;
    readonly z: number;
  };
  /** Mean gap at the first four response tokens, and at the rest. */
  readonly early: number;
  readonly later: number;
  /** Spearman's r and z of a row's mean gap with the length of its prompt, and with the length of its response. */
  readonly promptLength: Relation;
  readonly responseLength: Relation;
  readonly packing: Packing | null;
  /** Mean gap at tokens whose id occurs in the prompt, and at the rest. */
  readonly copied: number;
  readonly written: number;
  /** Mean gap per row. */
  readonly rowGaps: readonly number[];
  /** Share of tokens whose recorded position id does not follow the previous one, and where the sides continue. */
  readonly positionJumps: PositionJumps | null;
}

export interface Relation {
  readonly r: number;
  readonly z: number;
}

export interface PositionJumps {
  readonly tokens: number;
  readonly jumps: number;
  /** Rows whose first response token does not directly follow their prompt. */
  readonly wrongStarts: number;
  readonly rows: number;
}

const BINS = 16;
const MOST = 3;

/** |logit p_trainer − logit p_rollout| capped at 3; undefined if a side is too sure for its remaining digits. */
export function gapAt(view: View, i: number): number | undefined {
  const [a, c] = [view.a[i]!, view.c[i]!];
  if (!view.isOwn(i) || a >= 0 || c >= 0 || (a > SUREST && c > SUREST)) return undefined;
  const { rollout, trainer } = view.logits;
  return Math.min(MOST, Math.abs(trainer[i]! - rollout[i]!));
}

export function measurePlaces(view: View): Places {
  const tokens = listTokens(view);
  const bins = binTokens(tokens);
  const rowGaps = averageRows(view, tokens);
  const usable = view.rows.map((_, r) => r).filter((r) => Number.isFinite(rowGaps[r]));
  const relate = (value: (r: number) => number): Relation =>
    spearman(
      usable.map((r) => rowGaps[r]!),
      usable.map(value),
    );
  return {
    bins,
    kink: findKink(bins),
    early: averageGap(tokens, (t) => tokens.indexes[t]! < 4),
    later: averageGap(tokens, (t) => tokens.indexes[t]! >= 4),
    promptLength: relate((r) => view.rows[r]!.prompt?.length ?? 0),
    responseLength: relate((r) => view.rows[r]!.mask.length),
    packing: findPacking(view, rowGaps),
    copied: averageGap(tokens, (t) => tokens.copied[t] === 1),
    written: averageGap(tokens, (t) => tokens.copied[t] === 0),
    rowGaps,
    positionJumps: countJumps(view),
  };
}

/** Tokens with a gap, as columns of which the first `count` entries are used. */
interface Tokens {
  count: number;
  readonly positions: Float64Array;
  readonly indexes: Int32Array;
  readonly gaps: Float64Array;
  /** |Δ| */
  readonly sizes: Float64Array;
  readonly rows: Int32Array;
  /** 1 if the token's id occurs in the prompt. */
  readonly copied: Uint8Array;
}

function listTokens(view: View): Tokens {
  const most = view.tokens;
  const tokens: Tokens = {
    count: 0,
    positions: new Float64Array(most),
    indexes: new Int32Array(most),
    gaps: new Float64Array(most),
    sizes: new Float64Array(most),
    rows: new Int32Array(most),
    copied: new Uint8Array(most),
  };
  const inPrompt = new SeenIds();
  for (let r = 0; r < view.rows.length; r++) {
    const { prompt, ids } = view.rows[r]!;
    inPrompt.clear();
    if (prompt !== undefined) inPrompt.addAll(prompt);
    const [from, to] = view.span(r);
    for (let i = from; i < to; i++) {
      const gap = gapAt(view, i);
      if (gap === undefined) continue;
      const t = tokens.count++;
      tokens.positions[t] = absolutePosition(view, i) ?? i - from;
      tokens.indexes[t] = i - from;
      tokens.gaps[t] = gap;
      tokens.sizes[t] = Math.abs(view.d[i]!);
      tokens.rows[t] = r;
      tokens.copied[t] = inPrompt.has(ids?.[i - from] ?? -1) ? 1 : 0;
    }
  }
  return tokens;
}

/** NaN if empty. */
function averageGap({ count, gaps }: Tokens, isKept: (token: number) => boolean): number {
  let [sum, kept] = [0, 0];
  for (let t = 0; t < count; t++) {
    if (!isKept(t)) continue;
    sum += gaps[t]!;
    kept++;
  }
  return sum / kept;
}

/** Bins with roughly equal numbers of tokens. */
function binTokens(tokens: Tokens): PlaceBin[] {
  const { count, positions, gaps, sizes } = tokens;
  const order = sortByPosition(tokens);
  const size = Math.max(1, Math.ceil(count / BINS));
  const bins: PlaceBin[] = [];
  for (let from = 0; from < count; from += size) {
    const to = Math.min(count, from + size);
    const [n, ownGaps] = [to - from, new Float64Array(to - from)];
    let [position, gap, abs] = [0, 0, 0];
    for (let at = from; at < to; at++) {
      const token = order[at]!;
      ownGaps[at - from] = gaps[token]!;
      position += positions[token]!;
      gap += gaps[token]!;
      abs += sizes[token]!;
    }
    bins.push({
      position: position / n,
      tokens: n,
      gap: gap / n,
      medianGap: median(ownGaps),
      abs: abs / n,
    });
  }
  return bins;
}

/** A stable sort. */
function sortByPosition({ count, positions }: Tokens): Uint32Array {
  // Encodes position and place in one integer, which a typed array sorts without a callback.
  const keys = new Float64Array(count);
  for (let t = 0; t < count; t++) keys[t] = positions[t]! * count + t;
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = keys[i]! - Math.floor(keys[i]! / count) * count;
  return order;
}

/** Of all ways to split the bins in two, the one whose halves differ most relative to the spread within each. */
function findKink(bins: readonly PlaceBin[]): Places["kink"] {
  let best = { position: Number.NaN, before: Number.NaN, after: Number.NaN, z: 0 };
  for (let cut = 2; cut <= bins.length - 2; cut++) {
    const [left, right] = [bins.slice(0, cut), bins.slice(cut)].map((part) => part.map(({ gap }) => gap)) as [
      number[],
      number[],
    ];
    const [before, after] = [mean(left), mean(right)];
    const spread = (values: number[], center: number): number =>
      values.reduce((sum, value) => sum + (value - center) ** 2, 0);
    const error = Math.sqrt((spread(left, before) + spread(right, after)) / (bins.length - 2));
    const z = (after - before) / (error * Math.sqrt(1 / left.length + 1 / right.length) + 1e-12);
    if (Math.abs(z) > Math.abs(best.z)) best = { position: bins[cut]!.position, before, after, z };
  }
  return best;
}

function averageRows(view: View, { count, rows, gaps }: Tokens): number[] {
  const [sums, counts] = [new Float64Array(view.rows.length), new Float64Array(view.rows.length)];
  for (let t = 0; t < count; t++) {
    const row = rows[t]!;
    sums[row]! += gaps[t]!;
    counts[row]!++;
  }
  return Array.from(sums, (sum, row) => (counts[row]! < 4 ? Number.NaN : sum / counts[row]!));
}

function countJumps(view: View): PositionJumps | null {
  let [tokens, jumps, wrongStarts, rows] = [0, 0, 0, 0];
  for (const { positions, prompt } of view.rows) {
    if (positions === undefined || positions.length === 0) continue;
    rows++;
    if (prompt !== undefined && positions[0] !== prompt.length) wrongStarts++;
    for (let t = 1; t < positions.length; t++) {
      tokens++;
      if (positions[t] !== positions[t - 1]! + 1) jumps++;
    }
  }
  return rows === 0 ? null : { tokens, jumps, wrongStarts, rows };
}
