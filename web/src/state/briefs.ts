/**
 * The texts and the course of |Δ| of the rows that a list shows: asked for once the list rests, kept for a while.
 *
 * @module
 */
import { signal } from "@preact/signals";
import type { RunInfo } from "../../../src/results/index.ts";
import type { SequenceBrief } from "../../../src/results/wire/index.ts";
import { client } from "../api/client.ts";

/** A quarter of a kilobyte each. */
const MOST_KEPT = 8192;
/** The server gives no more at a time. */
const AT_A_TIME = 256;
/** Whoever scrolls on has no use for what has gone by. */
const REST_MS = 60;

const kept = new Map<number, SequenceBrief>();
/** Read where briefs are drawn, so that what comes is drawn. */
const arrived = signal(0);
let wanted: readonly number[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let run = "";

/** Of a row, once it is there. */
export function readBrief(row: number): SequenceBrief | undefined {
  void arrived.value;
  return kept.get(row);
}

/** Asks for the rows in sight; those asked for before that have not come are not waited for any more. */
export function wantBriefs({ growing, version }: RunInfo, rows: readonly number[]): void {
  if (run !== (growing ?? version)) kept.clear();
  run = growing ?? version;
  wanted = rows.filter((row) => !kept.has(row)).slice(0, AT_A_TIME);
  clearTimeout(timer);
  if (wanted.length > 0) timer = setTimeout(ask, kept.size === 0 ? 0 : REST_MS);
}

async function ask(): Promise<void> {
  const [rows, of] = [wanted, run];
  // A list without its texts is still a list.
  const found = await client.briefs(rows).catch((): ReadonlyMap<number, SequenceBrief> => new Map());
  if (of !== run) return;
  for (const [row, brief] of found) kept.set(row, brief);
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(old);
  }
  arrived.value++;
}
