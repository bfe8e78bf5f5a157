import { expect, it } from "vitest";
import { PALETTES } from "../ui/color-scale.ts";
import { ALIGNMENTS } from "../views/compare/pair-model.ts";
import { LISTS } from "../views/divergence/choose.ts";
import { LAYOUTS } from "../views/sequences/selection.ts";
import { TEXT_MODES } from "../views/show/model/display.ts";
import { describeAddress } from "./address.ts";

const RUN = { steps: [10, 20, 50], sequences: 768 };
const notes = (params: Readonly<Record<string, string>>): string[] => describeAddress({ params }, {}, RUN);

it("says nothing about what a view understands", () => {
  expect(notes({})).toEqual([]);
  for (const [name, words] of [
    ["by", LISTS.map((list) => list.name)],
    ["align", ALIGNMENTS.map((alignment) => alignment.name)],
    ["layout", LAYOUTS],
    ["mode", TEXT_MODES],
    ["palette", PALETTES],
    ["metric", ["delta", "policy:reference"]],
    ["steps", ["20", "10..50", "-3..20", "50..10"]],
    ["sort", ["-worst", "group", "sequence", "matching"]],
    ["pins", ["3", "3_14", "3,14"]],
    ["range", ["3-14"]],
    ["filter", ["anything >"]],
  ] as const)
    for (const word of words) expect(notes({ [name]: word }), `${name}=${word}`).toEqual([]);
});

it("names a value that is not understood, and what would be valid", () => {
  expect(notes({ steps: "abc" })).toEqual(["steps=abc is not like steps=30 or 10..30: it is left out."]);
  expect(notes({ by: "foo" })).toEqual([
    "by=foo is not one of occurrence, token, class, position, turn: it is left out.",
  ]);
  expect(notes({ sort: "-size", pins: "x", scale: "0.5" })).toEqual([
    "sort=-size names no column to sort by: it is left out.",
    "pins=x is not like pins=3_14: it is left out.",
    "scale=0.5 is not one of run: it is left out.",
  ]);
  expect(notes({ step: "30", constructor: "1" })).toEqual([
    "step=30 means nothing here: it is left out.",
    "constructor=1 means nothing here: it is left out.",
  ]);
  expect(notes({ by: "a\u202eb" })[0]).not.toContain("\u202e");
});

it("says if the address chooses no existing step", () => {
  expect(notes({ steps: "999..1000" })).toEqual(["No step lies in 999..1000: the run has 10 to 50."]);
  expect(notes({ steps: "30" })).toEqual(["No step lies in 30: the run has 10 to 50."]);
  expect(describeAddress({ params: { steps: "1" } }, {}, { steps: [], sequences: 0 })).toEqual([
    "No step lies in 1: the run has none.",
  ]);
  expect(describeAddress({ params: { steps: "1" } }, {})).toEqual([]);
});

it("says that an address by row, or of another version, may mean something else", () => {
  expect(describeAddress({ params: {} }, { row: 768 }, RUN)).toEqual([]);
  expect(describeAddress({ params: {} }, { version: "99", row: 176 }, RUN)).toEqual([
    "v=99 is not the version of this page's addresses: it may have been another place.",
    "The address has row 176 of the list instead of a handle: in another reading it is another answer.",
  ]);
});
