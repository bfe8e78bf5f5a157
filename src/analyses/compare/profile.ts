/**
 * Where differences are: by step, turn and position. Counts only, so that they add up in any order.
 *
 * @module
 */
import type { DifferenceSlice, DifferenceStart } from "../../results/compare.ts";

interface Counts {
  tokens: number;
  unequal: number;
  deltaAbsSum: number;
  /** Tokens with a finite Δ. */
  measured: number;
}

/** Turns beyond this one are not listed; whether they differ is still recorded. */
const TURNS_LISTED = 64;

export class DifferenceProfile {
  readonly #steps = new Map<number, Counts>();
  readonly #turns = new Map<number, Counts>();
  /** Tokens compared at each position, and where positions first differ. */
  #positions = new Float64Array(1024);
  #firstPosition = Number.POSITIVE_INFINITY;

  add(step: number, turn: number, position: number, isUnequal: boolean, delta: number): void {
    for (const counts of [findCounts(this.#steps, step), findCounts(this.#turns, turn)]) {
      counts.tokens++;
      if (isUnequal) counts.unequal++;
      if (Number.isFinite(delta)) {
        counts.deltaAbsSum += Math.abs(delta);
        counts.measured++;
      }
    }
    if (position >= this.#positions.length) {
      const wider = new Float64Array(Math.max(position + 1, 2 * this.#positions.length));
      wider.set(this.#positions);
      this.#positions = wider;
    }
    this.#positions[position]!++;
    if (isUnequal) this.#firstPosition = Math.min(this.#firstPosition, position);
  }

  /** Differences whose preceding tokens were compared and were all equal. */
  listStarts(): DifferenceStart[] {
    return [
      ...findStart("step", this.#steps),
      ...findStart("turn", this.#turns),
      ...this.#findFirstPosition(),
    ];
  }

  #findFirstPosition(): DifferenceStart[] {
    const at = this.#firstPosition;
    if (!Number.isFinite(at)) return [];
    let before = 0;
    for (let position = 0; position < at; position++) before += this.#positions[position]!;
    return before > 0 ? [{ by: "position", at, equal_before: before }] : [];
  }

  listSteps(): DifferenceSlice[] {
    return listSlices(this.#steps);
  }

  listTurns(): DifferenceSlice[] {
    return listSlices(this.#turns).filter(({ value }) => value !== null && value < TURNS_LISTED);
  }
}

function findCounts(map: Map<number, Counts>, key: number): Counts {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = { tokens: 0, unequal: 0, deltaAbsSum: 0, measured: 0 };
  map.set(key, made);
  return made;
}

function findStart(by: "step" | "turn", counts: ReadonlyMap<number, Counts>): DifferenceStart[] {
  const unequal = [...counts].filter(([key, slice]) => slice.unequal > 0 && !Number.isNaN(key));
  const at = Math.min(...unequal.map(([key]) => key));
  const before = [...counts].reduce((sum, [key, { tokens }]) => sum + (key < at ? tokens : 0), 0);
  return Number.isFinite(at) && before > 0 ? [{ by, at, equal_before: before }] : [];
}

/** Ascending, unknown last. */
function listSlices(counts: ReadonlyMap<number, Counts>): DifferenceSlice[] {
  const place = (key: number): number => (Number.isNaN(key) ? Number.POSITIVE_INFINITY : key);
  return [...counts]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([key, { tokens, unequal, deltaAbsSum, measured }]) => ({
      value: Number.isNaN(key) ? null : key,
      tokens,
      unequal,
      delta_abs_mean: measured > 0 ? deltaAbsSum / measured : null,
    }));
}
