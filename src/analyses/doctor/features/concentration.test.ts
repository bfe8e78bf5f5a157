import { expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { concentrate } from "./concentration.ts";

const apart = (deltas: readonly number[], mask = deltas.map(() => 1)) =>
  makeView([{ rollout: deltas.map(() => -4), trainer: deltas.map((delta) => -4 + delta), mask }]);

it("tells how much stands at a set of tokens, and how much at the rest", () => {
  const view = apart([0.5, -1, 0.25, 2, -0.5, 0.25, 3], [1, 1, 1, 1, 1, 1, 0]);
  expect(concentrate(view, (i) => i < 3)).toEqual(
    closely({
      ...{ tokens: 3, share: 0.5, weight: 1.75 / 4.5, meanInside: 1.75 / 3, meanOutside: 2.75 / 3 },
      ...{ offInside: 2 / 3, offOutside: 2 / 3, deltaInside: -0.25 / 3, worst: [1, 0, 2] },
    }),
  );
});

it("divides by nothing where nothing is inside, outside or off", () => {
  const nothing = { share: 0, weight: 0, meanInside: 0, meanOutside: 0, offInside: 0, offOutside: 0 };
  expect(concentrate(apart([]), () => true)).toEqual({ ...nothing, tokens: 0, deltaInside: 0, worst: [] });
  expect(concentrate(apart([0, 0]), () => true)).toEqual({
    ...{ ...nothing, tokens: 2, share: 1, deltaInside: 0, worst: [0, 1] },
  });
  expect(concentrate(apart([1, 1]), () => false)).toEqual({
    ...{ ...nothing, tokens: 0, meanOutside: 1, offOutside: 1, deltaInside: 0, worst: [] },
  });
});

it("keeps the five tokens that differ most, of equal ones the first", () => {
  const worst = (deltas: readonly number[]) => concentrate(apart(deltas), () => true).worst;
  expect(worst([0.1, -0.6, 0.3, 0.2, -0.4, 0.5, 0.05])).toEqual([1, 5, 4, 2, 3]);
  expect(worst([1, 1, 1, 1, 1, 1, 2])).toEqual([6, 0, 1, 2, 3]);
  expect(worst([1, -2, 1, 1])).toEqual([1, 0, 2, 3]);
});
