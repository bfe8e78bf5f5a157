/**
 * A run of one policy, batch by batch.
 *
 * @module
 */
import { MissingSideError } from "../../core/base/index.ts";
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import { TopList, ValueSketch } from "../../core/summaries/index.ts";
import type { PolicyReport, UnlikelySequence, UnlikelyToken } from "../../results/policy.ts";
import { hasTokenTexts } from "../digits/token-texts.ts";
import { parseNumberToken } from "../digits/vocabulary.ts";
import { openEntropy } from "./entropy.ts";
import { GroupTally, takeTally } from "./group-tally.ts";
import { SequencePerplexity } from "./perplexity.ts";
import { divide, TokenTally } from "./token-tally.ts";

const LISTED = 10;
/** Where groups of positions begin: the first token has its own group. */
const POSITIONS = [0, 1, 10, 100, 1000, 10_000];
const PROBABILITIES = [0, 0.01, 0.1, 0.5, 0.9, 0.99];

/** Everything in the report that comes from the batches. */
export type PolicyRunResult = Pick<
  PolicyReport,
  | "policies"
  | "metrics"
  | "per_step"
  | "per_environment"
  | "per_correctness"
  | "per_turn"
  | "per_position"
  | "per_probability"
  | "unlikely_tokens"
  | "unlikely_sequences"
  | "excluded"
> & {
  readonly sequencesByFile: ReadonlyMap<string, number>;
  /** Whether token texts are known and some are numbers: then their digits need no tokenizer. */
  readonly hasNumberTexts: boolean;
};

