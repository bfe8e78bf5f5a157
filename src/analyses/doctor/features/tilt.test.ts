import { expect, it } from "vitest";
import { studentAsNormal } from "../../../core/statistics/distributions.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import { makeView } from "../sample/view.test-data.ts";
import { measureTilt } from "./tilt.ts";

/** Rows of tokens drawn from one policy over four words, with what each of two policies says of them. */
function draw(from: "rollout" | "trainer") {
  const random = seededRandom(3);
  return makeView(
    Array.from({ length: 24 }, () => {
      const row = { rollout: [] as number[], trainer: [] as number[] };
      for (let i = 0; i < 200; i++) {
        const weights = Array.from({ length: 4 }, () => 0.1 + random());
        const shifted = weights.map((weight) => weight * Math.exp(random() - 0.5));
        const [p, q] = [weights, shifted].map((list) => {
          const sum = list.reduce((total, weight) => total + weight, 0);
          return list.map((weight) => weight / sum);
        }) as [number[], number[]];
        let [word, left] = [0, random() - (from === "rollout" ? p : q)[0]!];
        while (left > 0 && word < 3) left -= (from === "rollout" ? p : q)[++word]!;
        row.rollout.push(Math.log(p[word]!));
        row.trainer.push(Math.log(q[word]!));
      }
      return row;
    }),
  );
}

it("is the sum of t by the sum of t², with the z of what each column predicts", () => {
  const deltas = [
    [0.5, -1],
    [0, 1],
  ];
  const view = makeView(
    deltas.map((row) => ({ rollout: [-1, -2], trainer: row.map((d, k) => [-1, -2][k]! + d) })),
  );
  const t = deltas.map((row) => row.map((d) => Math.tanh(d / 2)));
  const total = (of: (value: number) => number) => t.flat().reduce((sum, value) => sum + of(value), 0);
  const z = (of: (value: number) => number) => {
    const mean = total(of) / 4;
    const off = t.map((row) => row.reduce((sum, value) => sum + of(value), 0) - 2 * mean);
    return studentAsNormal(total(of) / Math.hypot(...off), 1);
  };
  const found = measureTilt(view);
  expect(found.ratio).toBeCloseTo(-total((x) => x) / total((x) => x * x), 12);
  expect(found.rolloutZ).toBeCloseTo(
    z((x) => x + x * x),
    12,
  );
  expect(found.trainerZ).toBeCloseTo(
    z((x) => x - x * x),
    12,
  );
});

it("tells whose tokens they are", () => {
  const own = measureTilt(draw("rollout"));
  expect(own.ratio).toBeGreaterThan(0.8);
  expect(Math.abs(own.rolloutZ)).toBeLessThan(3);
  expect(own.trainerZ).toBeLessThan(-5);
  const swapped = measureTilt(draw("trainer"));
  expect(swapped.ratio).toBeLessThan(-0.8);
  expect(swapped.rolloutZ).toBeGreaterThan(5);
  expect(Math.abs(swapped.trainerZ)).toBeLessThan(3);
});

it("tells nothing of equal columns, nor of one group", () => {
  expect(measureTilt(makeView([{ rollout: [-1, -2] }]))).toEqual({
    ratio: Number.NaN,
    rolloutZ: 0,
    trainerZ: 0,
  });
  const one = measureTilt(makeView([{ rollout: [-1, -2], trainer: [-1.1, -1.8] }]));
  expect([one.rolloutZ, one.trainerZ]).toEqual([0, 0]);
});
