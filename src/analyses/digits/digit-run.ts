/**
 * A run's digits, batch by batch.
 *
 * @module
 */
import { MissingSideError, SchemaError } from "../../core/base/index.ts";
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type {
  DigitExample,
  DigitFigures,
  DigitSequence,
  DigitsReport,
  DigitTruth,
} from "../../results/digits.ts";
import { absentFigures } from "./absent-figures.ts";
import { compareNumbers, findAnswer, formatDecimal, parseTruth } from "./answer.ts";
import { DigitLosses } from "./digit-losses.ts";
import { listSequence } from "./list-sequence.ts";
import { findNumbers, type NumberSpan } from "./numbers.ts";
import { PROXY_METHOD } from "./proxy.ts";
import { bonusReward, confidenceReward } from "./rewards.ts";
import { formatRowHandle, type Row } from "./row.ts";
import { DigitTally, Foremost, GapTally } from "./tallies.ts";
import { TruthTally } from "./truth-tally.ts";
import type { DigitVocabulary } from "./vocabulary.ts";

/** How many fit in a report. */
const EXAMPLES = 5;

/** Everything in the report that comes from the batches. */
export type DigitRunResult = Omit<
  DigitsReport,
  "schemaVersion" | "kind" | "run" | "vocabulary" | "findings" | "sources"
>;

export interface DigitRunOptions {
  /** Where the ground truth comes from, for the report; without it there is none. */
  readonly truthSource?: string;
  /** The trainer column is a copy of the rollout column: figures of the trainer policy are left out. */
  readonly oneSided?: boolean;
  /** The only policy in the input; default `rollout`. */
  readonly policy?: "rollout" | "trainer";
  /** Number of digits and answers in each list of examples; default 5. */
  readonly examples?: number;
  /** How many sequences to list, from the first; default none. */
  readonly sequences?: number;
}

export class DigitRun {
  readonly #vocabulary: DigitVocabulary;
  readonly #options: DigitRunOptions;
  #sequences = 0;
  #withDigits = 0;
  #tokens = 0;
  #withoutLogprob = 0;
  #numbers = 0;
  #numberLogprob = 0;
  #multi = { tokens: 0, logprob: 0 };
  #rewards = { confidence: 0, bonus: 0 };
  readonly #pooled = new DigitTally();
  readonly #perStep = new Map<number | null, DigitTally>();
  readonly #perPlace = new Map<number, DigitTally>();
  readonly #perDigit = new Map<number, DigitTally>();
  readonly #byCorrectness = new Map<number, DigitTally>();
  readonly #digitGap = new GapTally();
  readonly #otherGap = new GapTally();
  readonly #losses: DigitLosses;
  readonly #leastSure: Foremost<DigitExample>;
  readonly #widest: Foremost<DigitExample>;
  readonly #truth: TruthTally;
  readonly #listed: DigitSequence[] = [];
  #truths = { given: 0, noNumber: 0, noAnswer: 0 };

  constructor(vocabulary: DigitVocabulary, options: DigitRunOptions = {}) {
    this.#vocabulary = vocabulary;
    this.#options = options;
    const { examples = EXAMPLES } = options;
    this.#leastSure = new Foremost(examples);
    this.#widest = new Foremost(examples);
    this.#truth = new TruthTally(examples);
    this.#losses = new DigitLosses(vocabulary, this.#policy);
  }

