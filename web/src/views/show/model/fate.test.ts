import { expect, test } from "vitest";
import { parseCorrection } from "../../../../../src/trainers/neutral/text.ts";
import { type Fates, judgeTokens } from "./fate.ts";

/** Judges own tokens with these Δ; NaN: the trainer's log-prob is missing. */
function judge(text: string, deltas: readonly number[], advantages?: readonly number[]): Fates {
  const rollout = new Float32Array(deltas.length).fill(-2);
  return judgeTokens(text === "" ? undefined : parseCorrection(text), {
    deltas: Float64Array.from(deltas),
    wire: {
      mask: new Uint8Array(deltas.length).fill(1),
      rollout,
      trainer: Float32Array.from(deltas, (delta) => delta - 2),
      ...(advantages && { advantages: Float32Array.from(advantages) }),
    },
  });
}

const LOG = Math.log;
const ALL = "weight:token truncate:..2 mask:token.ratio:0.5..5 veto:ratio:0.0001..";

test("a token's fate depends on its ratio, and is described with its bound", () => {
  const { effect, describe, counts, vetoedBy } = judge(ALL, [0, LOG(3), LOG(6), LOG(0.4), Number.NaN]);
  expect([0, 1, 2, 3, 4].map(effect)).toEqual(["kept", "truncated", "masked", "masked", "kept"]);
  expect([0, 1, 2, 3].map(describe)).toEqual(["kept", "truncated to 2", "masked: ρ > 5", "masked: ρ < 0.5"]);
  expect(describe(4)).toMatch(/missing/);
  expect(counts).toEqual({ kept: 1, truncated: 1, masked: 2, vetoed: 0 });
  expect(vetoedBy).toBeUndefined();
});

test("one token can veto its whole sequence", () => {
  const { effect, describe, vetoedBy, counts } = judge(ALL, [0, LOG(3), Number.NaN, -20, -15]);
  expect([vetoedBy, counts.vetoed]).toEqual([3, 2]);
  expect([effect(0), effect(3)]).toEqual(["kept", "vetoed"]);
  expect(describe(0)).toBe("dropped: t3 vetoes the sequence");
  expect(describe(3)).toBe("vetoes the sequence: ρ < 0.0001");
});

test("nothing happens without a correction", () => {
  expect(judge("", [5]).any).toBe(false);
  expect(judge("none", [5])).toMatchObject({ any: false });
  expect(judge("none", [5]).describe(0)).toBe("kept");
});

test("IcePop's tokens outside the band stay in the mask, with weight 0", () => {
  expect(judge("weight:token zero:weight:0.5..5", [LOG(6)]).describe(0)).toBe("weight 0: weight > 5");
});

test("one figure of a sequence or a turn judges all its tokens", () => {
  const deltas = [0.5, Number.NaN, 0.5, -0.1];
  const product = judge("weight:sequence truncate:..2", deltas);
  expect([0, 1, 2, 3].map(product.effect)).toEqual(["truncated", "kept", "truncated", "truncated"]);
  expect(product.describe(0)).toBe("ρ of the sequence truncated to 2");
  expect(judge("weight:sequence.mean truncate:..2", deltas).effect(0)).toBe("kept");
  expect(judge("mask:turn.mean.k2:..0.01", deltas).describe(3)).toBe("masked: turn.mean.k2 > 0.01");
});

test("signs of advantages matter, and missing advantages are a problem", () => {
  const text = "mask:token.ratio:..2:positive";
  expect([0, 1].map(judge(text, [1, 1], [1, -1]).effect)).toEqual(["masked", "kept"]);
  expect(judge(text, [1, 1]).problem).toMatch(/are missing/);
  const diverging = judge("mask:sequence.mean.ratio:..1.1:diverging", [1, 1, -0.5], [1, -1, 1]);
  expect([0, 1, 2].map(diverging.effect)).toEqual(["masked", "kept", "kept"]);
});
