import { addRecord, clearRecord, isAccurate, readCount, writeSums } from "./record.ts";
import { RECORD } from "./record-fields.ts";

/** A record per turn, added over rows and converted to sums once, at the end. */
export class TurnRecords {
  /** `[turns × RECORD]`; doubles when a turn does not fit. */
  #records = new Float64Array(0);

  add(turn: number, records: Float64Array, offset: number): void {
    if (turn * RECORD >= this.#records.length) this.#grow(turn);
    addRecord(this.#records, turn * RECORD, records, offset);
  }

  isAccurate(turn: number): boolean {
    return isAccurate(this.#records, turn * RECORD);
  }

  count(turn: number): number {
    return readCount(this.#records, turn * RECORD);
  }

  writeSums(turn: number, sums: Float64Array): void {
    writeSums(this.#records, turn * RECORD, sums, 0);
  }

  #grow(turn: number): void {
    const wider = new Float64Array(Math.max(1, turn * 2) * RECORD);
    // Not zeros: without tokens, the least and the greatest Δ are infinite.
    for (let at = this.#records.length; at < wider.length; at += RECORD) clearRecord(wider, at);
    wider.set(this.#records);
    this.#records = wider;
  }
}
