import { expect, test } from "vitest";
import { madeSequence } from "./made-sequence.test-data.ts";
import { sequenceModel } from "./sequence-model.ts";

function cells(tokens: readonly (string | readonly number[])[], flags?: readonly number[]): string[] {
  const model = sequenceModel(
    madeSequence(tokens, flags === undefined ? {} : { flags: Uint8Array.from(flags) }),
  );
  return tokens.map((_, place) => model.cellText(place));
}

test("a character whose bytes are shared by tokens is shown by the first of them", () => {
  expect(cells([" a", [0xf0, 0x9f], [0x98], [0x80], "b"], [0, 0, 2, 2, 0])).toEqual([
    " a",
    "😀",
    "",
    "",
    "b",
  ]);
});

test("a later token keeps what it has beyond the shared character", () => {
  expect(
    cells(
      [
        [0x61, 0xe2, 0x80],
        [0x9c, 0x62],
      ],
      [0, 2],
    ),
  ).toEqual(["a“", "b"]);
});

test("a server may send the whole character with the first token", () => {
  expect(cells(["😀", "", "b"], [0, 2, 0])).toEqual(["😀", "", "b"]);
});

test("combining marks, joined emoji and flags stay one character", () => {
  expect(cells(["e", "\u0301", "t"])).toEqual(["e\u0301", "", "t"]);
  expect(cells(["👩", "\u200d", "👩", " x"])).toEqual(["👩\u200d👩", "", "", " x"]);
  expect(cells(["🇩", "🇪", "🇫", "🇷"])).toEqual(["🇩🇪", "", "🇫🇷", ""]);
});

test("special tokens share no characters", () => {
  expect(cells(["e", "\u0301"], [1, 0])).toEqual(["e", "\u0301"]);
});

test("cells and whole texts agree, whatever the bytes", () => {
  const tokens = ["a\n", [0xed, 0xa0, 0x80], "\ufeffb", [0xf0, 0x9f], [0x98], [0x80], "数"];
  const model = sequenceModel(madeSequence(tokens, { flags: Uint8Array.of(0, 0, 0, 0, 2, 2, 0) }));
  const joined = tokens.map((_, place) => model.cellText(place)).join("");
  expect(model.shown(0, tokens.length, "reading")).toBe(joined);
  expect(joined).toContain("\ufffd");
  expect(joined).toContain("\ufeffb");
  expect(model.textOf(4)).toBe("\ufffd");
});

test("a text with a very long token is shown like its tokens", () => {
  const model = sequenceModel(madeSequence(["a", "\n".repeat(10_000), "b"]));
  expect(model.shown(0, 3, "reading")).toBe("a\n⏎×9,998\nb");
});

test("ids are shown as numbers, and newlines are visible where they end a line", () => {
  const model = sequenceModel(madeSequence(["a\n", "b"]));
  expect(model.shown(0, 2, "ids")).toBe("0 1 ");
  expect([model.endsLine(0), model.endsLine(1)]).toEqual([true, false]);
});

test("Δ exists for trained tokens only, and is missing if a side is", () => {
  const model = sequenceModel(
    madeSequence(["p", "a", "b", "c"], {
      promptLength: 1,
      mask: Uint8Array.of(1, 0, 1),
      rollout: Float32Array.of(-1, 0, Number.NaN),
      trainer: Float32Array.of(-0.5, -30, -1),
    }),
  );
  expect([...model.deltas]).toEqual([0.5, Number.NaN, Number.NaN]);
  expect(model.statistics).toMatchObject({ tokens: 2, measured: 1, maxAbs: 0.5, worst: 0 });
});

test("tokens that share a character are known to do so", () => {
  const model = sequenceModel(
    madeSequence([" a", [0xf0, 0x9f], [0x98], [0x80], "b", "e", "\u0301"], {
      flags: Uint8Array.of(0, 0, 2, 2, 0, 0, 0),
    }),
  );
  expect([0, 1, 2, 3, 4].map((place) => model.sharing(place))).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 4 },
    { from: 1, to: 4 },
    { from: 1, to: 4 },
    { from: 4, to: 5 },
  ]);
  expect(model.sharing(6)).toEqual({ from: 5, to: 7 });
});
