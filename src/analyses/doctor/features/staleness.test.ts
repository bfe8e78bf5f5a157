import { expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { measureStaleness } from "./staleness.ts";

const TOKENS = 30;

/** A response of step 9 whose tokens all have p = ½, and Δ of one size with both signs. */
function answer(version: number | readonly number[], size: number, step = 9): GivenRow {
  const rollout = Array.from({ length: TOKENS }, () => -Math.LN2);
  const versions = Array.from({ length: TOKENS }, (_, t) =>
    typeof version === "number" ? version : (version[t] ?? -1),
  );
  return {
    step,
    rollout,
    trainer: rollout.map((value, t) => value + (t % 2 === 0 ? size : -size)),
    versions: Int32Array.from(versions),
  };
}

const repeat = (count: number, row: GivenRow): GivenRow[] => Array.from({ length: count }, () => row);
/** √(π/2) · |Δ| / (1 − p), p = ½. */
const noise = (size: number): number => 2 * Math.sqrt(Math.PI / 2) * size;

it("is unknown without weight versions, steps or enough tokens of one staleness", () => {
  expect(measureStaleness(makeView(repeat(10, { rollout: [-1], trainer: [-1.1] })))).toBeNull();
  expect(measureStaleness(makeView(repeat(10, answer(8, 0.1, Number.NaN))))).toBeNull();
  expect(measureStaleness(makeView(repeat(10, answer(-1, 0.1))))).toBeNull();
  expect(measureStaleness(makeView(repeat(7, answer(8, 0.1))))).toBeNull();
  expect(measureStaleness(makeView(repeat(8, answer(8, 0.1))))).not.toBeNull();
});

it("gives the noise at each staleness, the freshest first, and how it grows", () => {
  const rows = [...repeat(8, answer(6, 0.3)), ...repeat(9, answer(9, 0.1)), ...repeat(8, answer(8, 0.2))];
  expect(measureStaleness(makeView(rows))).toEqual(
    closely({
      ages: [
        { staleness: 0, tokens: 270, sequences: 9, noise: noise(0.1) },
        { staleness: 1, tokens: 240, sequences: 8, noise: noise(0.2) },
        { staleness: 3, tokens: 240, sequences: 8, noise: noise(0.3) },
      ],
      trend: { r: 1, z: expect.any(Number) },
    }),
  );
});

it("counts the tokens of a response by the version that sampled each", () => {
  const half = Array.from({ length: TOKENS }, (_, t) => (t < 20 ? 8 : 9));
  const found = measureStaleness(makeView(repeat(20, answer(half, 0.1))));
  expect(found!.ages.map(({ staleness, tokens }) => [staleness, tokens])).toEqual([
    [0, 200],
    [1, 400],
  ]);
});

it("has no trend in a single staleness", () => {
  expect(measureStaleness(makeView(repeat(8, answer(9, 0.1))))!.trend).toEqual({ r: 0, z: 0 });
});
