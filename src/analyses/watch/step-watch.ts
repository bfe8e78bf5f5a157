/**
 * Evidence that something changed in a run in progress, valid however often it is checked. Sentences and thresholds of
 * alerts build on it; where it is shown belongs in `src/apps`.
 *
 * @module
 */
import type { ClusterSums, ValueSketch } from "../../core/summaries/index.ts";
import { CLUSTER, CLUSTER_WIDTH } from "../../core/summaries/index.ts";
import { formatNumber } from "../../core/text/index.ts";
import type { WatchAlarm, WatchReport } from "../../results/watch.ts";
import { type ChangeEvidence, ChangeProcess } from "./change-process.ts";
import { LevelProcess } from "./level-process.ts";

/** Chance that a healthy run ever raises an alarm, half of it for each test. */
export const FALSE_ALARM_RATE = 1e-3;
const ALARM = Math.log(2 / FALSE_ALARM_RATE);

/** Stakes on ρ: a share λ per token is bet on ρ > 1, with the factor 1 + λ(ρ − 1). */
const RATIO_BETS = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 1];
/** Stakes on a prompt's mean |Δ|, relative to its bound. */
const DELTA_BETS = [1 / 32, 1 / 8, 1 / 4, 1 / 2];
/** A rise of mean |Δ| by up to this factor is not a change: runs drift. */
const DRIFT = 1.25;
/** With fewer steps and prompts there is nothing that a step could differ from. */
const FEWEST_STEPS = 3;
const FEWEST_PROMPTS = 30;
/** Allowance for the uncertainty of the mean of previous steps, in standard errors. */
const MARGIN = 3;

const NOT_SAMPLED_FROM =
  "mean ρ is above 1: the rollout log-probs no longer describe the distribution that is sampled from";

const ANY_RUN = "the chance of such an alarm in a healthy run is at most 1 in 1,000";
/** What `PromptBets` and `LevelBets` assume, of which one has to hold. */
const STEADY_RUN =
  "the chance of such an alarm is at most 1 in 1,000 in a healthy run, if its prompts are independent or the logarithms of its steps' means follow a normal autoregression";

/** The watched parts of a step: its Δ and its sums by prompt, as slices of a run summary have them. */
export interface WatchedStep {
  readonly step: number;
  readonly deltas: ValueSketch;
  readonly clusters: ClusterSums | undefined;
}

interface StepMean {
  readonly step: number;
  readonly prompts: number;
  /** Σ of the prompts' mean |Δ|, nats. */
  readonly sum: number;
}

/**
 * Follows a run step by step, in order.
 *
 * *Mean ρ* is bet to exceed 1. Given the preceding tokens, a token's ρ has expectation 1 if the rollout log-probs are
 * those of the distribution that was sampled, so the product of 1 + λ(ρ − 1) over tokens has expectation 1, for any
 * number of tokens and prompts and however similar they are. ρ is taken at the lower edge of its cell in the step's
 * sketch, which makes the product smaller. (A mean below 1 has harmless causes, see docs/statistics.md, and is not bet
 * on.)
 *
 * *Mean |Δ|* has risen if two kinds of evidence say so, each of which is sound where the other is not: {@link
 * PromptBets} if a few prompts hold most of it, {@link LevelBets} if the prompts of a step have something in
 * common. A run in which either kind holds raises an alarm no more often than that kind alone would.
 */
export class StepWatch {
  readonly #ratio = new ChangeProcess(RATIO_BETS.length);
  readonly #prompts = new PromptBets();
  readonly #levels = new LevelBets();
  readonly #means: StepMean[] = [];
  readonly #alarms: WatchAlarm[] = [];

  get alarms(): readonly WatchAlarm[] {
    return this.#alarms;
  }

  /**
   * @returns ln of the evidence after this step, nats; for mean |Δ| the largest so far. Alarms at ln(2/0.001) = 7.6
   */
  add({ step, deltas, clusters }: WatchedStep): { readonly ratio: number; readonly delta: number } {
    // Mean |Δ| of each prompt, nats.
    const table = clusters?.table ?? new Float64Array(0);
    const means: number[] = [];
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH)
      means.push(table[at + CLUSTER.deltaAbs]! / table[at + CLUSTER.tokens]!);
    const mean: StepMean = { step, prompts: means.length, sum: means.reduce((all, one) => all + one, 0) };
    this.#means.push(mean);
    const ratio = this.#ratio.add(step, betOnRatios(deltas));
    const delta = this.#weighRise(this.#prompts.add(step, means));
    this.#tell("unit_mean", step, ratio, () => `${NOT_SAMPLED_FROM} (seen at step ${step}; ${ANY_RUN})`);
    this.#tell(
      "delta_abs_mean",
      step,
      delta,
      () => `${this.#describeRise(delta.since)} (seen at step ${step}; ${STEADY_RUN})`,
    );
    return { ratio: ratio.logEvidence, delta: delta.logEvidence };
  }

  /** The smaller of the two kinds of evidence; that of levels, which costs more, is taken once it can decide. */
  #weighRise(ofPrompts: number): ChangeEvidence {
    if (ofPrompts < ALARM) return { logEvidence: ofPrompts, since: Number.NaN };
    const { logEvidence, since } = this.#levels.read(this.#means);
    return { logEvidence: Math.min(ofPrompts, logEvidence), since };
  }

  #describeRise(since: number): string {
    const at = this.#means.findIndex(({ step }) => step === since);
    const [before, now] = [this.#means.slice(0, at), this.#means.slice(at)].map(averagePrompts) as [
      number,
      number,
    ];
    return `the mean |Δ| of prompts rose to ${formatNumber(now)} nats, ${formatNumber(now / before)} times the ${formatNumber(before)} of all earlier steps`;
  }

  /** The first alarm of a test is final: later steps change neither it nor its change point. */
  #tell(
    test: WatchAlarm["test"],
    step: number,
    { logEvidence, since }: ChangeEvidence,
    say: () => string,
  ): void {
    if (logEvidence < ALARM || this.#alarms.some((alarm) => alarm.test === test)) return;
    const text = `since step ${since}: ${say()}`;
    this.#alarms.push({ test, since, at: step, log_evidence: logEvidence, text });
  }
}

