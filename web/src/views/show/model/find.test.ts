import { describe, expect, test } from "vitest";
import { parseFilter } from "../../../../../src/analyses/filter/filter.ts";
import { madeTable } from "../../../../../src/analyses/filter/made-table.test-data.ts";
import { HIT, hitAt, hitsWithin, joinedText, nextHit, textHits } from "./find.ts";
import { finderIn, pickTokenTerms } from "./finding.ts";
import { madeSequence } from "./made-sequence.test-data.ts";
import { sequenceModel } from "./sequence-model.ts";

const makeModel = (tokens: readonly (string | readonly number[])[], flags?: readonly number[]) =>
  sequenceModel(madeSequence(tokens, flags === undefined ? {} : { flags: Uint8Array.from(flags) }));

describe("text", () => {
  const found = (tokens: readonly string[], wanted: string): (readonly number[])[] => {
    const { from, to } = textHits(joinedText(makeModel(tokens)), wanted);
    return from.map((first, at) => [first, to[at]!]);
  };

  test("is found across tokens in either case, and only its own tokens are marked", () => {
    expect(found(["The", " an", "swer", " is", " An", "SWER"], "answer")).toEqual([
      [1, 3],
      [4, 6],
    ]);
    const { marked } = textHits(joinedText(makeModel(["a", "bc", "d", "e"])), "cd");
    const both = HIT.inside | HIT.first;
    expect([...marked]).toEqual([0, both, HIT.inside | HIT.last, 0]);
  });

  test("is taken literally, not as a pattern", () => {
    expect(found(["1+", "1=", "2 (a|b) [^c] \\d $5."], "1+1")).toEqual([[0, 2]]);
    for (const wanted of ["(a|b)", "[^c]", "\\d", "$5."])
      expect(found(["x", ` (a|b) [^c] \\d $5.`], wanted), wanted).toEqual([[1, 2]]);
    expect(found(["\\", "nabla"], "\\n")).toEqual([[0, 2]]);
  });

  test("that is in a token twice is one hit; hits that begin in the same token extend to the end of the last", () => {
    expect(found(["banana", "na"], "an")).toEqual([[0, 2]]);
  });

  test("is placed correctly after letters of several bytes and after bytes that are not text", () => {
    const tokens = ["é", "漢字", [0xf0, 0x9f], [0x98, 0x80], [0xff, 0x61], "end"];
    const joined = joinedText(makeModel(tokens, [0, 0, 0, 2, 0, 0]));
    expect(joined.text).toBe("é漢字😀\ufffdaend");
    expect(textHits(joined, "END").from).toEqual([5]);
    expect(textHits(joined, "😀").from).toEqual([2]);
    expect(textHits(joined, "字").from).toEqual([1]);
  });

  test("of 100,000 tokens is found wherever it is", () => {
    const model = makeModel(Array.from({ length: 100_000 }, (_, at) => ` token${at % 97} é`));
    const joined = joinedText(model);
    const { from } = textHits(joined, "N96 É");
    expect([...from]).toEqual(Array.from({ length: 1030 }, (_, hit) => 96 + 97 * hit));
  });
});

describe("the way from hit to hit", () => {
  const hits = { from: [2, 5, 9], to: [4, 6, 10], marked: new Uint8Array(12) };

  test("wraps around at the ends", () => {
    expect(nextHit(hits, -1, 1)).toBe(0);
    expect(nextHit(hits, 2, 1)).toBe(1);
    expect(nextHit(hits, 9, 1)).toBe(0);
    expect(nextHit(hits, 5, -1)).toBe(0);
    expect(nextHit(hits, 4, -1)).toBe(0);
    expect(nextHit(hits, 2, -1)).toBe(2);
    expect(nextHit({ from: [], to: [], marked: new Uint8Array(1) }, 0, 1)).toBeUndefined();
  });

  test("counts the hits in a part", () => {
    expect(hitsWithin(hits, 2, 9)).toBe(2);
    expect(hitsWithin(hits, 3, 5)).toBe(0);
    expect(hitsWithin(hits, 0, 12)).toBe(3);
  });

  test("knows which hit a place is in", () => {
    expect([0, 2, 3, 4, 5, 9, 11].map((place) => hitAt(hits, place))).toEqual([-1, 0, 0, -1, 1, 2, -1]);
    expect(hitAt(hits, undefined)).toBe(-1);
  });
});

describe("what the reader enters", () => {
  const model = sequenceModel(
    madeSequence(["p", "a", "7", "abs>0.5", "b"], {
      promptLength: 1,
      flags: Uint8Array.of(0, 0, 4, 0, 0),
      trainer: Float32Array.of(-1, -2, -1, -0.1),
    }),
  );
  const find = finderIn(model, true);

  test("is a filter if it can be read as one, with places from the prompt on", () => {
    expect(find("abs>0.5", false)).toMatchObject({ kind: "tokens", isFilter: true });
    expect(find("abs>0.5", false).hits.from).toEqual([2, 4]);
    expect(find("abs>0.5 is:number", false).hits.from).toEqual([2]);
  });

  test("is text otherwise, or on request", () => {
    expect(find("abs>0.5", true)).toMatchObject({ kind: "text", isFilter: true });
    expect(find("abs>0.5", true).hits.from).toEqual([3]);
    expect(find("turns>=1", false).kind).toBe("text");
    expect(find("abs>0.5 word", false).kind).toBe("text");
    expect(find("abs>0.5 turn:x", false).problem).toMatch(/"x"/);
  });

  test("with alternatives finds what any of them finds", () => {
    expect(find("abs>0.5 is:number | pos:0", false).hits.from).toEqual([1, 2]);
    expect(find("abs>0.5 -(is:number | pos:0)", false).hits.from).toEqual([4]);
    expect(find("abs>0.5 | word", false).kind).toBe("text");
    expect(find("(1|2)", false).kind).toBe("text");
  });

  test("from a filter on sequences is its terms on tokens", () => {
    const pick = (filter: string): string | undefined => pickTokenTerms(parseFilter(filter), undefined, 0);
    expect(pick("correct:no abs>0.5 -is:number")).toBe("abs>0.5 -is:number");
    expect(pick("correct:no")).toBeUndefined();
    expect(pick("")).toBeUndefined();
    expect(pick("correct:no abs>0.5 | turn:2")).toBe("abs>0.5 | turn:2");
  });

  test("from alternatives is the terms of those that the sequence matches", () => {
    const table = madeTable([{ correct: 0 }, { correct: 1, step: 3 }, {}]);
    const pick = (filter: string): (string | undefined)[] =>
      [0, 1, 2].map((row) => pickTokenTerms(parseFilter(filter), table, row));
    expect(pick("correct:no abs>0.5 | correct:yes is:number | step:3 turn:2")).toEqual([
      "abs>0.5",
      "is:number | turn:2",
      undefined,
    ]);
    expect(pick("correct:no | abs>1")).toEqual(["abs>1", "abs>1", "abs>1"]);
    // A single alternative is shown for every sequence, because the reader may have followed a link.
    expect(pick("correct:no abs>0.5")).toEqual(["abs>0.5", "abs>0.5", "abs>0.5"]);
  });
});
