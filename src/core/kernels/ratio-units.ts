/**
 * Units of ρ. Sums of ρ² overflow float64 from Δ = 355 nats on, and underflow to 0 below −373; ρ itself does so from
 * 710 and below −745. So if the largest Δ of a vector of sums is that far from 0, ρ is summed in units of the largest
 * ρ, exp DELTA_MAX, and shares of ρ (the effective sample size) are known for any Δ.
 *
 * Above 0 these are the units of OVER_EXCESS_SUM and OVER_EXCESS_SQUARE_SUM: tokens within RATIO_CLAMP are negligible
 * next to them. Below 0 there are only tokens within it, and these are the units of RATIO_MEAN and EXCESS_M2.
 *
 * @module
 */
import type { Nats, Ratio } from "../base/units.ts";
import * as F from "./layout.ts";

/** Up to here, sums of ρ² are far from overflow for any number of tokens. */
const MOST_PLAIN_DELTA: Nats = 300;

/** The unit of ρ for a largest Δ of `deltaMax`, as its logarithm: 0 for ordinary sums. It grows with `deltaMax`. */
export function ratioUnit(deltaMax: Nats): Nats {
  return Math.abs(deltaMax) > MOST_PLAIN_DELTA && Number.isFinite(deltaMax) ? deltaMax : 0;
}

/** The unit of a vector of sums. */
export function unitOf(sums: Float64Array, offset: number): Nats {
  return ratioUnit(sums[offset + F.DELTA_MAX]!);
}

/** Converts sums to a unit at least as large as their own. */
export function changeUnit(sums: Float64Array, offset: number, unit: Nats): void {
  if (sums[offset + F.COUNT] === 0) return;
  const own = unitOf(sums, offset);
  const over = Math.exp(Math.max(own, 0) - Math.max(unit, 0));
  const within = Math.exp(Math.min(own, 0) - Math.min(unit, 0));
  sums[offset + F.OVER_EXCESS_SUM]! *= over;
  sums[offset + F.OVER_EXCESS_SQUARE_SUM]! *= over * over;
  sums[offset + F.RATIO_MEAN]! *= within;
  sums[offset + F.EXCESS_M2]! *= within * within;
}

/**
 * Converts a value in units of exp `unit` to units of 1. In two steps, so that only values beyond float64 become
 * Infinity, or 0.
 */
export function inPlainUnits(value: number, unit: Nats): number {
  const half = Math.exp(unit / 2);
  return value * half * half;
}

/** Σ (ρ − 1) over the tokens beyond RATIO_CLAMP; Infinity if it exceeds float64. */
export function overExcessSum(sums: Float64Array, offset = 0): Ratio {
  return inPlainUnits(sums[offset + F.OVER_EXCESS_SUM]!, Math.max(unitOf(sums, offset), 0));
}

/** Σ (ρ − 1)² over the tokens beyond RATIO_CLAMP; Infinity if it exceeds float64. */
export function overExcessSquareSum(sums: Float64Array, offset = 0): number {
  return inPlainUnits(sums[offset + F.OVER_EXCESS_SQUARE_SUM]!, 2 * Math.max(unitOf(sums, offset), 0));
}

/** M2 of ρ − 1 over the tokens within RATIO_CLAMP. */
export function withinExcessM2(sums: Float64Array, offset = 0): number {
  return inPlainUnits(sums[offset + F.EXCESS_M2]!, 2 * Math.min(unitOf(sums, offset), 0));
}
