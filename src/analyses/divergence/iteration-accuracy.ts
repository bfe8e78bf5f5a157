import type { ByteReader, ByteWriter } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import { isCorrect } from "./record-facts.ts";
import { countOnes } from "./token-facts.ts";

type Accuracy = Pick<
  DivergenceRecord,
  "iteration_responses" | "iteration_accuracy" | "iteration_correct_tokens"
>;

/**
 * How many of an iteration's responses are correct, logged or not: what a log's share of correct answers is to be compared
 * with.
 */
export class IterationAccuracy {
  #responses = 0;
  #correct = 0;
  #tokens = 0;
  #correctTokens = 0;

  add(batch: RecordBatch, rowStart: number, rowEnd: number): void {
    for (let row = rowStart; row < rowEnd; row++) {
      const correct = isCorrect(batch, row);
      if (correct === null) continue;
      const tokens = countOnes(batch.responseMask.subarray(batch.offsets[row]!, batch.offsets[row + 1]!));
      this.#responses++;
      this.#tokens += tokens;
      if (!correct) continue;
      this.#correct++;
      this.#correctTokens += tokens;
    }
  }

  merge(other: IterationAccuracy): void {
    this.#responses += other.#responses;
    this.#correct += other.#correct;
    this.#tokens += other.#tokens;
    this.#correctTokens += other.#correctTokens;
  }

  encode(to: ByteWriter): void {
    for (const count of [this.#responses, this.#correct, this.#tokens, this.#correctTokens]) to.whole(count);
  }

  /** Adds what `encode` wrote. */
  mergeFrom(from: ByteReader): void {
    this.#responses += from.whole();
    this.#correct += from.whole();
    this.#tokens += from.whole();
    this.#correctTokens += from.whole();
  }

  /** Empty where no response is known to be correct or not, or the known ones have no token. */
  get fields(): Accuracy {
    if (this.#tokens === 0) return {};
    return {
      iteration_responses: this.#responses,
      iteration_accuracy: this.#correct / this.#responses,
      iteration_correct_tokens: this.#correctTokens / this.#tokens,
    };
  }
}
