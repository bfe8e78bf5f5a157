/** Whether stored values lie on a grid: that of a narrower number format, or of a few decimals. */
import { LEFT_OUT, type View } from "../sample/view.ts";

export type StoredAs = "bf16" | "fp16" | "full" | Decimals;
/** Written in text with so many digits after the point. */
export type Decimals = "1 decimal" | "2 decimals" | "3 decimals";

/** Four decimals are an error of 2.5e-5 nats, far below any engine's. */
const DECIMALS: readonly Decimals[] = ["1 decimal", "2 decimals", "3 decimals"];

export interface Lattice {
  readonly rollout: StoredAs;
  readonly trainer: StoredAs;
  /** Number of values examined, on the side with fewer: those that could have more digits than a narrower format has. */
  readonly values: number;
  /** Mean |Δ| that rounding alone would cause, nats. */
  readonly expectedAbs: number;
}

/** Fewer values may lie on a grid by chance: one float32 in 65,536 is a bf16 number, one in 8,192 an fp16 one. */
const FEWEST_VALUES = 20;
/**
 * Nats. A log-prob is a difference of numbers the size of the largest logit, so a float32 softmax leaves it a multiple of
 * 2^-18 where logits reach 32 to 64. Up to 256 such steps fit a bfloat16 number, whatever it is stored as.
 */
const DIGITS_FROM = 2 ** -10;
/** Some values may not come from rounding, such as a placeholder or a clamp. */
const NEARLY_ALL = 0.995;

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

function isBfloat16(value: number): boolean {
  floats[0] = value;
  return (bits[0]! & 0xffff) === 0;
}

/** IEEE binary16: 11 significant bits, of values from {@link DIGITS_FROM}, which are none of its subnormal ones. */
function isFloat16(value: number): boolean {
  const size = Math.abs(Math.fround(value));
  if (size > 65504) return false;
  floats[0] = size;
  return (bits[0]! & 0x1fff) === 0;
}

/** Whether a number has so many decimals, as the nearest float32. */
function hasDecimals(value: number, digits: number): boolean {
  const scaled = Math.fround(value) * 10 ** digits;
  // float32 keeps 24 bits of the whole number, so its error grows with it.
  return Math.abs(scaled - Math.round(scaled)) <= Math.max(1, Math.abs(scaled)) * 2 ** -23;
}

export function measureLattice(view: View): Lattice {
  const rollout = storedAs(view, view.a);
  const trainer = storedAs(view, view.c);
  return {
    rollout: rollout.as,
    trainer: trainer.as,
    values: Math.min(rollout.values, trainer.values),
    expectedAbs: expectedAbs(view, rollout.as, trainer.as),
  };
}

function storedAs(view: View, column: Float64Array): { as: StoredAs; values: number } {
  let [values, bf16, fp16] = [0, 0, 0];
  const decimals = DECIMALS.map(() => 0);
  for (let i = 0; i < view.tokens; i++) {
    if (view.left[i] !== LEFT_OUT.own) continue;
    const value = column[i]!;
    if (Math.abs(value) < DIGITS_FROM) continue;
    values++;
    if (isBfloat16(value)) bf16++;
    if (isFloat16(value)) fp16++;
    DECIMALS.forEach((_, k) => {
      if (hasDecimals(value, k + 1)) decimals[k]!++;
    });
  }
  const on = (count: number): boolean => values >= FEWEST_VALUES && count >= NEARLY_ALL * values;
  // Within its range float16 contains every bfloat16 number, so the coarser grid is tested first.
  const as = on(bf16) ? "bf16" : on(fp16) ? "fp16" : DECIMALS[decimals.findIndex(on)];
  return { as: as ?? "full", values };
}

/** The mean error of rounding to nearest is a quarter of the spacing. */
function expectedAbs(view: View, rollout: StoredAs, trainer: StoredAs): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const ours = spacing(view.a[i]!, rollout) / 4;
    const theirs = spacing(view.c[i]!, trainer) / 4;
    sum += Math.hypot(ours, theirs);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Between neighboring stored values; NaN where that depends on an unknown value. */
export function spacing(value: number, as: StoredAs): number {
  if (as === "full") return 0;
  const places = DECIMALS.indexOf(as as Decimals) + 1;
  if (places > 0) return 10 ** -places;
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  return as === "bf16" ? 2 ** (exponent - 7) : 2 ** (Math.max(exponent, -14) - 10);
}
