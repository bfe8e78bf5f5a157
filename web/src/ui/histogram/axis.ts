/**
 * An axis that is linear around 0 and logarithmic beyond, so that the bulk of small differences and the few large ones
 * are seen at once.
 *
 * @module
 */

export interface Axis {
  /** −1 and 1 at ± `reach`; larger values get places beyond. */
  readonly place: (value: number) => number;
  readonly value: (place: number) => number;
  readonly reach: number;
}

/** @param soft the axis is linear from about −`soft` to `soft` */
export function asinhAxis(reach: number, soft: number): Axis {
  const most = Math.asinh(reach / soft);
  return {
    place: (value) => Math.asinh(value / soft) / most,
    value: (place) => soft * Math.sinh(place * most),
    reach,
  };
}

/** Takes candidates in order, skipping those closer than `apart` to one already taken. */
export function spacedTicks(candidates: readonly number[], axis: Axis, apart: number): number[] {
  const taken: number[] = [];
  for (const candidate of candidates) {
    const at = axis.place(candidate);
    if (Math.abs(at) <= 1 && taken.every((other) => Math.abs(axis.place(other) - at) >= apart))
      taken.push(candidate);
  }
  return taken.sort((a, b) => a - b);
}

/** Candidates for labels on an axis of Δ: 0, then powers of ten from the outside in, then values between them. */
export function deltaTicks(reach: number): number[] {
  const power = Math.floor(Math.log10(reach));
  const powers = Array.from({ length: 7 }, (_, i) => 10 ** (power - i));
  return [0, ...[1, 3].flatMap((factor) => powers.flatMap((each) => [factor * each, -factor * each]))].map(
    (tick) => Number(tick.toPrecision(6)),
  );
}

/** Candidates for labels on an axis of ratios. */
export const RATIO_TICKS: readonly number[] = [
  1, 2, 0.5, 10, 0.1, 100, 0.01, 1e4, 1e-4, 1e3, 1e-3, 1.1, 0.9, 5, 0.2, 1.01, 0.99, 1.5, 0.67, 1.25, 0.8,
  1.001, 0.999, 1.03, 0.97,
];

/** Moves a place into the axis, whose ends are −1 and 1. */
export function clampPlace(place: number): number {
  return Math.max(-1, Math.min(1, place));
}
