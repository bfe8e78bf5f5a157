/**
 * Units of ρ. Sums of ρ² overflow float64 from Δ = 355 nats on, and are 0 below −373; ρ itself is beyond it from 710 and
 * below −745. So where the largest Δ of a vector of sums is that far from 0, ρ is summed in units of the largest ρ,
 * exp DELTA_MAX, and shares of ρ (the effective sample size) are known at any Δ.
 *
 * Above 0 these are the units of OVER_EXCESS_SUM and OVER_EXCESS_SQUARE_SUM: whatever is within RATIO_CLAMP is nothing
 * beside them. Below 0 there is nothing but what is within, and they are those of RATIO_MEAN and EXCESS_M2.
 *
 * @module
 */
import type { Nats, Ratio } from "../base/units.ts";
import * as F from "./layout.ts";

/** Up to here, sums of ρ² are far from overflow, whatever the number of tokens. */
const MOST_PLAIN_DELTA: Nats = 300;

/** The unit of ρ where Δ is at most `deltaMax`, as its logarithm: 0 in ordinary sums. It grows with `deltaMax`. */
export function ratioUnit(deltaMax: Nats): Nats {
  return Math.abs(deltaMax) > MOST_PLAIN_DELTA && Number.isFinite(deltaMax) ? deltaMax : 0;
}

/** The unit of a vector of sums. */
export function unitOf(sums: Float64Array, offset: number): Nats {
  return ratioUnit(sums[offset + F.DELTA_MAX]!);
}

/** Brings sums to a unit at least as large as their own. */
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

/** A value in units of exp `unit`, in units of 1. In two steps: only what float64 cannot hold is Infinity, or 0. */
export function inPlainUnits(value: number, unit: Nats): number {
  const half = Math.exp(unit / 2);
  return value * half * half;
}

/** Σ (ρ − 1) of the tokens beyond RATIO_CLAMP; Infinity where float64 cannot hold it. */
export function overExcessSum(sums: Float64Array, offset = 0): Ratio {
  return inPlainUnits(sums[offset + F.OVER_EXCESS_SUM]!, Math.max(unitOf(sums, offset), 0));
}

/** Σ (ρ − 1)² of the tokens beyond RATIO_CLAMP; Infinity where float64 cannot hold it. */
export function overExcessSquareSum(sums: Float64Array, offset = 0): number {
  return inPlainUnits(sums[offset + F.OVER_EXCESS_SQUARE_SUM]!, 2 * Math.max(unitOf(sums, offset), 0));
}

/** M2 of ρ − 1 of the tokens within RATIO_CLAMP. */
export function withinExcessM2(sums: Float64Array, offset = 0): number {
  return inPlainUnits(sums[offset + F.EXCESS_M2]!, 2 * Math.min(unitOf(sums, offset), 0));
}