  /**
   * @param truths ground truth of each sequence, undefined for those without
   * @throws SchemaError if the batch has no token ids: without them digits cannot be found
   * @throws MissingSideError if it has no rollout log-probs
   */
  add(batch: RecordBatch, truths?: readonly (string | undefined)[]): void {
    const { responseTokenIds: ids, responseMask: mask, offsets } = batch;
    const policy = this.#policy;
    const rollout = batch[`${policy}Logprobs`];
    const at = { file: batch.provenance.file };
    if (!ids) {
      throw new SchemaError("there are no response token ids, which are needed to find digits", {
        at,
        likely: "the file names tokens neither by id nor by text",
        hint: "name their column: --tokens COLUMN",
      });
    }
    if (!rollout) {
      throw new MissingSideError(`there are no ${policy} log-probs`, {
        at,
        hint: `name their column: --${policy} COLUMN`,
      });
    }
    const own = this.#options.oneSided || policy === "trainer" ? undefined : batch.trainerLogprobs;
    const trainer = own ?? new Float32Array(rollout.length).fill(NaN);
    for (let row = 0; row < batch.length; row++) {
      const span = { ids, mask, start: offsets[row]!, end: offsets[row + 1]! };
      this.#addRow({ batch, row, span, rollout, trainer }, truths?.[row]);
    }
  }

