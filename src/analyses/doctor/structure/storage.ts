import { formatNumber, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { type Lattice, type StoredAs, spacing } from "../features/lattice.ts";
import type { View } from "../sample/view.ts";

const FORMATS: Partial<Record<StoredAs, string>> = { bf16: "bfloat16 numbers", fp16: "float16 numbers" };

/** With a few decimals, all that is left of a sure token is its rounding error. */
const DIGITS_LEFT = 10;

function claimRounded(view: View, lattice: Lattice): void {
  for (const [column, stored] of [
    [view.a, lattice.rollout],
    [view.c, lattice.trainer],
  ] as const) {
    const step = spacing(Number.NaN, stored);
    // The steps of floating-point numbers shrink with the number.
    if (Number.isNaN(step) || step === 0) continue;
    for (let i = 0; i < view.tokens; i++) if (column[i]! > -DIGITS_LEFT * step) view.claim(i);
  }
}

/** Values on the grid of a narrower format, or of a few decimals. */
export function examineStorage(view: View, lattice: Lattice): Clue[] {
  const sides = (["rollout", "trainer"] as const).filter((side) => lattice[side] !== "full");
  const [first] = sides;
  if (first === undefined || view.tokens === 0) return [];
  claimRounded(view, lattice);
  const stored = lattice[first];
  const format = FORMATS[stored] ?? `numbers of ${stored}`;
  const which = sides.length === 2 ? "rollout and trainer log-probs are" : `${first} log-probs are`;
  return [
    {
      cause: "logprob_storage_rounding",
      weight: hold(4 + 2 * Math.log(Math.max(1, lattice.values / 20))),
      sentence: `All ${which} ${format} (${plural(lattice.values, "value")}; by chance, only one float32 in thousands is): rounding alone explains a mean |Δ| of ${formatNumber(lattice.expectedAbs)} nats.`,
      figures: {
        rollout: lattice.rollout,
        trainer: lattice.trainer,
        values: lattice.values,
        expected_delta_abs: lattice.expectedAbs,
      },
    },
  ];
}
