/**
 * The most divergent tokens, found while a batch is summed.
 *
 * @module
 */
import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { TopList } from "../../core/summaries/index.ts";
import type { WorstToken } from "../../results/worst.ts";
import { describePlace, known } from "./batch-rows.ts";

/** Breaks ties between equally divergent tokens or sequences; a token's number comes last in it. */
export function formatPlaceKey({ file, handle }: Pick<WorstToken, "file" | "handle">): string {
  return `${file} ${handle}`;
}

/** Adds tokens of a batch to a list. */
export class WorstTokens {
  readonly #list: TopList<WorstToken>;
  readonly #batch: RecordBatch;
  /** The key of a row's tokens, without the token number. */
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

  /** Considers token `i` of a kernel pass over this row. */
  consider(row: number, tokens: MaskedTokens, i: number): void {
    const delta = tokens.delta[i]!;
    const score = Math.abs(delta);
    const { threshold } = this.#list;
    if (score < threshold || delta === 0) return;
    const batch = this.#batch;
    const index = tokens.index[i]!;
    const token = index - batch.offsets[row]!;
    // If all tokens are equally divergent, building an entry for each would take longer than everything else.
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
