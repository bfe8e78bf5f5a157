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
import { type ChangeEvidence, ChangeProcess, type ChangeProcessJson } from "./change-process.ts";

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

/** The watched parts of a step: its Δ and its sums by prompt, as slices of a run summary have them. */
export interface WatchedStep {
  readonly step: number;
  readonly deltas: ValueSketch;
  readonly clusters: ClusterSums | undefined;
}

export interface StepWatchJson {
  readonly version: 1;
  readonly ratio: ChangeProcessJson;
  readonly delta: ChangeProcessJson;
  readonly before: readonly number[];
  readonly alarms: readonly WatchAlarm[];
}

/**
 * Follows a run step by step, in order. Its state is a few numbers, so that it can be stored between checks.
 *
 * *Mean ρ* is bet to exceed 1. Given the preceding tokens, a token's ρ has expectation 1 if the rollout log-probs are
 * those of the distribution that was sampled, so the product of 1 + λ(ρ − 1) over tokens has expectation 1, for any
 * number of tokens and prompts and however similar they are. ρ is taken at the lower edge of its cell in the step's
 * sketch, which makes the product smaller. (A mean below 1 has harmless causes, see docs/statistics.md, and is not bet
 * on.)
 *
 * *Mean |Δ|* is bet to exceed 1.25 times that of all previous steps, plus three of its standard errors: the product
 * over prompts of 1 + λ(mean |Δ| / bound − 1), with the means capped at 8 times the bound.
 */
export class StepWatch {
  #ratio = new ChangeProcess(RATIO_BETS.length);
  #delta = new ChangeProcess(DELTA_BETS.length);
  /** Previous steps: number of steps and prompts, Σ of their mean |Δ|, Σ of the squares. */
  #before: [steps: number, prompts: number, sum: number, squares: number] = [0, 0, 0, 0];
  #alarms: WatchAlarm[] = [];

  get alarms(): readonly WatchAlarm[] {
    return this.#alarms;
  }

  /** @returns ln of the evidence after this step, nats; alarms at ln(2/0.001) = 7.6 */
  add({ step, deltas, clusters }: WatchedStep): { readonly ratio: number; readonly delta: number } {
    // Mean |Δ| of each prompt, nats.
    const table = clusters?.table ?? new Float64Array(0);
    const means: number[] = [];
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH)
      means.push(table[at + CLUSTER.deltaAbs]! / table[at + CLUSTER.tokens]!);
    const ratio = this.#ratio.add(step, betOnRatios(deltas));
    const delta = this.#delta.add(step, this.#betOnDeltas(means));
    this.#tell("unit_mean", step, ratio, NOT_SAMPLED_FROM);
    this.#tell("delta_abs_mean", step, delta, this.#describeRise(means));
    this.#before[0]++;
    this.#before[1] += means.length;
    for (const mean of means) {
      this.#before[2] += mean;
      this.#before[3] += mean * mean;
    }
    return { ratio: ratio.logEvidence, delta: delta.logEvidence };
  }

  #betOnDeltas(means: readonly number[]): number[] {
    const [steps, prompts, sum, squares] = this.#before;
    const mean = sum / prompts;
    const error = Math.sqrt(Math.max(0, squares / prompts - mean * mean) / prompts);
    const bound = DRIFT * (mean + MARGIN * error);
    if (steps < FEWEST_STEPS || prompts < FEWEST_PROMPTS || !(bound > 0)) return DELTA_BETS.map(() => 0);
    return DELTA_BETS.map((bet) =>
      means.reduce((all, one) => all + Math.log1p(bet * (Math.min(one / bound, 8) - 1)), 0),
    );
  }

  /** The step that raises an alarm has a mean above the bound, so the factor is above {@link DRIFT}. */
  #describeRise(means: readonly number[]): string {
    const [, prompts, sum] = this.#before;
    const [now, before] = [means.reduce((all, one) => all + one, 0) / means.length, sum / prompts];
    return `the mean |Δ| of prompts rose to ${formatNumber(now)} nats, ${formatNumber(now / before)} times the ${formatNumber(before)} of all earlier steps`;
  }

  /** The first alarm of a test is final: later steps change neither it nor its change point. */
  #tell(test: WatchAlarm["test"], step: number, { logEvidence, since }: ChangeEvidence, what: string): void {
    if (logEvidence < ALARM || this.#alarms.some((alarm) => alarm.test === test)) return;
    const text = `since step ${since}: ${what} (seen at step ${step}; the chance of such an alarm in a healthy run is at most 1 in 1,000)`;
    this.#alarms.push({ test, since, at: step, log_evidence: logEvidence, text });
  }

  toJSON(): StepWatchJson {
    return {
      version: 1,
      ratio: this.#ratio.toJSON(),
      delta: this.#delta.toJSON(),
      before: this.#before,
      alarms: this.#alarms,
    };
  }

  static fromJSON(json: StepWatchJson): StepWatch {
    const watch = new StepWatch();
    watch.#ratio = ChangeProcess.fromJSON(json.ratio);
    watch.#delta = ChangeProcess.fromJSON(json.delta);
    const [steps = 0, prompts = 0, sum = 0, squares = 0] = json.before;
    watch.#before = [steps, prompts, sum, squares];
    watch.#alarms = [...json.alarms];
    return watch;
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
