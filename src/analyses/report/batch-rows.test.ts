import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { describePlace, findRow, iterateRuns, known, readOutcome } from "./batch-rows.ts";
import { worstOf } from "./worst-lists.ts";

describe("rows of a batch", () => {
  it("are found by a token: the last that starts at or before it", () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lengths, (rows) => {
        const offsets = Int32Array.from([0, ...rows]);
        for (let row = 1; row < offsets.length; row++) offsets[row]! += offsets[row - 1]!;
        for (let token = 0; token < offsets.at(-1)!; token++) {
          const row = findRow(offsets, token);
          expect(offsets[row]).toBeLessThanOrEqual(token);
          expect(offsets[row + 1]).toBeGreaterThan(token);
        }
      }),
    );
  });

  it("stand in runs of equal values, NaN being one", () => {
    const runs = (...values: number[]) => [...iterateRuns(Float64Array.from(values))];
    expect(runs()).toEqual([]);
    expect(runs(1, 1, Number.NaN, Number.NaN, 2)).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
    ]);
    expect(runs(0, -0)).toHaveLength(2);
  });

  it("end with the entropies of tokens with mask 1, the trainer's before the rollout's", () => {
    const batch = recordBatch([
      { deltas: "0 | 0 | 0 0", row: 0 },
      { deltas: "0", row: 1 },
    ]);
    const entropies = Float32Array.of(1, 8, 2, Number.NaN, 4);
    const read = (by: typeof batch.entropies) => readOutcome({ ...batch, entropies: by }, 0);
    expect(read({ rollout: entropies })).toMatchObject({
      responseTokens: 4,
      entropySum: 3,
      entropyTokens: 2,
    });
    expect(read({ rollout: entropies, trainer: new Float32Array(5).fill(0.5) })).toMatchObject({
      entropySum: 1.5,
      entropyTokens: 3,
    });
    expect(read({})).toMatchObject({ entropySum: 0, entropyTokens: 0 });
    expect(readOutcome({ ...batch, entropies: { rollout: entropies } }, 1).entropySum).toBe(4);
  });

  it("are called by what is known of them", () => {
    const batch = recordBatch(
      [
        { deltas: "0", step: 12, rank: 3, row: 41 },
        { deltas: "0", row: 7 },
      ],
      "a.npz",
    );
    expect(describePlace(batch, 0, 5)).toEqual({ handle: "s12.r3.q41.t5", step: 12, rank: 3, file: "a.npz" });
    expect(describePlace(batch, 1)).toEqual({ handle: "q7", step: null, rank: null, file: "a.npz" });
    expect([known(0, -1), known(-1, -1), known(Number.NaN, Number.NaN)]).toEqual([0, null, null]);
  });
});

describe("lists of the worst as bytes", () => {
  const encode = (list: readonly object[]): Uint8Array<ArrayBuffer> => {
    const bytes = new ByteWriter();
    worstOf<object>().write(list, bytes);
    return bytes.finish();
  };
  const decode = (bytes: Uint8Array<ArrayBuffer>) =>
    worstOf<{ handle: string; k3: number }>("handle", "k3").read(new ByteReader(bytes, "a part"));
  const text = (words: string): Uint8Array<ArrayBuffer> => {
    const bytes = new ByteWriter();
    bytes.text(words);
    return bytes.finish();
  };

  it("come back as they were, infinite figures too", () => {
    const list = [
      { handle: "q0", k3: Number.POSITIVE_INFINITY, delta: -1.5, rank: null },
      { handle: "q1", k3: 2, delta: Number.NEGATIVE_INFINITY, odd: Number.NaN },
    ];
    expect(decode(encode(list))).toEqual(list);
    expect(decode(encode([{ handle: "q2", k3: 0 }]))).toEqual([{ handle: "q2", k3: 0 }]);
    expect(decode(encode([]))).toEqual([]);
  });

  it.each([
    ["without what is needed", '[{"handle":"q0","k3":1},{"handle":"q0"}]'],
    ["of something else", "[1]"],
    ["that are not lists", '{"handle":"q0","k3":1}'],
    ["that are not JSON", "[{"],
  ])("are refused %s", (_, words) => {
    expect(() => decode(text(words))).toThrow("the list of worst tokens or sequences is not one");
  });
});
