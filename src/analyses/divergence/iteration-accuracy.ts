import type { RecordBatch } from "../../core/schema/index.ts";
import { counts, layoutOf, part, Sums } from "../../core/summaries/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import { isCorrect } from "./record-facts.ts";
import { countOnes } from "./token-facts.ts";

type Accuracy = Pick<
  DivergenceRecord,
  "iteration_responses" | "iteration_accuracy" | "iteration_correct_tokens"
>;

/**
 * How many of an iteration's responses are correct, logged or not: the baseline for a log's share of correct answers.
 */
export class IterationAccuracy extends Sums {
  static readonly layout = layoutOf<IterationAccuracy>({
    counts: part(counts(["responses", "correct", "tokens", "correctTokens"]), (accuracy) => accuracy.#counts),
  });
  readonly #counts = { responses: 0, correct: 0, tokens: 0, correctTokens: 0 };

  add(batch: RecordBatch, rowStart: number, rowEnd: number): void {
    for (let row = rowStart; row < rowEnd; row++) {
      const correct = isCorrect(batch, row);
      if (correct === null) continue;
      const tokens = countOnes(batch.responseMask.subarray(batch.offsets[row]!, batch.offsets[row + 1]!));
      this.#counts.responses++;
      this.#counts.tokens += tokens;
      if (!correct) continue;
      this.#counts.correct++;
      this.#counts.correctTokens += tokens;
    }
  }

  /** Empty where no response is known to be correct or not, or the known ones have no token. */
  get fields(): Accuracy {
    if (this.#counts.tokens === 0) return {};
    return {
      iteration_responses: this.#counts.responses,
      iteration_accuracy: this.#counts.correct / this.#counts.responses,
      iteration_correct_tokens: this.#counts.correctTokens / this.#counts.tokens,
    };
  }
}
