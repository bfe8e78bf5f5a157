/**
 * Sums over tokens with an advantage: how much of the mismatch reaches the policy gradient, and its effect there. Kept
 * by step; the run's sums are those of its steps added.
 *
 * Tokens count if they have mask 1, finite log-probs and a finite advantage. Those whose ρ overflows (Δ > 709.78) are
 * counted separately and are in no sum.
 *
 * @module
 */
import type { FloatArray } from "../base/arrays.ts";
import { NUMBER } from "../base/codec.ts";
import { computeImpact, quickK3 } from "../kernels/impact.ts";
import { layoutOf, part } from "./layout/layout.ts";
import { SumTable, tableByKey } from "./layout/sum-table.ts";
import { Sums } from "./layout/sums.ts";

/**
 * Columns: tokens, those of them with advantage 0, tokens whose ρ overflows; Σ|Δ| and Σk3 (nats), of all and of those with
 * advantage 0; ΣA and Σ|A|; ΣA(ρ − 1) and Σ|A||ρ − 1|.
 */
export const GRADIENT = {
  tokens: 0,
  zeroTokens: 1,
  overflowed: 2,
  deltaAbs: 3,
  k3: 4,
  zeroDeltaAbs: 5,
  zeroK3: 6,
  advantage: 7,
  advantageAbs: 8,
  impact: 9,
  impactAbs: 10,
} as const;

const GRADIENT_WIDTH = Object.keys(GRADIENT).length;
/** The first columns are whole numbers, whose sums are exact. */
const WHOLE = 3;
const COLUMNS = { whole: WHOLE, exact: GRADIENT_WIDTH - WHOLE };

/** The columns behind the sums, `[tokens]` each. */
export interface AdvantageBlock {
  /** Nats, like `trainer`. */
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  readonly mask: Uint8Array;
  readonly advantages: FloatArray;
}

/** The sums of the tokens `[from, to)`: {@link GRADIENT_WIDTH} numbers. */
export function sumGradient(
  { rollout, trainer, mask, advantages }: AdvantageBlock,
  from: number,
  to: number,
): Float64Array {
  let [tokens, zeroTokens, overflowed, deltaAbs, k3Sum, zeroDeltaAbs, zeroK3] = [0, 0, 0, 0, 0, 0, 0];
  let [advantageSum, advantageAbs, impactSum, impactAbs] = [0, 0, 0, 0];
  for (let t = from; t < to; t++) {
    if (mask[t] === 0) continue;
    const delta = trainer[t]! - rollout[t]!;
    const advantage = advantages[t]!;
    if (!Number.isFinite(delta) || !Number.isFinite(advantage)) continue;
    const k3 = quickK3(delta);
    // k3 + Δ is expm1 Δ, up to rounding.
    const impact = advantage * (k3 + delta);
    if (k3 === Number.POSITIVE_INFINITY) {
      overflowed++;
      continue;
    }
    const size = Math.abs(delta);
    tokens++;
    deltaAbs += size;
    k3Sum += k3;
    if (advantage === 0) {
      zeroTokens++;
      zeroDeltaAbs += size;
      zeroK3 += k3;
      continue;
    }
    advantageSum += advantage;
    advantageAbs += Math.abs(advantage);
    impactSum += impact;
    impactAbs += Math.abs(impact);
  }
  return Float64Array.of(
    ...[tokens, zeroTokens, overflowed, deltaAbs, k3Sum, zeroDeltaAbs, zeroK3],
    ...[advantageSum, advantageAbs, impactSum, impactAbs],
  );
}

/** The token's impact if it is in the sums, else NaN. */
export function impactAt({ rollout, trainer, mask, advantages }: AdvantageBlock, t: number): number {
  const delta = trainer[t]! - rollout[t]!;
  if (mask[t] === 0 || !Number.isFinite(delta)) return Number.NaN;
  const impact = computeImpact(advantages[t]!, delta);
  return Number.isFinite(impact) ? impact : Number.NaN;
}

export class GradientSums extends Sums {
  static readonly layout = layoutOf<GradientSums>({
    steps: part(tableByKey(NUMBER, Object.keys(GRADIENT)), (sums) => sums.#steps),
  });
  readonly #steps = new SumTable(COLUMNS);

  /** Adds the sums of a sequence. */
  add(step: number, sums: Float64Array): void {
    const slot = this.#steps.open(step);
    for (let i = 0; i < WHOLE; i++) this.#steps.addPlain(slot, i, sums[i]!);
    for (let i = WHOLE; i < GRADIENT_WIDTH; i++) this.#steps.addExact(slot, i - WHOLE, sums[i]!);
  }

  /** Steps in ascending order; NaN, for sequences without a step, last. */
  get steps(): number[] {
    return this.#steps.sorted().map(([step]) => step);
  }

  at(step: number): Float64Array {
    const slot = this.#steps.slotOf(step);
    return slot === undefined ? new Float64Array(GRADIENT_WIDTH) : readRow(this.#steps, slot);
  }

  /** The sums of all steps. */
  total(): Float64Array {
    const all = new SumTable(COLUMNS);
    all.merge(this.#steps, () => 0);
    return readRow(all, all.open(0));
  }
}

function readRow(table: SumTable, slot: number): Float64Array {
  return Float64Array.from({ length: GRADIENT_WIDTH }, (_, i) =>
    i < WHOLE ? table.plain(slot, i) : table.exact(slot, i - WHOLE),
  );
}
