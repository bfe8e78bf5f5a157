import type { Bounded, DigitDistribution } from "../../results/digits.ts";
import {
  DIGITS,
  distanceBounds,
  distancesTo,
  type Interval,
  type PartialDistribution,
  ratioBounds,
  sumBounds,
} from "./bounds.ts";
import { digitLosses } from "./distribution.ts";

const FIGURES = [
  "digit_mass",
  "expected_digit",
  "ntl_mse",
  "ntl_wasserstein",
  "ntl_mae",
  "digit_accuracy",
  "raw_expected_digit",
  "raw_ntl_mse",
  "raw_ntl_wasserstein",
  "raw_ntl_mae",
] as const;
type Figure = (typeof FIGURES)[number];
type Figures = Readonly<Record<Figure, Bounded>>;

const ONES: readonly number[] = Object.freeze(DIGITS.map(() => 1));

/** Losses of one policy's digit distributions, summed over positions. */
export class LossTally {
  #positions = 0;
  #complete = 0;
  #unknown = 0;
  #unaccounted = 0;
  #unaccountedMax = 0;
  readonly #sums = Object.fromEntries(
    FIGURES.map((name) => [name, { estimate: 0, low: 0, high: 0 }]),
  ) as Record<Figure, { estimate: number; low: number; high: number }>;

  add(partial: PartialDistribution, truth: number): void {
    const figures = positionFigures(partial, truth);
    if (!figures) {
      this.#unknown++;
      return;
    }
    this.#positions++;
    if (partial.complete) this.#complete++;
    this.#unaccounted += partial.unaccounted;
    this.#unaccountedMax = Math.max(this.#unaccountedMax, partial.unaccounted);
    for (const name of FIGURES) {
      const sum = this.#sums[name];
      sum.estimate += figures[name].estimate;
      sum.low += figures[name].low;
      sum.high += figures[name].high;
    }
  }

  /** Adds a position without any record. */
  addUnknown(): void {
    this.#unknown++;
  }

  /** Undefined if no position was known. */
  distribution(
    policy: string,
    k: number,
    against: DigitDistribution["against"],
  ): DigitDistribution | undefined {
    const n = this.#positions;
    if (n === 0) return undefined;
    const means = Object.fromEntries(
      FIGURES.map((name) => {
        const { estimate, low, high } = this.#sums[name];
        return [name, { estimate: estimate / n, low: low / n, high: high / n }];
      }),
    ) as Record<Figure, Bounded>;
    return {
      policy,
      k,
      against,
      positions: n,
      complete: this.#complete,
      unknown: this.#unknown,
      unaccounted_mean: this.#unaccounted / n,
      unaccounted_max: this.#unaccountedMax,
      ...means,
    };
  }
}

/** All figures of a position; undefined if no digit is known. */
export function positionFigures(partial: PartialDistribution, truth: number): Figures | undefined {
  const { known } = partial;
  const mass = known.reduce((sum, p) => sum + p, 0);
  if (!(mass > 0)) return undefined;
  const own = digitLosses(
    known.map((p) => p / mass),
    truth,
  );
  const raw = digitLosses(known, truth);
  const distances = distancesTo(truth);
  const expected = ratioBounds(DIGITS, partial)!;
  const rawExpected = sumBounds(DIGITS, partial);
  const [mae, rawMae] = [distanceBounds(expected, truth), distanceBounds(rawExpected, truth)];
  return {
    digit_mass: bounded(mass, sumBounds(ONES, partial)),
    expected_digit: bounded(own.expected, expected),
    ntl_mse: bounded(own.mse, squared(mae)),
    ntl_wasserstein: bounded(own.wasserstein, ratioBounds(distances, partial)!),
    ntl_mae: bounded(own.mae, mae),
    digit_accuracy: bounded(own.argmax === truth ? 1 : 0, accuracyBounds(partial, truth)),
    raw_expected_digit: bounded(raw.expected, rawExpected),
    raw_ntl_mse: bounded(raw.mse, squared(rawMae)),
    raw_ntl_wasserstein: bounded(raw.wasserstein, sumBounds(distances, partial)),
    raw_ntl_mae: bounded(raw.mae, rawMae),
  };
}

/** Clamps the estimate to the bounds, from which it can differ only by rounding. */
function bounded(estimate: number, { low, high }: Interval): Bounded {
  return { estimate, low: Math.min(low, estimate), high: Math.max(high, estimate) };
}

function squared({ low, high }: Interval): Interval {
  return { low: low * low, high: high * high };
}

/** Whether `truth` is certainly, or possibly, the likeliest digit. */
function accuracyBounds({ known, slack }: PartialDistribution, truth: number): Interval {
  const others = DIGITS.filter((digit) => digit !== truth);
  const certain = others.every((digit) => known[digit]! + slack[digit]! < known[truth]!);
  const possible = others.every((digit) => known[digit]! <= known[truth]! + slack[truth]!);
  return { low: certain ? 1 : 0, high: possible ? 1 : 0 };
}