  get #policy(): "rollout" | "trainer" {
    return this.#options.policy ?? "rollout";
  }

  #addRow(sequence: Row, truth: string | undefined): void {
    const { batch, row, span, rollout, trainer } = sequence;
    this.#sequences++;
    const numbers = findNumbers(this.#vocabulary, span);
    const own = new DigitTally();
    for (const number of numbers) this.#addNumber(sequence, number, own);
    for (let t = span.start; t < span.end; t++) {
      if (span.mask[t] === 0) continue;
      this.#tokens++;
      if (!this.#vocabulary.tokens.has(span.ids[t]!)) this.#otherGap.add(rollout[t]!, trainer[t]!);
    }
    const average = own.average;
    if (average !== null) {
      const confidence = { avg_digit_log_prob: average, total_digits: own.digits };
      this.#withDigits++;
      this.#rewards.confidence += confidenceReward(1, confidence);
      if (bonusReward(1, confidence) > 1) this.#rewards.bonus++;
    }
    if (truth !== undefined) this.#addTruth(sequence, numbers, truth, batch.correctness[row]!);
    if (this.#sequences <= (this.#options.sequences ?? 0)) this.#list(sequence, numbers, truth);
  }

  #list({ batch, row, span, rollout, trainer }: Row, numbers: readonly NumberSpan[], text?: string): void {
    const truth = text === undefined ? undefined : parseTruth(text);
    const answer = findAnswer(this.#vocabulary, span, numbers);
    this.#listed.push(
      listSequence(numbers, {
        handle: formatHandle({
          step: batch.steps[row]!,
          rank: batch.ranks[row]!,
          sequence: batch.rows[row]!,
        }),
        file: batch.provenance.file,
        span,
        rollout,
        trainer,
        reward: batch.rewards[row]!,
        truth: text,
        answer: answer && formatDecimal(answer),
        isRight: answer && truth && compareNumbers(answer, truth).right,
      }),
    );
  }

  #addNumber(sequence: Row, number: NumberSpan, own: DigitTally): void {
    const { batch, row, span, rollout, trainer } = sequence;
    let total = 0;
    for (const { at, digits, place } of number.parts) {
      const logprob = rollout[at]!;
      total += logprob;
      if (!Number.isFinite(logprob)) {
        this.#withoutLogprob++;
        continue;
      }
      if (digits.length > 1) {
        this.#multi.tokens++;
        this.#multi.logprob += logprob;
        continue;
      }
      const [digit, other] = [Number(digits), trainer[at]!];
      const step = batch.steps[row]!;
      own.add(logprob, other);
      this.#pooled.add(logprob, other);
      getTally(this.#perStep, Number.isNaN(step) ? null : step).add(logprob, other);
      getTally(this.#perPlace, place).add(logprob, other);
      getTally(this.#perDigit, digit).add(logprob, other);
      const correctness = batch.correctness[row]!;
      if (correctness === 1 || correctness === 0)
        getTally(this.#byCorrectness, correctness).add(logprob, other);
      this.#digitGap.add(logprob, other);
      this.#losses.add(sequence, at, digit, "sampled");
      const example = (): DigitExample => ({
        handle: formatRowHandle(sequence, at - span.start),
        digit,
        place,
        number: formatDecimal(number),
        rollout_logprob: logprob,
        trainer_logprob: Number.isFinite(other) ? other : null,
      });
      this.#leastSure.offer(-logprob, example);
      if (Number.isFinite(other)) this.#widest.offer(Math.abs(other - logprob), example);
    }
    if (!Number.isFinite(total)) return;
    this.#numbers++;
    this.#numberLogprob += total;
  }

  #addTruth(sequence: Row, numbers: readonly NumberSpan[], text: string, correctness: number): void {
    const { span, rollout, trainer } = sequence;
    this.#truths.given++;
    const truth = parseTruth(text);
    const answer = findAnswer(this.#vocabulary, span, numbers);
    if (!truth) this.#truths.noNumber++;
    else if (!answer) this.#truths.noAnswer++;
    if (!truth || !answer) return;
    const handle = formatRowHandle(sequence, answer.parts[0]!.at - span.start);
    this.#truth.add(answer, truth, { rollout, trainer }, correctness, handle, (at, digit) => {
      if (Number.isFinite(rollout[at]!)) this.#losses.add(sequence, at, digit, "truth");
    });
  }

  result(): DigitRunResult {
    const pooled = this.#pooled.figures();
    const withDigits = this.#withDigits;
    const mean = (sum: number, count: number): number | null => (count === 0 ? null : sum / count);
    const gap = this.#digitGap.gap();
    const result = {
      policy: this.#policy,
      metrics: {
        ...pooled,
        sequences: this.#sequences,
        sequences_with_digits: withDigits,
        tokens: this.#tokens,
        total_digits: pooled.digits,
        multi_digit_tokens: this.#multi.tokens,
        multi_digit_avg_log_prob: mean(this.#multi.logprob, this.#multi.tokens),
        numbers: this.#numbers,
        number_avg_log_prob: mean(this.#numberLogprob, this.#numbers),
        digits_without_log_prob: this.#withoutLogprob,
        method: PROXY_METHOD,
      },
      comparison: gap.tokens === 0 ? null : { digits: gap, others: this.#otherGap.gap() },
      per_step: listTallies(this.#perStep, "step"),
      per_place: listTallies(this.#perPlace, "place"),
      per_digit: listTallies(this.#perDigit, "digit"),
      right_sequences: this.#byCorrectness.get(1)?.figures() ?? null,
      wrong_sequences: this.#byCorrectness.get(0)?.figures() ?? null,
      rewards:
        withDigits === 0
          ? null
          : {
              sequences: withDigits,
              confidence_mean: this.#rewards.confidence / withDigits,
              bonus_share: this.#rewards.bonus / withDigits,
            },
      distributions: this.#losses.distributions("sampled"),
      truth: this.#truthResult(),
      least_sure: this.#leastSure.list(),
      widest_gaps: this.#widest.list(),
      per_sequence: this.#options.sequences === undefined ? null : this.#listed,
    };
    return { ...result, absent: absentFigures(result) };
  }

  #truthResult(): DigitTruth | null {
    const { truthSource } = this.#options;
    if (truthSource === undefined) return null;
    return {
      source: truthSource,
      sequences_with_truth: this.#truths.given,
      truth_not_a_number: this.#truths.noNumber,
      without_answer: this.#truths.noAnswer,
      ...this.#truth.sums(),
      distributions: this.#losses.distributions("truth"),
    };
  }
}

function getTally<K>(tallies: Map<K, DigitTally>, key: K): DigitTally {
  let tally = tallies.get(key);
  if (!tally) {
    tally = new DigitTally();
    tallies.set(key, tally);
  }
  return tally;
}

function listTallies<Name extends string, Key extends number | null>(
  tallies: ReadonlyMap<Key, DigitTally>,
  name: Name,
): (DigitFigures & Record<Name, Key>)[] {
  const order = (key: Key): number => key ?? Number.POSITIVE_INFINITY;
  return [...tallies]
    .sort(([a], [b]) => order(a) - order(b))
    .map(([key, tally]) => ({ ...({ [name]: key } as Record<Name, Key>), ...tally.figures() }));
}
