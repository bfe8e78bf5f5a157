import { formatNumber, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import type { Lattice } from "../features/lattice.ts";
import type { View } from "../sample/view.ts";

const NAMES = { bf16: "bfloat16", fp16: "float16", full: "" } as const;

/** Values on the grid of a narrower format. */
export function examineStorage(view: View, lattice: Lattice): Clue[] {
  const sides = (["rollout", "trainer"] as const).filter((side) => lattice[side] !== "full");
  const [first] = sides;
  if (first === undefined || view.tokens === 0) return [];
  const format = NAMES[lattice[first]];
  const which = sides.length === 2 ? "rollout and trainer log-probs are" : `${first} log-probs are`;
  return [
    {
      cause: "logprob_storage_rounding",
      weight: hold(4 + 2 * Math.log(Math.max(1, lattice.values / 20))),
      sentence: `All ${which} ${format} numbers (${plural(lattice.values, "value")}; by chance, only one float32 in thousands is): rounding alone explains a mean |Δ| of ${formatNumber(lattice.expectedAbs)} nats.`,
      figures: {
        rollout: lattice.rollout,
        trainer: lattice.trainer,
        values: lattice.values,
        expected_delta_abs: lattice.expectedAbs,
      },
    },
  ];
}
