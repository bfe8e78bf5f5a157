/**
 * Figures of turns for the sequences in sight: few at a time, the ones asked for last first, and no more than a bound.
 *
 * @module
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { client } from "../../api/client.ts";
import { type TurnFigures, turnFigures } from "./turn-figures.ts";

export type TurnsOf = readonly TurnFigures[] | { readonly failed: string };

/** Requests at once: browsers allow six to one server, and the rest of the page needs some. */
const AT_ONCE = 3;
/** Sequences whose figures are kept. */
const KEPT = 5000;

const read = new Map<number, TurnsOf>();
let wanted: number[] = [];
let running = 0;
const changed = signal(0);
/** Grows with every answer: what reads it is drawn again. */
export const turnsRead: ReadonlySignal<number> = changed;

export function turnsOf(sequence: number): TurnsOf | undefined {
  return read.get(sequence);
}

/** Replaces what was wanted: rows that have left the screen are not read any more. */
export function wantTurns(sequences: readonly number[]): void {
  wanted = sequences.filter((sequence) => !read.has(sequence));
  while (running < AT_ONCE && wanted.length > 0) void readNext();
}

async function readNext(): Promise<void> {
  const sequence = wanted.shift();
  if (sequence === undefined) return;
  running++;
  const figures = await client.sequence(sequence).then(
    (answer): TurnsOf => turnFigures(answer),
    (error: unknown): TurnsOf => ({ failed: error instanceof Error ? error.message : String(error) }),
  );
  read.set(sequence, figures);
  for (const old of read.keys()) {
    if (read.size <= KEPT) break;
    read.delete(old);
  }
  running--;
  changed.value++;
  if (running < AT_ONCE) void readNext();
}
