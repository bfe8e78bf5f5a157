/**
 * Faults that leave marks no engine's precision leaves: whole columns in another unit or place, masks, single
 * positions, placeholders. Each claims the tokens that it explains, so that the rest is judged without them.
 *
 * @module
 */
import type { Clue } from "../clue.ts";
import { type Boundaries, measureBoundaries } from "../features/boundaries.ts";
import { type Lattice, measureLattice } from "../features/lattice.ts";
import { LEFT_OUT, type View } from "../sample/view.ts";
import { examineCopies } from "./copies.ts";
import { examineKernels } from "./kernels.ts";
import { examineMasks } from "./masks.ts";
import { examineMissing } from "./missing.ts";
import { examinePlaces } from "./places.ts";
import { examineRows } from "./rows.ts";
import { examineShifts } from "./shifts.ts";
import { examineStatistics } from "./statistics.ts";
import { examineStorage } from "./storage.ts";
import { examineUnits } from "./units.ts";
import { examineValues } from "./values.ts";

export interface Structure {
  readonly clues: readonly Clue[];
  readonly lattice: Lattice;
  readonly boundaries: Boundaries;
  /** Number of tokens that a clue claimed. */
  readonly claimedTokens: number;
  /** Share of Σ|Δ| that no mark explains; null if all Δ are 0. */
  readonly left: number | null;
}

/** In this order: faults of whole columns come before those of single tokens. */
export function examineStructure(view: View, steps?: View): Structure {
  const total = sumSizes(view);
  const share = (size: number, of = total): number | null =>
    of === 0 ? null : Math.min(1, Math.max(0, size / of));
  /** Marks with the share of Σ|Δ| that disappears as their tokens are claimed or their columns corrected. */
  const explain = (examine: (view: View) => Clue[], of = view): Clue[] => {
    const before = sumSizes(of);
    const clues = examine(of);
    // Whole steps are other rows of the same run, with their own sum.
    const explains = share(before - sumSizes(of), of === view ? total : before);
    return clues.map((clue) => ({ ...clue, explains }));
  };
  const clues = [
    ...explain(examineMissing),
    ...explain(examineUnits),
    ...explain(examineCopies),
    ...explain(examineStatistics),
  ];
  const boundaries = measureBoundaries(view);
  clues.push(...explain((own) => examineMasks(own, boundaries)), ...explain(examineShifts));
  clues.push(...explain(examineRows, steps));
  clues.push(...explain(examinePlaces), ...explain(examineValues), ...explain(examineKernels));
  const lattice = measureLattice(view);
  const rounding = share(lattice.expectedAbs * countOwn(view));
  const left = sumSizes(view);
  clues.push(...examineStorage(view, lattice).map((clue) => ({ ...clue, explains: rounding })));
  let claimedTokens = 0;
  for (const left of view.left) if (left === LEFT_OUT.claimed) claimedTokens++;
  return { clues, lattice, boundaries, claimedTokens, left: share(left) };
}

/** Σ|Δ| of the tokens that no mark has claimed, nats. */
function sumSizes(view: View): number {
  let sum = 0;
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i)) sum += Math.abs(view.d[i]!);
  return sum;
}

function countOwn(view: View): number {
  let count = 0;
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i)) count++;
  return count;
}
