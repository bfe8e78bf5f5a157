/**
 * Sums over digits.
 *
 * @module
 */
import { computeK3, computeProbDiff } from "../../core/kernels/index.ts";
import type { DigitFigures, DigitGap } from "../../results/digits.ts";

/** Log-probs of a set of digits under both policies. */
export class DigitTally {
  digits = 0;
  #rollout = 0;
  #trainer = 0;
  #deltaAbs = 0;
  #both = 0;

  /** @param trainer NaN if not known */
  add(rollout: number, trainer: number): void {
    this.digits++;
    this.#rollout += rollout;
    if (!Number.isFinite(trainer)) return;
    this.#both++;
    this.#trainer += trainer;
    this.#deltaAbs += Math.abs(trainer - rollout);
  }

  /** Mean rollout log-prob; null without digits. */
  get average(): number | null {
    return this.digits === 0 ? null : this.#rollout / this.digits;
  }

  figures(): DigitFigures {
    const average = this.average;
    const complete = this.#both === this.digits && this.digits > 0;
    const trainer = complete ? this.#trainer / this.digits : null;
    return {
      digits: this.digits,
      avg_digit_log_prob: average,
      ntl_loss: average === null ? null : -average,
      trainer_avg_digit_log_prob: trainer,
      trainer_ntl_loss: trainer === null ? null : -trainer,
      delta_abs_mean: this.#both === 0 ? null : this.#deltaAbs / this.#both,
    };
  }
}

/** How far apart the policies are on a set of tokens. */
export class GapTally {
  #tokens = 0;
  #delta = 0;
  #deltaAbs = 0;
  #deltaAbsMax = 0;
  #k3 = 0;
  #probDiff = 0;
  #probDiffMax = 0;

  /** Tokens without finite log-probs on both sides do not count. */
  add(rollout: number, trainer: number): void {
    const delta = trainer - rollout;
    if (!Number.isFinite(delta)) return;
    const probDiff = Math.abs(computeProbDiff(rollout, trainer));
    this.#tokens++;
    this.#delta += delta;
    this.#deltaAbs += Math.abs(delta);
    this.#deltaAbsMax = Math.max(this.#deltaAbsMax, Math.abs(delta));
    this.#k3 += computeK3(delta);
    this.#probDiff += probDiff;
    this.#probDiffMax = Math.max(this.#probDiffMax, probDiff);
  }

  gap(): DigitGap {
    const n = this.#tokens;
    const mean = (sum: number): number | null => (n === 0 ? null : sum / n);
    return {
      tokens: n,
      delta_mean: mean(this.#delta),
      delta_abs_mean: mean(this.#deltaAbs),
      delta_abs_max: n === 0 ? null : this.#deltaAbsMax,
      k3: mean(this.#k3),
      prob_diff_mean: mean(this.#probDiff),
      prob_diff_max: n === 0 ? null : this.#probDiffMax,
    };
  }
}

/** The `most` items with the largest weight, heaviest first. */
export class Foremost<Item> {
  readonly #held: { readonly weight: number; readonly item: Item }[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Makes the item only if it is kept. */
  offer(weight: number, make: () => Item): void {
    const held = this.#held;
    if (held.length === this.#most && !(weight > (held.at(-1)?.weight ?? Number.POSITIVE_INFINITY))) return;
    const at = held.findIndex((other) => weight > other.weight);
    held.splice(at < 0 ? held.length : at, 0, { weight, item: make() });
    if (held.length > this.#most) held.pop();
  }

  list(): Item[] {
    return this.#held.map(({ item }) => item);
  }
}
