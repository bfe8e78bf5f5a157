/**
 * The tokens that are furthest apart, found while a batch is summed.
 *
 * @module
 */
import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { TopList } from "../../core/summaries/index.ts";
import type { WorstToken } from "../../results/worst.ts";
import { describePlace, known } from "./batch-rows.ts";

/** What decides among tokens or sequences that are off by the same; a token's number comes last in it. */
export function formatPlaceKey({ file, handle }: Pick<WorstToken, "file" | "handle">): string {
  return `${file} ${handle}`;
}

/** Puts tokens of a batch into a list. */
export class WorstTokens {
  readonly #list: TopList<WorstToken>;
  readonly #batch: RecordBatch;
  /** The key of a row's tokens without their numbers. */
  #key: string | undefined;
  #keyRow = -1;

  constructor(list: TopList<WorstToken>, batch: RecordBatch) {
    this.#list = list;
    this.#batch = batch;
  }

  /** Tokens with a smaller |Δ| need not be considered. */
  get threshold(): number {
    return this.#list.threshold;
  }

  /** Token `i` of a kernel pass, of this row. */
  consider(row: number, tokens: MaskedTokens, i: number): void {
    const delta = tokens.delta[i]!;
    const score = Math.abs(delta);
    const { threshold } = this.#list;
    if (score < threshold || delta === 0) return;
    const batch = this.#batch;
    const index = tokens.index[i]!;
    const token = index - batch.offsets[row]!;
    // Where every token is off by the same, making each one's entry would take longer than all the rest.
    if (score === threshold && !this.#list.admitsTie(`${this.#rowKey(row)}${token}`)) return;
    this.#list.add({
      ...describePlace(batch, row, token),
      sequence: batch.rows[row]!,
      token,
      turn: tokens.turn[i]!,
      token_id: known(batch.responseTokenIds?.[index] ?? -1, -1),
      delta,
      rollout_logprob: batch.rolloutLogprobs![index]!,
      trainer_logprob: batch.trainerLogprobs![index]!,
      ...(batch.advantages && { advantage: batch.advantages[index]! }),
    });
  }

  #rowKey(row: number): string {
    if (this.#key === undefined || row !== this.#keyRow) {
      this.#key = formatPlaceKey(describePlace(this.#batch, row, 0)).slice(0, -1);
      this.#keyRow = row;
    }
    return this.#key;
  }
}
