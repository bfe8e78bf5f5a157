/**
 * The selected steps: `steps=30..60` in the address.
 *
 * @module
 */
export type StepRange = readonly [from: number, to: number];

/** Null for anything unreadable. */
export function parseSteps(text: string): StepRange | null {
  const [, from, to] = /^(-?\d+)(?:\.\.(-?\d+))?$/.exec(text) ?? [];
  if (from === undefined) return null;
  const ends = [Number(from), Number(to ?? from)];
  return [Math.min(...ends), Math.max(...ends)];
}

export function formatSteps([from, to]: StepRange): string {
  return `${from}..${to}`;
}

/** The steps between two places of an axis; if there are none, the nearest step. */
export function stepsBetween(steps: readonly number[], from: number, to: number): StepRange | null {
  const inside = steps.filter((step) => step >= from && step <= to);
  const [first, last] = [inside[0], inside.at(-1)];
  if (first !== undefined && last !== undefined) return [first, last];
  const middle = (from + to) / 2;
  const nearest = steps.reduce<number | null>(
    (best, step) => (best === null || Math.abs(step - middle) < Math.abs(best - middle) ? step : best),
    null,
  );
  return nearest === null ? null : [nearest, nearest];
}
