/**
 * Whether large |Δ| occur at positions (counting the prompt) that are multiples of a number, as if sequences were cut
 * into chunks.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { CLEARLY_OFF } from "./concentration.ts";

export interface Chunks {
  /** Tokens from one chunk's start to the next. */
  readonly chunk: number;
  readonly starts: number;
  /** Chunk starts that are clearly off, and other tokens that are. */
  readonly offAtStarts: number;
  readonly offElsewhere: number;
  readonly worst: readonly number[];
}

const SMALLEST_CHUNK = 4;
const LARGEST_CHUNK = 32768;

/** The chunk size whose starts contain the largest share of the tokens that are clearly off; null without prompts. */
export function measureChunks(view: View): Chunks | null {
  const off = new Map<number, number>();
  const all = new Map<number, number>();
  let total = 0;
  for (let i = 0; i < view.tokens; i++) {
    const position = absolutePosition(view, i);
    if (!view.isOwn(i) || position === undefined) continue;
    all.set(position, (all.get(position) ?? 0) + 1);
    if (Math.abs(view.d[i]!) <= CLEARLY_OFF) continue;
    off.set(position, (off.get(position) ?? 0) + 1);
    total++;
  }
  if (total === 0) return null;
  const last = Math.min(LARGEST_CHUNK, Math.max(...all.keys()));
  let best: Omit<Chunks, "worst"> | null = null;
  for (let chunk = SMALLEST_CHUNK; chunk <= last; chunk++) {
    const found = countStarts(off, all, chunk, last, total);
    if (best === null || separate(found) > separate(best)) best = found;
  }
  return best === null ? null : { ...best, worst: findWorst(view, best.chunk) };
}

function countStarts(
  off: ReadonlyMap<number, number>,
  all: ReadonlyMap<number, number>,
  chunk: number,
  last: number,
  total: number,
): Omit<Chunks, "worst"> {
  let [starts, offAtStarts] = [0, 0];
  for (let position = chunk; position <= last; position += chunk) {
    starts += all.get(position) ?? 0;
    offAtStarts += off.get(position) ?? 0;
  }
  return { chunk, starts, offAtStarts, offElsewhere: total - offAtStarts };
}

/** Balances tokens off at starts against starts that are not off and tokens off elsewhere. */
function separate({ starts, offAtStarts, offElsewhere }: Omit<Chunks, "worst">): number {
  return offAtStarts - 0.5 * (starts - offAtStarts) - 0.5 * offElsewhere;
}

function findWorst(view: View, chunk: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i) || !isChunkStart(view, i, chunk)) continue;
    if (Math.abs(view.d[i]!) > CLEARLY_OFF) found.push(i);
  }
  return found;
}

export function isChunkStart(view: View, i: number, chunk: number): boolean {
  const position = absolutePosition(view, i);
  return position !== undefined && position > 0 && position % chunk === 0;
}

/** Counted from the first prompt token; undefined without prompts. */
export function absolutePosition(view: View, i: number): number | undefined {
  const prompt = view.row(i).prompt;
  return prompt === undefined ? undefined : prompt.length + view.index(i);
}