export class PolicyRun {
  readonly #policy: "rollout" | "trainer";
  readonly #all = new GroupTally();
  readonly #perStep = new Map<number | null, GroupTally>();
  readonly #perEnvironment = new Map<string, GroupTally>();
  readonly #perCorrectness = new Map<"correct" | "incorrect", GroupTally>();
  readonly #perTurn = new Map<number, TokenTally>();
  readonly #perPosition = POSITIONS.map(() => new TokenTally());
  readonly #perProbability = PROBABILITIES.map(() => 0);
  readonly #surprisals = new ValueSketch(10);
  readonly #perplexity = new SequencePerplexity();
  readonly #ranks = new Set<number>();
  readonly #files = new Map<string, number>();
  readonly #spread = { mean: 0, m2: 0 };
  readonly #tokens = new TopList<UnlikelyToken>(
    LISTED,
    (token) => -token.log_prob,
    ({ handle }) => handle,
  );
  readonly #sequences = new TopList<UnlikelySequence>(
    LISTED,
    (sequence) => -sequence.log_prob_mean,
    ({ handle }) => handle,
  );
  #turnsMax = 0;
  #lacksTexts = false;
  #hasNumbers = false;
  #empty = 0;
  #infinite = 0;
  #missing = 0;

  /** @param policy the policy whose log-probs the batches have */
  constructor(policy: "rollout" | "trainer") {
    this.#policy = policy;
  }

  /** @throws MissingSideError if the batch lacks the policy's log-probs */
  add(batch: RecordBatch): void {
    const logprobs = batch[`${this.#policy}Logprobs`];
    const { file } = batch.provenance;
    if (logprobs === undefined)
      throw new MissingSideError(`there are no ${this.#policy} log-probs`, { at: { file } });
    this.#files.set(file, (this.#files.get(file) ?? 0) + batch.length);
    if (!hasTokenTexts(batch)) this.#lacksTexts = true;
    else if (!this.#hasNumbers) this.#hasNumbers = hasNumber(batch, logprobs);
    const entropyAt = openEntropy(batch, this.#policy);
    for (let row = 0; row < batch.length; row++) this.#addSequence(batch, row, logprobs, entropyAt);
  }

  #addSequence(
    batch: RecordBatch,
    row: number,
    logprobs: ArrayLike<number>,
    entropyAt: (at: number) => number,
  ): void {
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    const own = new TokenTally();
    let infinite = 0;
    let turn = -1;
    let inTurn = false;
    for (let at = start; at < end; at++) {
      const isSampled = batch.responseMask[at] !== 0;
      if (isSampled && !inTurn) turn++;
      inTurn = isSampled;
      if (!isSampled) continue;
      const logprob = logprobs[at]!;
      if (!Number.isFinite(logprob)) {
        if (Number.isNaN(logprob)) this.#missing++;
        else infinite++;
        continue;
      }
      const entropy = entropyAt(at);
      own.add(logprob, entropy);
      takeTally(this.#perTurn, turn, () => new TokenTally()).add(logprob, entropy);
      this.#perPosition[findLast(POSITIONS, at - start)]!.add(logprob, entropy);
      this.#perProbability[findLast(PROBABILITIES, Math.exp(logprob))]!++;
      this.#surprisals.add(-logprob);
      this.#addSpread(logprob);
      if (-logprob >= this.#tokens.threshold) this.#tokens.add(makeToken(batch, row, at, logprob, entropy));
    }
    this.#infinite += infinite;
    this.#turnsMax = Math.max(this.#turnsMax, turn + 1);
    this.#perplexity.add(infinite > 0 ? Number.NEGATIVE_INFINITY : own.sum, own.tokens + infinite);
    if (own.tokens === 0) this.#empty++;
    this.#addGroups(batch, row, own, end - start);
    if (own.mean !== null) this.#sequences.add(makeSequence(batch, row, own.tokens, own.mean));
  }

  #addSpread(logprob: number): void {
    const apart = logprob - this.#spread.mean;
    // The surprisal has been counted already: this is the n-th.
    this.#spread.mean += apart / this.#surprisals.count;
    this.#spread.m2 += apart * (logprob - this.#spread.mean);
  }

  #addGroups(batch: RecordBatch, row: number, tokens: TokenTally, responseTokens: number): void {
    const [step, rank, correct] = [batch.steps[row]!, batch.ranks[row]!, batch.correctness[row]!];
    const environment = batch.environments[row];
    const make = (): GroupTally => new GroupTally();
    const groups = [this.#all, takeTally(this.#perStep, Number.isNaN(step) ? null : step, make)];
    if (environment !== undefined) groups.push(takeTally(this.#perEnvironment, environment, make));
    if (correct === 1 || correct === 0)
      groups.push(takeTally(this.#perCorrectness, correct === 1 ? "correct" : "incorrect", make));
    const outcome = {
      responseTokens,
      entropySum: tokens.entropy,
      entropyTokens: tokens.entropyTokens,
      reward: batch.rewards[row]!,
      correct,
    };
    for (const group of groups) group.add(tokens, outcome);
    if (!Number.isNaN(rank)) this.#ranks.add(rank);
  }

  result(): PolicyRunResult {
    const { tokens } = this.#all.tokens;
    const { zeros, surprisal, entropy, entropyTokens } = this.#all.tokens;
    const isEmpty = tokens === 0;
    const [p50, p90, p99, p999] = this.#surprisals
      .quantiles([0.5, 0.9, 0.99, 0.999])
      .map((value) => (isEmpty ? null : value)) as [number, number, number, number];
    return {
      policies: this.#policy,
      metrics: {
        ...this.#all.figures(),
        ...this.#perplexity.figures(this.#policy),
        steps: [...this.#perStep.keys()].filter((step) => step !== null).length,
        ranks: this.#ranks.size,
        turns_max: this.#turnsMax,
        sequences_empty: this.#empty,
        log_prob_std: isEmpty ? null : Math.sqrt(this.#spread.m2 / tokens),
        log_prob_min: isEmpty ? null : -this.#surprisals.max,
        surprisal_p50: p50,
        surprisal_p90: p90,
        surprisal_p99: p99,
        surprisal_p999: p999,
        surprisal_max: isEmpty ? null : this.#surprisals.max,
        surprisal_entropy_gap: divide(surprisal - entropy, entropyTokens),
        zeros,
      },
      per_step: [...this.#perStep]
        .sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity))
        .map(([step, group]) => ({ step, ...group.figures() })),
      per_environment: [...this.#perEnvironment]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, group]) => ({ name, ...group.figures() })),
      per_correctness: (["correct", "incorrect"] as const).flatMap((name) => {
        const group = this.#perCorrectness.get(name);
        return group === undefined ? [] : [{ name, ...group.figures() }];
      }),
      per_turn: [...this.#perTurn]
        .sort(([a], [b]) => a - b)
        .map(([turn, tally]) => ({ turn, ...tally.figures() })),
      per_position: POSITIONS.flatMap((from, i) => {
        const tally = this.#perPosition[i]!;
        return tally.tokens === 0 ? [] : [{ from, to: POSITIONS[i + 1] ?? null, ...tally.figures() }];
      }),
      per_probability: PROBABILITIES.map((from, i) => ({
        from,
        to: PROBABILITIES[i + 1] ?? 1,
        tokens: this.#perProbability[i]!,
        token_share: divide(this.#perProbability[i]!, tokens) ?? 0,
      })),
      unlikely_tokens: this.#tokens.list(),
      unlikely_sequences: this.#sequences.list(),
      excluded: { infinite: this.#infinite, missing: this.#missing },
      hasNumberTexts: this.#hasNumbers && !this.#lacksTexts,
      sequencesByFile: this.#files,
    };
  }
}

/** Index of the last bound not above the value; bounds ascend from 0. */
function findLast(bounds: readonly number[], value: number): number {
  let at = bounds.length - 1;
  while (at > 0 && bounds[at]! > value) at--;
  return at;
}

function handleAt(batch: RecordBatch, row: number, token?: number): string {
  return formatHandle({
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    sequence: batch.rows[row]!,
    ...(token !== undefined && { token }),
  });
}

function makeToken(
  batch: RecordBatch,
  row: number,
  at: number,
  logprob: number,
  entropy: number,
): UnlikelyToken {
  const id = batch.responseTokenIds?.[at] ?? -1;
  return {
    handle: handleAt(batch, row, at - batch.offsets[row]!),
    token_id: id < 0 ? null : id,
    log_prob: logprob,
    entropy: Number.isFinite(entropy) ? entropy : null,
  };
}

function makeSequence(batch: RecordBatch, row: number, tokens: number, mean: number): UnlikelySequence {
  const reward = batch.rewards[row]!;
  return {
    handle: handleAt(batch, row),
    tokens,
    log_prob_mean: mean,
    ppl: Math.exp(-mean),
    reward: Number.isNaN(reward) ? null : reward,
  };
}

/** Whether any sampled token with a log-prob is a number. */
function hasNumber(
  { tokenTexts = [], offsets, responseMask }: RecordBatch,
  logprobs: ArrayLike<number>,
): boolean {
  return tokenTexts.some((texts, row) =>
    texts?.some((text, t) => {
      const at = offsets[row]! + t;
      return responseMask[at] !== 0 && Number.isFinite(logprobs[at]!) && parseNumberToken(text) !== undefined;
    }),
  );
}
