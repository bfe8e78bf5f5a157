import { expect, it } from "vitest";
import { DraftMaker } from "./split-pack.ts";

const PACK = {
  tokens: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 0),
  rollout: Float64Array.of(-9, -1, -2, -9, -3, -9, -4, -9),
  trainer: Float64Array.of(-8, -1.5, -2.5, -8, -3.5, -8, -4.5, -8),
  mask: Uint8Array.of(0, 1, 1, 0, 1, 0, 1, 0),
  attention: Int32Array.of(1, 1, 1, 2, 2, 3, 3, 0),
  advantages: Float64Array.of(0, 1, 1, 0, 2, 0, 3, 0),
};
const LAYOUT = { padded: true, policies: { other: Float64Array.of(0, 1, 2, 3, 4, 5, 6, 7) } };

it("numbers above 1 in an attention mask are sequences, 0 is padding", () => {
  const drafts = new DraftMaker().make(PACK, { row: 4, step: 7 }, LAYOUT);
  const pick = (name: "rolloutLogprobs" | "trainerLogprobs" | "responseTokenIds" | "promptTokenIds") =>
    drafts.map((draft) => [...draft[name]!]);
  expect(pick("rolloutLogprobs")).toEqual([[-1, -2], [-3], [-4]]);
  expect(pick("trainerLogprobs")).toEqual([[-1.5, -2.5], [-3.5], [-4.5]]);
  expect(pick("responseTokenIds")).toEqual([[2, 3], [5], [7]]);
  expect(pick("promptTokenIds")).toEqual([[1], [4], [6]]);
  expect(drafts.map(({ advantages }) => [...(advantages as Float64Array)])).toEqual([[1, 1], [2], [3]]);
  expect(drafts.map(({ policyLogprobs }) => [...policyLogprobs!.other!])).toEqual([[1, 2], [4], [6]]);
  expect(drafts.map(({ row, pack, step }) => [row, pack, step])).toEqual([
    [4, 4, 7],
    [5, 4, 7],
    [6, 4, 7],
  ]);
});

it("sequences of a file are numbered on, over packs and other rows", () => {
  const maker = new DraftMaker();
  const single = { ...PACK, attention: Int32Array.of(1, 1, 1, 1, 1, 1, 1, 1) };
  const rows = [PACK, single, PACK].flatMap((arrays, row) => maker.make(arrays, { row }, LAYOUT));
  expect(rows.map(({ row }) => row)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it("arrays that begin one token earlier are cut from their ends", () => {
  const shifted = {
    ...PACK,
    inputIds: Int32Array.of(99, ...PACK.tokens),
    attention: Int32Array.of(1, ...PACK.attention),
  };
  const { tokens: _, ...without } = shifted;
  const [first] = new DraftMaker().make(without, { row: 0 }, LAYOUT);
  expect([[...first!.responseTokenIds!], [...first!.promptTokenIds!]]).toEqual([[2, 3], [1]]);
});

it("a row whose mask is 0 or 1 is one sequence", () => {
  const masked = { ...PACK, attention: Int32Array.of(0, 1, 1, 1, 1, 1, 1, 0) };
  expect(new DraftMaker().make(masked, { row: 0 }, LAYOUT)).toHaveLength(1);
});
