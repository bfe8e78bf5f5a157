import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { createRecordBuilder, type RecordBuilder } from "./builder.ts";
import type { SequenceDraft } from "./sequence-draft.ts";

function builder(batchTokens?: number): RecordBuilder {
  const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
  return createRecordBuilder({ provenance, ...(batchTokens === undefined ? {} : { batchTokens }) });
}

function draft(length: number, more: Partial<SequenceDraft> = {}): SequenceDraft {
  return { length, responseMask: new Uint8Array(length).fill(1), ...more };
}

describe("createRecordBuilder", () => {
  it("packs sequences end to end and fills what is missing with NaN and -1", () => {
    const record = builder();
    record.push(
      draft(2, { rolloutLogprobs: Float32Array.of(-1, -2), promptTokenIds: Int32Array.of(7, 8, 9) }),
    );
    record.push(
      draft(1, { trainerLogprobs: Float64Array.of(-3), responseTokenIds: Float64Array.of(5), step: 4 }),
    );
    record.push(draft(0, { groupId: "g" }));
    record.push(
      draft(1, { rolloutLogprobs: Float32Array.of(-4), entropies: { trainer: Float32Array.of(0.5) } }),
    );
    const batch = record.flush();
    expect([...batch.offsets]).toEqual([0, 2, 3, 3, 4]);
    expect([...batch.rolloutLogprobs!]).toEqual([-1, -2, Number.NaN, -4]);
    expect([...batch.trainerLogprobs!]).toEqual([Number.NaN, Number.NaN, -3, Number.NaN]);
    expect([...batch.responseTokenIds!]).toEqual([-1, -1, 5, -1]);
    expect([...batch.entropies.trainer!]).toEqual([Number.NaN, Number.NaN, Number.NaN, 0.5]);
    expect([...batch.promptOffsets!]).toEqual([0, 3, 3, 3, 3]);
    expect([...batch.promptTokenIds!]).toEqual([7, 8, 9]);
    expect([...batch.steps]).toEqual([Number.NaN, 4, Number.NaN, Number.NaN]);
    expect(batch.groupIds).toEqual([undefined, undefined, "g", undefined]);
    expect([...batch.rows]).toEqual([0, 1, 2, 3]);
    expect([...batch.sourceOffsets]).toEqual([-1, -1, -1, -1]);
    expect(batch.advantages).toBeUndefined();
    expect(batch.weightVersions).toBeUndefined();
  });

  it("has a column of facts from the first sequence that knows it, and none where nobody does", () => {
    const record = builder();
    record.push(draft(1));
    record.push(draft(1, { finishReason: "length", cachedTokens: 0 }));
    record.push(draft(1, { engineId: "b", trainerPromptTokenIds: Int32Array.of(4, 5) }));
    record.push(draft(1, { cachedTokens: Number.NaN }));
    const batch = record.flush();
    expect(batch.finishReasons).toEqual([undefined, "length", undefined, undefined]);
    expect(batch.engineIds).toEqual([undefined, undefined, "b", undefined]);
    expect(batch.cachedTokens).toEqual(Float64Array.of(Number.NaN, 0, Number.NaN, Number.NaN));
    expect([...batch.trainerPromptOffsets!]).toEqual([0, 0, 0, 2, 2]);
    record.push(draft(1));
    const next = record.flush();
    for (const name of ["finishReasons", "engineIds", "cachedTokens", "trainerPromptTokenIds", "keptMass"])
      expect(name in next).toBe(false);
  });

  it("keeps single precision while nothing is lost, and decides anew for each batch and column", () => {
    const record = builder();
    const [single, double] = [Math.fround(-0.1), -0.123456789012345];
    record.push(
      draft(2, {
        rolloutLogprobs: Float64Array.of(single, -0.5),
        trainerLogprobs: Float64Array.of(-0.5, double),
      }),
    );
    record.push(
      draft(1, { rolloutLogprobs: Float64Array.of(Number.NaN), trainerLogprobs: Float32Array.of(-0.25) }),
    );
    const first = record.flush();
    expect(first.rolloutLogprobs).toEqual(Float32Array.of(single, -0.5, Number.NaN));
    expect(first.trainerLogprobs).toEqual(Float64Array.of(-0.5, double, -0.25));
    record.push(draft(1, { trainerLogprobs: Float64Array.of(-0.5) }));
    expect(record.flush().trainerLogprobs).toEqual(Float32Array.of(-0.5));
  });

  it("reads decimals of at most nine digits back as the float32 that they were printed from", () => {
    const record = builder();
    const singles = Float32Array.from({ length: 500 }, (_, i) => -((i * 0.7310585) ** 2) - 1e-5);
    const printed = Float64Array.from(singles, (value) => Number(value.toPrecision(9)));
    record.push(draft(500, { rolloutLogprobs: printed }));
    expect(record.flush().rolloutLogprobs).toEqual(singles);
    printed[499] = -0.12345678901;
    record.push(draft(500, { rolloutLogprobs: printed }));
    expect(record.flush().rolloutLogprobs).toEqual(printed);
  });

  it("keeps infinities and signed zeros, and grows beyond its first capacity", () => {
    const record = builder();
    const values = Float64Array.from({ length: 5000 }, (_, i) => -i / 4);
    values.set([-Infinity, Infinity, -0], 100);
    record.push(draft(5000, { rolloutLogprobs: values }));
    record.push(draft(3000, { rolloutLogprobs: values.subarray(0, 3000) }));
    const batch = record.flush();
    expect(batch.rolloutLogprobs!.length).toBe(8000);
    expect(Object.is(batch.rolloutLogprobs![102], -0)).toBe(true);
    expect([...batch.rolloutLogprobs!.subarray(5100, 5102)]).toEqual([-Infinity, Infinity]);
    expect(batch.responseMask.every((bit) => bit === 1)).toBe(true);
  });

  it("copies: what happens to the source afterwards changes nothing, and a flushed batch is no longer touched", () => {
    const record = builder();
    const values = Float32Array.of(-1, -2);
    record.push(draft(2, { rolloutLogprobs: values }));
    values.fill(0);
    const batch = record.flush();
    record.push(draft(2, { rolloutLogprobs: Float32Array.of(-8, -9) }));
    expect([...batch.rolloutLogprobs!]).toEqual([-1, -2]);
  });

  it("expands one advantage over the tokens with mask 1", () => {
    const record = builder();
    record.push(draft(3, { responseMask: Uint8Array.of(1, 0, 1), advantages: 0.5 }));
    record.push(draft(1, { advantages: Float64Array.of(0.1) }));
    expect(record.flush().advantages).toEqual(Float32Array.of(0.5, 0, 0.5, 0.1));
  });

  it("reads masks as zero or not zero and reports what was neither 0 nor 1", () => {
    const odd: [number | undefined, number][] = [];
    const record = createRecordBuilder({
      provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
      onOddMask: ({ row }, count) => odd.push([row, count]),
    });
    record.push(draft(2, { row: 0 }));
    record.push(draft(4, { row: 1, responseMask: Float64Array.of(0, 2, 0.5, Number.NaN) }));
    expect([...record.flush().responseMask]).toEqual([1, 1, 0, 1, 1, 0]);
    expect(odd).toEqual([[1, 3]]);
  });

  it("reads ids that are negative or beyond any vocabulary as missing, in whichever array they come", () => {
    const ids = [
      [3, 0, 2 ** 24],
      [3, -100, 4],
      [-1, -1, -1],
      [5, 2 ** 24 + 1, 2 ** 31 - 1, -(2 ** 31)],
    ];
    const packed = (make: (values: number[]) => Int32Array | Float64Array) => {
      const packing = builder();
      for (const values of ids) packing.push(draft(values.length, { responseTokenIds: make(values) }));
      return [...packing.flush().responseTokenIds!];
    };
    const expected = [3, 0, 2 ** 24, 3, -1, 4, -1, -1, -1, 5, -1, -1, -1];
    expect(packed((values) => Int32Array.from(values))).toEqual(expected);
    expect(packed((values) => Float64Array.from(values))).toEqual(expected);
    const others = builder();
    const wild = Int32Array.of(7, 2 ** 31 - 1);
    others.push(
      draft(2, {
        promptTokenIds: wild,
        trainerPromptTokenIds: wild,
        positionIds: wild,
        weightVersions: wild,
        topK: { rollout: { k: 1, ids: wild, logprobs: Float32Array.of(-1, -2) } },
      }),
    );
    const { promptTokenIds, trainerPromptTokenIds, topK, positionIds, weightVersions } = others.flush();
    for (const column of [promptTokenIds, trainerPromptTokenIds, topK.rollout!.ids])
      expect([...column!]).toEqual([7, -1]);
    // Positions and versions are not ids of a vocabulary.
    for (const column of [positionIds, weightVersions]) expect(column).toEqual(wild);
  });

  it("sees an odd mask and a negative id at any place of an array of any length", () => {
    for (let length = 1; length <= 13; length++) {
      for (let at = 0; at < length; at++) {
        for (const value of [-1, 2, 256, -(2 ** 31)]) {
          const values = new Int32Array(length).map((_, i) => i % 2);
          values[at] = value;
          let odd = 0;
          const record = createRecordBuilder({
            provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
            onOddMask: (_, count) => {
              odd += count;
            },
          });
          record.push(draft(length, { responseMask: values, responseTokenIds: values }));
          const { responseMask, responseTokenIds } = record.flush();
          expect(odd).toBe(1);
          expect([...responseMask]).toEqual([...values].map((one) => (one === 0 ? 0 : 1)));
          expect([...responseTokenIds!]).toEqual([...values].map((one) => Math.max(one, -1)));
        }
      }
    }
  });

  it("keeps top-k alternatives, -1 and NaN where a sequence has none", () => {
    const record = builder();
    record.push(draft(1));
    record.push(
      draft(1, { topK: { rollout: { k: 2, ids: Int32Array.of(3, 4), logprobs: Float32Array.of(-1, -2) } } }),
    );
    const { rollout } = record.flush().topK;
    expect([rollout!.k, [...rollout!.ids], [...rollout!.logprobs]]).toEqual([
      2,
      [-1, -1, 3, 4],
      [Number.NaN, Number.NaN, -1, -2],
    ]);
  });

  it("is full after batchTokens tokens", () => {
    const record = builder(5);
    record.push(draft(3));
    expect(record.full).toBe(false);
    record.push(draft(2));
    expect([record.full, record.length, record.tokens]).toEqual([true, 2, 5]);
    record.flush();
    expect([record.full, record.length, record.tokens]).toEqual([false, 0, 0]);
  });

  it("refuses a column of another length", () => {
    const record = builder();
    const attempt = (): void => record.push(draft(3, { trainerLogprobs: Float32Array.of(-1, -2) }));
    expect(attempt).toThrow("trainer log-probs: 2 values, expected 3 for 3 response tokens");
    try {
      attempt();
    } catch (error) {
      expect(isLogratioError(error, "LengthMismatchError")).toBe(true);
    }
  });
});
