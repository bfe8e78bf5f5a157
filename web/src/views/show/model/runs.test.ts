import { expect, test } from "vitest";
import { foldedAtFirst, groupSections, parsePlaces, splitRuns, toggledWith } from "./runs.ts";

function runs(
  promptLength: number,
  pieces: readonly (readonly [mask: 0 | 1, mark: number, tokens: number])[],
) {
  const mask = pieces.flatMap(([value, , tokens]) => new Array<number>(tokens).fill(value));
  const marks = pieces.flatMap(([, mark, tokens]) => new Array<number>(tokens).fill(mark));
  return splitRuns({
    meta: { promptLength },
    mask: Uint8Array.from(mask),
    turnMarks: Uint16Array.from(marks),
  });
}

test("prompt, turns and tool output are told apart", () => {
  const found = runs(3, [
    [1, 1, 5],
    [0, 0, 70],
    [1, 2, 2],
  ]);
  expect(found.map(({ kind, turn, from, to }) => [kind, turn, from, to])).toEqual([
    ["prompt", undefined, 0, 3],
    ["turn", 0, 3, 8],
    ["tool", undefined, 8, 78],
    ["turn", 1, 78, 80],
  ]);
  expect(found.map(foldedAtFirst)).toEqual([false, false, true, false]);
});

test("turns are counted if they are not numbered", () => {
  const found = runs(0, [
    [1, 0, 2],
    [0, 0, 1],
    [1, 0, 2],
  ]);
  expect(found.map(({ turn }) => turn)).toEqual([0, undefined, 1]);
});

test("long prompts are folded at first, tool output of 64 tokens is not", () => {
  expect(foldedAtFirst(runs(513, [[1, 1, 1]])[0]!)).toBe(true);
  expect(foldedAtFirst(runs(512, [[1, 1, 1]])[0]!)).toBe(false);
  expect(foldedAtFirst(runs(0, [[0, 0, 64]])[0]!)).toBe(false);
});

test("short tool output flows after its turn, long output folds below it", () => {
  const sections = groupSections(
    runs(2, [
      [1, 1, 5],
      [0, 0, 6],
      [1, 2, 5],
      [0, 0, 65],
      [1, 3, 5],
    ]),
  );
  expect(sections.map(({ head }) => head.kind)).toEqual(["prompt", "turn", "turn", "turn"]);
  expect(sections[1]!.blocks).toEqual([{ from: 2, to: 13, fold: undefined }]);
  expect(sections[2]!.blocks.map(({ from, to, fold }) => [from, to, fold?.kind])).toEqual([
    [13, 18, undefined],
    [18, 83, "tool"],
  ]);
});

test("the address lists what was folded or unfolded", () => {
  expect(toggledWith(new Set([3]), 0)).toBe("0_3");
  expect(toggledWith(new Set([3]), 3)).toBeUndefined();
  expect([...parsePlaces("0_x_3_-1")]).toEqual([0, 3]);
});
