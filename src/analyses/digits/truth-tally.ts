import { orNull } from "../../core/base/index.ts";
import { median } from "../../core/statistics/median.ts";
import type { CalibrationBin, ConfidenceFigures, DigitTruth, WrongAnswer } from "../../results/digits.ts";
import { compareNumbers, type Decimal, formatDecimal } from "./answer.ts";
import type { NumberSpan } from "./numbers.ts";
import { Foremost } from "./tallies.ts";

const BINS = 10;

/** Sums about ground truth that need more than the digits. */
export type TruthSums = Omit<
  DigitTruth,
  "source" | "distributions" | "sequences_with_truth" | "truth_not_a_number" | "without_answer"
>;

/** Log-probs of an answer's tokens, by index; NaN for missing ones. */
export interface AnswerLogprobs {
  readonly rollout: ArrayLike<number>;
  readonly trainer: ArrayLike<number>;
}

/** Sums answers against ground truth. */
export class TruthTally {
  #numbers = 0;
  #right = 0;
  #digits = 0;
  #digitsRight = 0;
  #digitDistance = 0;
  #disagrees = 0;
  readonly #distances: number[] = [];
  readonly #wrongDistances: number[] = [];
  readonly #rightDigits = new ConfidenceTally();
  readonly #wrongDigits = new ConfidenceTally();
  readonly #places = new Map<number, { readonly tally: ConfidenceTally; right: number }>();
  readonly #bins = Array.from({ length: BINS }, () => ({ digits: 0, confidence: 0, right: 0 }));
  readonly #surestWrong: Foremost<WrongAnswer>;

  constructor(examples: number) {
    this.#surestWrong = new Foremost(examples);
  }

  /**
   * @param correctness according to the data: 1, 0 or NaN
   * @param onDigit called with the token and true digit of each single-digit token of the answer
   */
  add(
    answer: NumberSpan,
    truth: Decimal,
    { rollout, trainer }: AnswerLogprobs,
    correctness: number,
    handle: string,
    onDigit: (at: number, truth: number) => void,
  ): void {
    const { right, distance, places } = compareNumbers(answer, truth);
    this.#numbers++;
    this.#distances.push(distance);
    if (right) this.#right++;
    else this.#wrongDistances.push(distance);
    if (correctness === (right ? 0 : 1)) this.#disagrees++;
    const highest = places[0]!.place;
    for (const place of places) {
      this.#digits++;
      if (place.right) this.#digitsRight++;
      this.#digitDistance += Math.abs((place.answer ?? 0) - place.truth);
    }
    let total = 0;
    for (const { at, digits, place } of answer.parts) {
      const logprob = rollout[at]!;
      total += logprob;
      if (digits.length !== 1) continue;
      const compared = places[highest - place]!;
      onDigit(at, compared.truth);
      if (Number.isFinite(logprob)) this.#addDigit(place, compared.right, logprob, trainer[at]!);
    }
    if (!right && Number.isFinite(total)) {
      this.#surestWrong.offer(total, () => ({
        handle,
        answer: formatDecimal(answer),
        truth: formatDecimal(truth),
        rollout_logprob: total,
      }));
    }
  }

  #addDigit(place: number, right: boolean, rollout: number, trainer: number): void {
    (right ? this.#rightDigits : this.#wrongDigits).add(rollout, trainer);
    let held = this.#places.get(place);
    if (!held) {
      held = { tally: new ConfidenceTally(), right: 0 };
      this.#places.set(place, held);
    }
    held.tally.add(rollout, trainer);
    if (right) held.right++;
    const p = Math.exp(rollout);
    const bin = this.#bins[Math.max(0, Math.min(BINS - 1, Math.ceil(p * BINS) - 1))]!;
    bin.digits++;
    bin.confidence += p;
    if (right) bin.right++;
  }

  sums(): TruthSums {
    const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
    const bins = this.#bins.flatMap(({ digits, confidence, right }, i): CalibrationBin[] =>
      digits === 0
        ? []
        : [
            {
              from: i / BINS,
              to: (i + 1) / BINS,
              digits,
              confidence: confidence / digits,
              accuracy: right / digits,
            },
          ],
    );
    const binned = bins.reduce((sum, { digits }) => sum + digits, 0);
    const error = bins.reduce(
      (sum, { digits, confidence, accuracy }) => sum + digits * Math.abs(confidence - accuracy),
      0,
    );
    return {
      numbers: this.#numbers,
      numbers_right: this.#right,
      number_accuracy: share(this.#right, this.#numbers),
      distance_mean: share(
        this.#distances.reduce((sum, distance) => sum + distance, 0),
        this.#numbers,
      ),
      distance_median: orNull(median(this.#distances)),
      distance_wrong_median: orNull(median(this.#wrongDistances)),
      digits: this.#digits,
      digits_right: this.#digitsRight,
      digit_accuracy: share(this.#digitsRight, this.#digits),
      digit_distance_mean: share(this.#digitDistance, this.#digits),
      right_digits: this.#rightDigits.figures(),
      wrong_digits: this.#wrongDigits.figures(),
      per_place: [...this.#places]
        .sort(([a], [b]) => a - b)
        .map(([place, { tally, right }]) => {
          const figures = tally.figures();
          return { place, ...figures, right, accuracy: right / figures.digits };
        }),
      calibration: bins,
      calibration_error: share(error, binned),
      disagrees_with_correctness: this.#disagrees,
      surest_wrong: this.#surestWrong.list(),
    };
  }
}

class ConfidenceTally {
  #digits = 0;
  #rollout = 0;
  #probability = 0;
  #trainer = 0;

  add(rollout: number, trainer: number): void {
    this.#digits++;
    this.#rollout += rollout;
    this.#probability += Math.exp(rollout);
    this.#trainer += trainer;
  }

  figures(): ConfidenceFigures {
    const n = this.#digits;
    return {
      digits: n,
      avg_log_prob: n === 0 ? null : this.#rollout / n,
      confidence: n === 0 ? null : this.#probability / n,
      trainer_avg_log_prob: n === 0 || !Number.isFinite(this.#trainer) ? null : this.#trainer / n,
    };
  }
}
