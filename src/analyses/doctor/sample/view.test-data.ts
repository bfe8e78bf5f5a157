/** Rows of a few tokens, as a sample holds them. */
import type { SampledRow } from "./row.ts";
import { View } from "./view.ts";

export interface GivenRow extends Partial<Omit<SampledRow, "rollout" | "trainer" | "mask">> {
  readonly rollout: readonly number[];
  /** Default: the rollout's. */
  readonly trainer?: readonly number[];
  /** Default: 1 throughout. */
  readonly mask?: readonly number[];
}

/** Row q of step 1, each of a prompt of its own. */
export function makeView(rows: readonly GivenRow[]): View {
  return new View(
    rows.map(({ rollout, trainer = rollout, mask, ...more }, row) => ({
      file: "a.npz",
      step: 1,
      rank: Number.NaN,
      pack: Number.NaN,
      row,
      environment: undefined,
      group: row,
      hasPrompt: true,
      reward: Number.NaN,
      ids: undefined,
      prompt: undefined,
      reference: undefined,
      rescore: undefined,
      rolloutEntropy: undefined,
      trainerEntropy: undefined,
      rolloutTop: undefined,
      trainerTop: undefined,
      advantage: Number.NaN,
      positions: undefined,
      versions: undefined,
      ...more,
      mask: Uint8Array.from(mask ?? rollout.map(() => 1)),
      rollout: Float64Array.from(rollout),
      trainer: Float64Array.from(trainer),
    })),
  );
}
