/**
 * Evidence that the level of a run's steps rose for good, where healthy steps vary too: an e-process against every
 * normal autoregression.
 *
 * While nothing changes, the level y_t (the logarithm of a step's mean) is taken to be μ + x_t + ε_t, with
 * x_t = φ x_{t−1} + η_t, and ε_t what a finite number of prompts leaves open, η and ε normal. Their mean and spread are
 * unknown and are not estimated but averaged over, with the right Haar prior 1/σ: a likelihood ratio of two such averages
 * is a fair bet for every mean and spread (Lai, Annals of Statistics 4, 1976; Pérez-Ortiz, Lardy, de Heide and Grünwald,
 * Annals of Statistics 52, 2024). How long an effect lasts (φ) and how much of the variation is noise (Var ε / Var η) are
 * unknown too; the denominator is the largest over a grid of both (Wasserman, Ramdas and Balakrishnan, PNAS 117, 2020).
 * φ = 1 is among them, a level that wanders.
 *
 * The numerator adds a rise to μ: for each step at which it may start, at once or over ten steps, of a size that is
 * normal with a standard deviation of {@link SIZE} forecast errors. Likelihoods come from a Kalman filter that carries μ
 * and the rise as regression coefficients (de Jong, Annals of Statistics 19, 1991).
 *
 * @module
 */
import { addLogs } from "./add-logs.ts";

/** Persistence φ, and the variance of noise in units of that of η, at the first step's number of prompts. */
const PATTERNS: readonly (readonly [persistence: number, noise: number])[] = [
  [0, 0],
  ...[0.6, 0.9, 1].flatMap((persistence) => [0, 4, 32].map((noise) => [persistence, noise] as const)),
];
/** Steps over which a rise may spread. */
const RAMPS = [1, 10];
/** Expected size of a rise, in forecast errors. */
const SIZE = 8;
/** A rise that started earlier was found or will not be. */
const STARTS_KEPT = 32;
/** Start j has the share j^−¼ − (j + 1)^−¼ of the stake; these sum to 1. */
const SHARE_POWER = -0.25;
/** Steps are taken to vary by 1 % at least, so that equal levels in a short run are not taken for certain. */
const LEAST_SPREAD = 0.01;
/** A variance that is divided by, small beside 1. */
const NEARLY_ZERO = 1e-9;
/** With two levels, their mean and spread are just known. */
const FEWEST_LEVELS = 3;

/** What the levels so far show. */
export interface LevelEvidence {
  /** ln of the evidence for a rise, nats; −∞ if none of the least size is likely. */
  readonly logEvidence: number;
  /** The step at which the most likely rise starts; NaN if there is none. */
  readonly since: number;
}

export class LevelProcess {
  readonly #least: number;
  readonly #patterns = PATTERNS.map(([persistence, noise]) => new Pattern(persistence, noise));
  readonly #rises: Rise[] = [];
  #levels = 0;
  #first = { level: Number.NaN, prompts: Number.NaN };

  /** @param least a rise by less than this, in nats of the level, is not one */
  constructor(least: number) {
    this.#least = least;
  }

