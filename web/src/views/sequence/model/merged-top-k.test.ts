import { expect, test } from "vitest";
import type { WireTopK } from "../../../../../src/wire/index.ts";
import { mergedTopK } from "./merged-top-k.ts";

const alternatives: WireTopK = {
  from: 64,
  count: 2,
  policies: {
    rollout: {
      k: 2,
      ids: Int32Array.of(1, 2, 3, -1),
      logprobs: Float32Array.from([0.5, 0.25, 1, 0], Math.log),
    },
    trainer: {
      k: 2,
      ids: Int32Array.of(2, 5, 3, 4),
      logprobs: Float32Array.from([0.5, 0.125, 0.75, 0.25], Math.log),
    },
  },
  texts: new Map([
    [1, " one"],
    [2, " two"],
  ]),
};
const actual = { id: 9, text: " nine", rollout: Math.log(0.0625), trainer: Number.NaN };

test("the union of both lists, likeliest first, with the actual token in it", () => {
  const { candidates, rest } = mergedTopK(alternatives, 64, actual);
  expect(candidates.map(({ id }) => id)).toEqual([1, 2, 5, 9]);
  expect(candidates[0]).toMatchObject({
    text: " one",
    rollout: { kind: "known", rank: 1 },
    trainer: { kind: "atMost", p: expect.closeTo(0.125, 6) },
  });
  expect(candidates[3]).toEqual({
    id: 9,
    text: " nine",
    actual: true,
    rollout: { kind: "known", p: expect.closeTo(0.0625, 6), rank: undefined },
    trainer: { kind: "atMost", p: expect.closeTo(0.125, 6) },
  });
  expect(rest.rollout).toBeCloseTo(1 - 0.5 - 0.25 - 0.0625, 6);
  expect(rest.trainer).toBeCloseTo(1 - 0.5 - 0.125, 6);
});

test("shorter lists end where they end", () => {
  const { candidates } = mergedTopK(alternatives, 65, { ...actual, id: 3 });
  expect(candidates.map(({ id, actual }) => [id, actual])).toEqual([
    [3, true],
    [4, false],
  ]);
  expect(candidates[1]!.rollout).toMatchObject({ kind: "atMost" });
});

test("a side without a list is not recorded, rather than zero", () => {
  const one = { ...alternatives, policies: { rollout: alternatives.policies.rollout! } };
  const { candidates, rest } = mergedTopK(one, 64, actual);
  expect(candidates.map(({ trainer }) => trainer.kind)).toEqual(["unknown", "unknown", "unknown"]);
  expect(rest.trainer).toBeUndefined();
  expect(mergedTopK(one, 3, actual).rest).toEqual({ rollout: undefined, trainer: undefined });
});
