/**
 * Faults that leave a mark no precision of an engine leaves: whole columns in another unit or place, masks, single
 * positions, placeholders. Each claims the tokens that it explains, so that the rest is judged without them.
 *
 * @module
 */
import type { Clue } from "../clue.ts";
import { type Boundaries, measureBoundaries } from "../features/boundaries.ts";
import { type Lattice, measureLattice } from "../features/lattice.ts";
import { LEFT_OUT, type View } from "../sample/view.ts";
import { examineCopies } from "./copies.ts";
import { examineMasks } from "./masks.ts";
import { examineMissing } from "./missing.ts";
import { examinePlaces } from "./places.ts";
import { examineRows } from "./rows.ts";
import { examineShifts } from "./shifts.ts";
import { examineStorage } from "./storage.ts";
import { examineUnits } from "./units.ts";
import { examineValues } from "./values.ts";

export interface Structure {
  readonly clues: readonly Clue[];
  readonly lattice: Lattice;
  readonly boundaries: Boundaries;
  /** Rows with a token that a clue claimed. */
  readonly claimedTokens: number;
}

/** In this order: what concerns a whole column comes before what concerns single tokens. */
export function examineStructure(view: View, steps?: View): Structure {
  const clues: Clue[] = [...examineMissing(view), ...examineUnits(view), ...examineCopies(view)];
  const boundaries = measureBoundaries(view);
  clues.push(...examineMasks(view, boundaries), ...examineShifts(view));
  clues.push(...examineRows(steps ?? view));
  clues.push(...examinePlaces(view), ...examineValues(view));
  const lattice = measureLattice(view);
  clues.push(...examineStorage(view, lattice));
  let claimedTokens = 0;
  for (const left of view.left) if (left === LEFT_OUT.claimed) claimedTokens++;
  return { clues, lattice, boundaries, claimedTokens };
}
