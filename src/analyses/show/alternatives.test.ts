import { expect, test } from "vitest";
import { mergeAlternatives } from "./alternatives.ts";

const logs = (...probabilities: readonly number[]): Float32Array =>
  Float32Array.from(probabilities, Math.log);
const lists = {
  rollout: { k: 2, ids: Int32Array.of(1, 2, 3, -1), logprobs: logs(0.5, 0.25, 1, 0) },
  trainer: { k: 2, ids: Int32Array.of(2, 5, 3, 4), logprobs: logs(0.5, 0.125, 0.75, 0.25) },
};
const sampled = { id: 9, text: " nine", rollout: Math.log(0.0625), trainer: Number.NaN };
const getText = (id: number): string | null => ["", " one", " two"][id] ?? null;

test("the union of both lists, likeliest first, with the sampled token in it", () => {
  const { candidates, rollout_rest, trainer_rest } = mergeAlternatives(lists, 0, sampled, getText)!;
  expect(candidates.map(({ id }) => id)).toEqual([1, 2, 5, 9]);
  expect(candidates[0]).toMatchObject({
    text: " one",
    rollout: { rank: 1, at_most: false },
    trainer: { probability: expect.closeTo(0.125, 6), rank: null, at_most: true },
  });
  expect(candidates[3]).toEqual({
    id: 9,
    text: " nine",
    sampled: true,
    rollout: { probability: expect.closeTo(0.0625, 6), rank: null, at_most: false },
    trainer: { probability: expect.closeTo(0.125, 6), rank: null, at_most: true },
  });
  expect(rollout_rest).toBeCloseTo(1 - 0.5 - 0.25 - 0.0625, 6);
  expect(trainer_rest).toBeCloseTo(1 - 0.5 - 0.125, 6);
});

test("shorter lists end where they end", () => {
  const { candidates } = mergeAlternatives(lists, 1, { ...sampled, id: 3 }, getText)!;
  expect(candidates.map(({ id, sampled: is }) => [id, is])).toEqual([
    [3, true],
    [4, false],
  ]);
  expect(candidates[1]!.rollout).toMatchObject({ at_most: true });
});

test("a side without a list is not recorded, rather than zero", () => {
  const { rollout } = lists;
  const { candidates, trainer_k, trainer_rest } = mergeAlternatives({ rollout }, 0, sampled, getText)!;
  expect(candidates.map(({ trainer }) => trainer)).toEqual([null, null, null]);
  expect([trainer_k, trainer_rest]).toEqual([null, null]);
  expect(mergeAlternatives({}, 0, sampled, getText)).toBeNull();
});
