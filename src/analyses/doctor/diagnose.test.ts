import { expect, it } from "vitest";
import type { Clue } from "./clue.ts";
import { isExplained } from "./diagnose.ts";
import type { Odds } from "./rank.ts";

const clue = (cause: string): Clue => ({ cause, weight: 6, sentence: cause, figures: {} });

/** @param r rank correlation of a row's gap with the length of its prompt */
function explains(strongest: string, scope: string, { r = 0, clues = [] as readonly Clue[] } = {}): boolean {
  const odds = new Map<string, Odds>([
    ["weight_quantization", { score: 1, clues: [] }],
    [strongest, { score: 3, clues }],
  ]);
  const figures = { places: { promptLength: { r, z: 9 } } };
  return isExplained({ odds, figures }, { clues: [clue(scope)] });
}

it.each(["one_bad_rank", "one_bad_source"])(
  "attended padding explains %s, whose prompts were shorter",
  (scope) => {
    expect(explains("pads_attended", scope, { r: -0.7 })).toBe(true);
    expect(explains("pads_attended", scope, { r: -0.5 })).toBe(false);
    expect(explains("stale_weights", scope, { r: -0.7 })).toBe(false);
    expect(explains("pads_attended", "one_bad_step", { r: -0.7 })).toBe(false);
  },
);

it("faults of turns explain environments with tools, and packs explain every n-th sequence", () => {
  expect(explains("mask_shift", "one_bad_source")).toBe(true);
  expect(explains("mask_shift", "one_bad_rank")).toBe(false);
  const packs = { clues: [clue("packing_leak")] };
  expect(explains("packing_leak", "mixed_weight_versions", packs)).toBe(true);
  // A likeness to other packed runs is no mark of packs in this one.
  expect(explains("packing_leak", "mixed_weight_versions")).toBe(false);
});
