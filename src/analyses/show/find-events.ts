import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type { LargeToken } from "../../core/summaries/index.ts";
import type { MistakeEvents } from "../../results/events.ts";
import { takeRows } from "../filter/take-rows.ts";
import { eventsOf } from "../report/events.ts";
import { RunSummary } from "../report/run-summary.ts";
import { type FoundSequence, handleAt } from "./find-sequence.ts";

/** Finds the most important mistakes of a run, and keeps the answers in which they are largest. */
export class EventFinder {
  readonly #summary = new RunSummary();
  /** By file and handle. */
  readonly #kept = new Map<string, FoundSequence>();

  add(batch: RecordBatch): void {
    this.#summary.add(batch);
    const places = new Set(this.#summary.largeTokens.detailed().flatMap((list) => list.map(nameOf)));
    for (const name of this.#kept.keys()) if (!places.has(name)) this.#kept.delete(name);
    if (places.size === this.#kept.size) return;
    for (let row = 0; row < batch.length; row++) {
      const handle = handleAt(batch, row);
      const name = `${batch.provenance.file} ${handle}`;
      if (!places.has(name) || this.#kept.has(name)) continue;
      this.#kept.set(name, { batch: takeRows(batch, Uint32Array.of(row)), row: 0, handle });
    }
  }

  result(): MistakeEvents {
    return eventsOf(this.#summary);
  }

  /** The answer in which a mistake is shown. */
  sequenceOf({ file, handle }: MistakeEvents["list"][number]): FoundSequence | undefined {
    return this.#kept.get(`${file} ${handle.slice(0, handle.lastIndexOf(".t"))}`);
  }
}

function nameOf({ token: { file, step, rank, row } }: { readonly token: LargeToken }): string {
  return `${file} ${formatHandle({ step, rank, sequence: row })}`;
}
