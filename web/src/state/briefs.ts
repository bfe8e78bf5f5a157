/**
 * Texts and |Δ| sparklines of the rows that a list shows: requested once scrolling stops, cached for a while.
 *
 * @module
 */
import { signal } from "@preact/signals";
import type { RunInfo } from "../../../src/results/view.ts";
import type { SequenceBrief } from "../../../src/results/wire/briefs.ts";
import { client } from "../api/client.ts";

/** A quarter of a kilobyte each. */
const MOST_KEPT = 8192;
/** The server's limit for one request. */
const AT_A_TIME = 256;
/** Milliseconds without scrolling: rows that only fly by are not requested. */
const REST_MS = 60;

const kept = new Map<number, SequenceBrief>();
/** Components that draw briefs read it, so that they redraw when some arrive. */
const arrived = signal(0);
let wanted: readonly number[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let run = "";

/** The brief of a row, once it has arrived. */
export function readBrief(row: number): SequenceBrief | undefined {
  void arrived.value;
  return kept.get(row);
}

/** Requests the rows in sight; earlier requests that are still open are abandoned. */
export function wantBriefs({ growing, version }: RunInfo, rows: readonly number[]): void {
  if (run !== (growing ?? version)) kept.clear();
  run = growing ?? version;
  wanted = rows.filter((row) => !kept.has(row)).slice(0, AT_A_TIME);
  clearTimeout(timer);
  if (wanted.length > 0) timer = setTimeout(ask, kept.size === 0 ? 0 : REST_MS);
}

async function ask(): Promise<void> {
  const [rows, of] = [wanted, run];
  // The list is useful without its texts.
  const found = await client.briefs(rows).catch((): ReadonlyMap<number, SequenceBrief> => new Map());
  if (of !== run) return;
  for (const [row, brief] of found) kept.set(row, brief);
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(old);
  }
  arrived.value++;
}
