import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { absolutePosition, isChunkStart, measureChunks } from "./chunks.ts";

/** A row of a prompt of so many tokens, clearly off at these of its positions. */
const row = (prompt: number, tokens: number, off: readonly number[], size = 1): GivenRow => ({
  rollout: new Array(tokens).fill(-2),
  trainer: Array.from({ length: tokens }, (_, t) => (off.includes(prompt + t) ? -2 - size : -2)),
  prompt: new Int32Array(prompt),
});
const chunks = (...rows: readonly GivenRow[]) => measureChunks(makeView(rows));

describe("the chunk size", () => {
  it("is the one whose starts hold what is off", () => {
    expect(chunks(row(3, 20, [5, 10, 15, 20]))).toEqual({
      ...{ chunk: 5, starts: 4, offAtStarts: 4, offElsewhere: 0, worst: [2, 7, 12, 17] },
    });
    expect(chunks(row(0, 20, [8, 16, 3]), row(2, 20, [8]))).toEqual({
      ...{ chunk: 8, starts: 4, offAtStarts: 3, offElsewhere: 1, worst: [8, 16, 26] },
    });
  });

  it("is 4 at least and no larger than the last position", () => {
    expect(chunks(row(0, 13, [3, 6, 9, 12]))?.chunk).toBe(6);
    expect(chunks(row(0, 9, [4, 8]))).toMatchObject({ chunk: 4, starts: 2, offAtStarts: 2 });
    expect(chunks(row(0, 5, [4]))).toEqual({
      chunk: 4,
      starts: 1,
      offAtStarts: 1,
      offElsewhere: 0,
      worst: [4],
    });
    expect(chunks(row(0, 4, [3]))).toBeNull();
    expect(chunks(row(16384, 16386, [32768]))?.chunk).toBe(32768);
    expect(chunks(row(32768, 2, [32769]))?.offAtStarts).toBe(0);
  });

  it("is the smaller of two that separate as well", () => {
    // Of 4, 6 and 12 alike, 12 is the only start.
    expect(chunks(row(12, 1, [12]))).toMatchObject({ chunk: 4, starts: 1, offAtStarts: 1 });
  });

  it("weighs starts that are not off, and what is off elsewhere, by half", () => {
    // Of 4: 2 of 4 starts, 1 elsewhere: 2 − 1 − 0.5; of 7: 2 of 2, 1 elsewhere: 2 − 0.5.
    expect(chunks(row(1, 16, [4, 7, 14]))).toMatchObject({ chunk: 7, starts: 2, offElsewhere: 1 });
    // Of 4: 3 of 4 starts, 1 elsewhere: 3 − 0.5 − 0.5; of 5: 1 of 3, 3 elsewhere.
    expect(chunks(row(1, 16, [4, 5, 8, 16]))).toMatchObject({ chunk: 4, starts: 4, offElsewhere: 1 });
    // Of 8, both starts and two elsewhere: 1; of 4, three of four starts and one elsewhere: 2.
    expect(chunks(row(1, 16, [4, 8, 16, 3]))?.chunk).toBe(4);
  });

  it("is not said without prompts, own tokens, or any that is clearly off", () => {
    const { prompt: _, ...without } = row(0, 20, [8, 16]);
    expect(chunks(without)).toBeNull();
    expect(chunks()).toBeNull();
    expect(chunks(row(0, 20, [8, 16], 0.25))).toBeNull();
    expect(chunks(row(0, 20, [8, 16], 0.26))?.chunk).toBe(8);
    expect(chunks(row(0, 20, [8, 16], -0.26))?.worst).toEqual([8, 16]);
    expect(chunks({ ...row(0, 20, [8, 16]), mask: new Array(20).fill(0) })).toBeNull();
    const mask = Array.from({ length: 20 }, (_, t) => (t === 16 ? 0 : 1));
    expect(chunks({ ...row(0, 20, [8, 16]), mask })).toMatchObject({ offAtStarts: 1, worst: [8] });
  });
});

it("a chunk starts at its multiples, the prompt included, but not at 0", () => {
  const view = makeView([row(0, 9, []), row(3, 6, []), { rollout: [-1, -1, -1, -1, -1] }]);
  const positions = Array.from({ length: view.tokens }, (_, i) => absolutePosition(view, i));
  const none = new Array(5).fill(undefined);
  expect(positions).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, ...none]);
  expect([...positions.keys()].filter((i) => isChunkStart(view, i, 4))).toEqual([4, 8, 10, 14]);
});