  /**
   * @param level the logarithm of the step's mean, finite
   * @param prompts how many the mean is of
   */
  add(step: number, level: number, prompts: number): LevelEvidence {
    this.#levels++;
    // Only differences matter; those from the first level leave no large numbers to cancel.
    if (this.#levels === 1) this.#first = { level, prompts };
    const share = this.#levels ** SHARE_POWER - (this.#levels + 1) ** SHARE_POWER;
    const logShare = Math.log(share / RAMPS.length);
    for (const ramp of RAMPS) this.#rises.push(new Rise(step, ramp, logShare));
    if (this.#rises.length > STARTS_KEPT * RAMPS.length) this.#rises.splice(0, RAMPS.length);
    for (const pattern of this.#patterns)
      pattern.add(level - this.#first.level, this.#first.prompts / prompts);
    for (const rise of this.#rises) rise.add(this.#patterns);
    return this.#weigh();
  }

  #weigh(): LevelEvidence {
    let [logEvidence, best, since] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    if (this.#levels < FEWEST_LEVELS) return { logEvidence, since };
    const logs = this.#patterns.map(({ logLikelihood }) => logLikelihood);
    const top = Math.max(...logs);
    const relative = logs.map((log) => log - top);
    for (const rise of this.#rises) {
      const { logWealth, size } = rise.weigh(this.#patterns, relative);
      // Falls and small rises are left out of the sum, which only lowers it.
      if (!(size >= this.#least)) continue;
      logEvidence = addLogs(logEvidence, logWealth);
      if (logWealth < best) continue;
      best = logWealth;
      since = rise.step;
    }
    return { logEvidence, since };
  }
}

/** One way in which healthy levels may vary, and how well it explains them. */
class Pattern {
  readonly persistence: number;
  readonly #noise: number;
  /** Forecasts of the level and of a constant 1, and the variance of x, in units of that of η. */
  #level = 0;
  #constant = 0;
  #variance: number;
  #levels = 0;
  #logVariances = 0;
  #squares = 0;
  /** Weighted sums of the errors of forecasts: of the constant squared, and of constant and level. */
  constants = 0;
  crossed = 0;
  /** Weighted sum of squares about μ. */
  residual = 0;
  /** Errors of the last forecasts, their variance, and the share of an error that x keeps. */
  last = { level: 0, constant: 1, variance: 1, gain: 0 };

  constructor(persistence: number, noise: number) {
    this.persistence = persistence;
    this.#noise = noise;
    // A level that wanders starts at μ, any other is stationary.
    this.#variance = persistence < 1 ? 1 / (1 - persistence ** 2) : NEARLY_ZERO;
  }

  /** @param noise variance of what prompts leave open, relative to the first step's */
  add(level: number, noise: number): void {
    const variance = this.#variance + this.#noise * noise;
    const gain = this.#variance / variance;
    const error = { level: level - this.#level, constant: 1 - this.#constant, variance, gain };
    this.last = error;
    this.#levels++;
    this.#logVariances += Math.log(variance);
    this.constants += error.constant ** 2 / variance;
    this.crossed += (error.constant * error.level) / variance;
    this.#squares += error.level ** 2 / variance;
    const least = (this.degreesOfFreedom * LEAST_SPREAD ** 2) / variance;
    this.residual = Math.max(0, this.#squares - this.crossed ** 2 / this.constants) + least;
    this.#level = this.persistence * (this.#level + gain * error.level);
    this.#constant = this.persistence * (this.#constant + gain * error.constant);
    this.#variance = this.persistence ** 2 * this.#variance * (1 - gain) + 1;
  }

  get degreesOfFreedom(): number {
    return this.#levels - 1;
  }

  /** Averaged over mean and spread; up to a summand that all patterns have. */
  get logLikelihood(): number {
    const { constants, degreesOfFreedom, residual } = this;
    return -(this.#logVariances + Math.log(constants) + degreesOfFreedom * Math.log(residual)) / 2;
  }
}

/** Fields of the fit of a rise under one pattern: its forecast, the precision of its size, and weighted sums of errors. */
const FIT = { forecast: 0, precision: 1, squares: 2, constants: 3, levels: 4, width: 5 };

/** A rise that starts at one step, fitted under each pattern. */
class Rise {
  readonly step: number;
  readonly #ramp: number;
  readonly #logShare: number;
  readonly #fits = new Float64Array(PATTERNS.length * FIT.width);
  #steps = 0;

  constructor(step: number, ramp: number, logShare: number) {
    this.step = step;
    this.#ramp = ramp;
    this.#logShare = logShare;
  }

  add(patterns: readonly Pattern[]): void {
    this.#steps++;
    const [fits, height] = [this.#fits, Math.min(1, this.#steps / this.#ramp)];
    for (let i = 0; i < patterns.length; i++) {
      const { last, persistence } = patterns[i]!;
      const at = i * FIT.width;
      if (this.#steps === 1) fits[at + FIT.precision] = 1 / (SIZE ** 2 * last.variance);
      const error = height - fits[at + FIT.forecast]!;
      const weighted = error / last.variance;
      fits[at + FIT.squares]! += weighted * error;
      fits[at + FIT.constants]! += weighted * last.constant;
      fits[at + FIT.levels]! += weighted * last.level;
      fits[at + FIT.forecast] = persistence * (fits[at + FIT.forecast]! + last.gain * error);
    }
  }

  /**
   * @param relative ln of each pattern's likelihood, relative to the largest
   * @returns ln of the wealth, and the expected size of the rise, nats of the level
   */
  weigh(
    patterns: readonly Pattern[],
    relative: readonly number[],
  ): { readonly logWealth: number; readonly size: number } {
    const fits = this.#fits;
    let [all, size] = [Number.NEGATIVE_INFINITY, 0];
    for (let i = 0; i < patterns.length; i++) {
      const { constants, crossed, residual, degreesOfFreedom } = patterns[i]!;
      const at = i * FIT.width;
      const precision = fits[at + FIT.precision]!;
      const alike = fits[at + FIT.constants]! / constants;
      const information = fits[at + FIT.squares]! + precision - alike * fits[at + FIT.constants]!;
      const explained = fits[at + FIT.levels]! - alike * crossed;
      const left = Math.max(1 - explained ** 2 / (information * residual), Number.EPSILON);
      const log = relative[i]! + (Math.log(precision / information) - degreesOfFreedom * Math.log(left)) / 2;
      all = addLogs(all, log);
      size += Math.exp(log - all) * (explained / information - size);
    }
    return { logWealth: this.#logShare + all - Math.log(patterns.length), size };
  }
}
