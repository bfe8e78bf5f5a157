import { NamedColumns } from "./named-columns.ts";
import { createIdColumn, createSingleColumn } from "./packed-column.ts";
import type { RecordBatch } from "./record.ts";
import type { DetailsDraft } from "./sequence-draft.ts";

/** Collects {@link SourceDetails} of the sequences of a batch. */
export class DetailColumns {
  readonly #ids = new NamedColumns<Int32Array>(createIdColumn);
  readonly #rewards = new NamedColumns<Float32Array>(createSingleColumn);
  #promptWidths: number[] = [];
  #promptPadding: number[] = [];

  /** @param index index of the sequence in its batch; `at` is that of its first token */
  push(details: DetailsDraft | undefined, index: number, at: number): void {
    if (details === undefined) return;
    this.#ids.put("attention", at, details.attention);
    this.#ids.put("inputTokenIds", at, details.inputTokenIds);
    this.#rewards.put("tokenRewards", at, details.tokenRewards);
    this.#promptWidths[index] = details.promptWidth ?? -1;
    this.#promptPadding[index] = details.promptPadding ?? -1;
  }

  /** The columns since the last call; empty when no sequence had any. */
  take(length: number, tokens: number): Pick<RecordBatch, "details"> {
    if (this.#promptWidths.length === 0) return {};
    const details = {
      ...this.#ids.take("attention", tokens),
      ...this.#ids.take("inputTokenIds", tokens),
      ...this.#rewards.take("tokenRewards", tokens),
      promptWidths: Int32Array.from({ length }, (_, i) => this.#promptWidths[i] ?? -1),
      promptPadding: Int32Array.from({ length }, (_, i) => this.#promptPadding[i] ?? -1),
    };
    this.#promptWidths = [];
    this.#promptPadding = [];
    return { details };
  }
}