function averagePrompts(means: readonly StepMean[]): number {
  let [sum, prompts] = [0, 0];
  for (const one of means) {
    sum += one.sum;
    prompts += one.prompts;
  }
  return sum / prompts;
}

/**
 * Bets on single prompts, sound if they are independent, whatever the distribution of their mean |Δ|: that these exceed
 * 1.25 times the mean of all previous steps, plus three of its standard errors, by the product over prompts of
 * 1 + λ(mean |Δ| / bound − 1). The means are capped at 8 times the bound, so that no single prompt decides.
 */
class PromptBets {
  readonly #process = new ChangeProcess(DELTA_BETS.length);
  /** Previous steps: number of steps and prompts, Σ of their mean |Δ|, Σ of the squares. */
  readonly #before: [steps: number, prompts: number, sum: number, squares: number] = [0, 0, 0, 0];
  #largest = Number.NEGATIVE_INFINITY;

  /** @returns ln of the largest evidence so far, nats */
  add(step: number, means: readonly number[]): number {
    const { logEvidence } = this.#process.add(step, this.#bet(means));
    this.#largest = Math.max(this.#largest, logEvidence);
    this.#before[0]++;
    this.#before[1] += means.length;
    for (const mean of means) {
      this.#before[2] += mean;
      this.#before[3] += mean * mean;
    }
    return this.#largest;
  }

  #bet(means: readonly number[]): number[] {
    const [steps, prompts, sum, squares] = this.#before;
    const mean = sum / prompts;
    const error = Math.sqrt(Math.max(0, squares / prompts - mean * mean) / prompts);
    const bound = DRIFT * (mean + MARGIN * error);
    if (steps < FEWEST_STEPS || prompts < FEWEST_PROMPTS || !(bound > 0)) return DELTA_BETS.map(() => 0);
    return DELTA_BETS.map((bet) =>
      means.reduce((all, one) => all + Math.log1p(bet * (Math.min(one / bound, 8) - 1)), 0),
    );
  }
}

/**
 * Bets on the levels of steps, sound if these vary as `level-process.ts` says, however alike the prompts of a step are.
 * Evidence counts once two steps in a row have it: a single step that is far off is not a change.
 */
class LevelBets {
  readonly #process = new LevelProcess(Math.log(DRIFT));
  #steps = 0;
  #last = Number.NEGATIVE_INFINITY;
  #largest: ChangeEvidence = { logEvidence: Number.NEGATIVE_INFINITY, since: Number.NaN };

  /**
   * @param means of all steps so far; those that it already had are passed over
   * @returns the largest evidence so far, with its change point
   */
  read(means: readonly StepMean[]): ChangeEvidence {
    for (; this.#steps < means.length; this.#steps++) this.#add(means[this.#steps]!);
    return this.#largest;
  }

  #add({ step, prompts, sum }: StepMean): void {
    // A step that is equal bit for bit, or has no tokens, has no level.
    if (!(sum > 0)) return;
    const { logEvidence, since } = this.#process.add(step, Math.log(sum / prompts), prompts);
    const both = Math.min(logEvidence, this.#last);
    this.#last = logEvidence;
    if (both > this.#largest.logEvidence) this.#largest = { logEvidence: both, since };
  }
}

/** Watches all steps of a run and reports the findings at each. */
export class RunWatch {
  readonly #watch = new StepWatch();
  readonly #perStep: WatchReport["per_step"][number][] = [];

  /** @param one the next step, in ascending order; a step without a number is left out */
  add(one: WatchedStep): void {
    if (Number.isNaN(one.step)) return;
    const { ratio, delta } = this.#watch.add(one);
    this.#perStep.push({ step: one.step, unit_mean: ratio, delta_abs_mean: delta });
  }

  report(): WatchReport {
    const { alarms } = this.#watch;
    return { false_alarm_rate: FALSE_ALARM_RATE, alarm_at: ALARM, alarms, per_step: this.#perStep };
  }
}

function betOnRatios(deltas: ValueSketch): number[] {
  const logs = RATIO_BETS.map(() => 0);
  const { lows, counts } = deltas.columns();
  for (let cell = 0; cell < counts.length; cell++) {
    const excess = Math.expm1(Math.max(lows[cell]!, deltas.min));
    for (let i = 0; i < logs.length; i++) logs[i]! += counts[cell]! * Math.log1p(RATIO_BETS[i]! * excess);
  }
  return logs;
}
