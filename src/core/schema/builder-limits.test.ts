import { describe, expect, it } from "vitest";
import { LengthMismatchError } from "../base/errors.ts";
import { createRecordBuilder, MOST_TEXT } from "./builder.ts";
import { wasSingle } from "./packed-column.ts";
import type { SequenceDraft } from "./sequence-draft.ts";

const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;

function draft(length: number, more: Partial<SequenceDraft> = {}): SequenceDraft {
  return { length, responseMask: new Uint8Array(length).fill(1), ...more };
}

describe("when a batch is full", () => {
  it("after eight times as many prompt tokens, since they cost less", () => {
    const record = createRecordBuilder({ provenance, batchTokens: 10 });
    record.push(draft(1, { promptTokenIds: new Int32Array(79) }));
    expect(record.full).toBe(false);
    record.push(draft(1, { promptTokenIds: new Int32Array(1) }));
    expect(record.full).toBe(true);
    record.flush();
    expect(record.full).toBe(false);
  });

  it("after 8,192 sequences, however short", () => {
    const record = createRecordBuilder({ provenance });
    for (let left = 8192; left > 1; left--) record.push(draft(0));
    expect(record.full).toBe(false);
    record.push(draft(0));
    expect(record.full).toBe(true);
  });

  it("after 32 Mi characters of prompts and responses together", () => {
    const record = createRecordBuilder({ provenance });
    const half = "a".repeat(MOST_TEXT / 2);
    record.push(draft(1, { promptText: half, responseText: half.slice(1) }));
    expect(record.full).toBe(false);
    record.push(draft(1, { responseText: "a" }));
    expect(record.full).toBe(true);
    record.flush();
    expect(record.full).toBe(false);
  });
});

describe("a flushed batch", () => {
  it("leaves nothing behind: the next one has its own columns, policies and top-k", () => {
    const record = createRecordBuilder({ provenance });
    const one = Float32Array.of(-1);
    const ids = Int32Array.of(1);
    record.push(
      draft(1, {
        rolloutLogprobs: one,
        advantages: one,
        responseTokenIds: ids,
        promptTokenIds: ids,
        policyLogprobs: { reference: one },
        entropies: { trainer: one },
        topK: { rollout: { k: 1, ids, logprobs: one } },
        array: { layout: "padded", start: 3, width: 8 },
        sampleId: "s",
      }),
    );
    record.flush();
    record.push(
      draft(2, { topK: { rollout: { k: 2, ids: new Int32Array(4), logprobs: new Float32Array(4) } } }),
    );
    const next = record.flush();
    for (const column of ["rolloutLogprobs", "advantages", "responseTokenIds", "promptTokenIds"] as const) {
      expect(next[column]).toBeUndefined();
    }
    expect(Object.keys(next.policyLogprobs)).toEqual([]);
    expect(Object.keys(next.entropies)).toEqual([]);
    expect(next.topK.rollout!.k).toBe(2);
    expect(next).toMatchObject({ length: 1, sampleIds: [undefined] });
    expect([...next.offsets]).toEqual([0, 2]);
    expect(next.rows).toEqual(Int32Array.of(0));
  });

  it("has the sequences' places in the source's array where all of them have one", () => {
    const record = createRecordBuilder({ provenance });
    record.push(draft(1, { array: { layout: "packed", start: 3, width: 8 } }));
    record.push(draft(1, { array: { layout: "packed", start: 5, width: 8 } }));
    expect(record.flush().arrays).toEqual({
      layout: "packed",
      starts: Int32Array.of(3, 5),
      widths: Int32Array.of(8, 8),
    });
    record.push(draft(1, { array: { layout: "packed", start: 3, width: 8 } }));
    record.push(draft(1));
    expect("arrays" in record.flush()).toBe(false);
    record.push(draft(1));
    expect("arrays" in record.flush()).toBe(false);
  });

  it("names what provenance and sampling it has, and what each sequence is", () => {
    const record = createRecordBuilder({ provenance, sampling: { temperature: 0.5 } });
    record.push(
      draft(1, {
        step: 0,
        rank: 0,
        row: 7,
        pack: 2,
        reward: -1,
        correctness: 0,
        sourceOffset: 0,
        environment: "e",
        promptText: "p",
        responseText: "r",
        positionIds: Int32Array.of(3),
        weightVersions: Int32Array.of(4),
      }),
    );
    const batch = record.flush();
    expect(batch).toMatchObject({
      provenance,
      sampling: { temperature: 0.5 },
      steps: Float64Array.of(0),
      ranks: Float64Array.of(0),
      rows: Int32Array.of(7),
      packs: Int32Array.of(2),
      rewards: Float64Array.of(-1),
      correctness: Float64Array.of(0),
      sourceOffsets: Float64Array.of(0),
      environments: ["e"],
      promptTexts: ["p"],
      responseTexts: ["r"],
      positionIds: Int32Array.of(3),
      weightVersions: Int32Array.of(4),
    });
    expect(createRecordBuilder({ provenance }).flush().sampling).toEqual({});
  });
});

describe("columns of a batch", () => {
  it("are absent, with what belongs to them, where no sequence has them", () => {
    const record = createRecordBuilder({ provenance });
    record.push(draft(1));
    const batch = record.flush();
    for (const name of ["promptTokenIds", "promptOffsets", "arrays", "advantages"]) {
      expect(name in batch).toBe(false);
    }
  });

  it("take a mask that is neither 0 nor 1 though nobody asked to be told", () => {
    const record = createRecordBuilder({ provenance });
    record.push(draft(1, { responseMask: Uint8Array.of(7) }));
    expect(record.flush().responseMask).toEqual(Uint8Array.of(1));
  });

  it("refuse top-k lists of another k within one batch", () => {
    const record = createRecordBuilder({ provenance });
    const topK = (k: number) => ({
      rollout: { k, ids: new Int32Array(k), logprobs: new Float32Array(k) },
    });
    record.push(draft(1, { topK: topK(2) }));
    expect(() => record.push(draft(1, { topK: topK(3) }))).toThrow(LengthMismatchError);
  });

  it("take ids that a vocabulary may have, and call everything else missing", () => {
    const record = createRecordBuilder({ provenance });
    const ids = Float64Array.of(0, 2 ** 24, 2 ** 24 + 1, -1, -7, 1.5, Number.NaN);
    record.push(draft(7, { responseTokenIds: ids }));
    expect([...record.flush().responseTokenIds!]).toEqual([0, 2 ** 24, -1, -1, -1, -1, -1]);
  });

  it("keep values in place beyond their first capacity, in masks, ids and numbers of both widths", () => {
    const record = createRecordBuilder({ provenance });
    const double = -0.123456789012345;
    const length = 700;
    for (let i = 0; i < 4; i++) {
      record.push(
        draft(length, {
          responseMask: new Uint8Array(length).map((_, t) => (t + i) % 2),
          responseTokenIds: new Int32Array(length).fill(i),
          rolloutLogprobs: new Float64Array(length).fill(i === 2 ? double : -i),
          advantages: i,
        }),
      );
    }
    const batch = record.flush();
    for (let i = 0; i < 4; i++) {
      const [start, end] = [i * length, (i + 1) * length];
      expect(batch.responseMask.subarray(start, end)).toEqual(
        new Uint8Array(length).map((_, t) => (t + i) % 2),
      );
      expect(batch.responseTokenIds!.subarray(start, end).every((id) => id === i)).toBe(true);
      const wanted = i === 2 ? double : -i;
      expect(batch.rolloutLogprobs!.subarray(start, end).every((value) => value === wanted)).toBe(true);
    }
    expect(batch.advantages!.subarray(700, 703)).toEqual(Float32Array.of(1, 0, 1));
  });

  it("make missing what lies between two values, and behind the last, after growing too", () => {
    const record = createRecordBuilder({ provenance });
    record.push(draft(1, { trainerLogprobs: Float32Array.of(-1), positionIds: Int32Array.of(4) }));
    record.push(draft(3000));
    record.push(draft(1, { trainerLogprobs: Float32Array.of(-2), positionIds: Int32Array.of(5) }));
    record.push(draft(3000));
    const { trainerLogprobs, positionIds } = record.flush();
    const known = (values: ArrayLike<number>, isKnown: (value: number) => boolean) =>
      Array.from(values).flatMap((value, i) => (isKnown(value) ? [[i, value]] : []));
    expect(known(trainerLogprobs!, (value) => !Number.isNaN(value))).toEqual([
      [0, -1],
      [3001, -2],
    ]);
    expect(known(positionIds!, (value) => value !== -1)).toEqual([
      [0, 4],
      [3001, 5],
    ]);
  });
});

describe("wasSingle", () => {
  const widest = [-0.123456789, 1.23456789, 12.3456789, 123456.789, 0.00123456789, 1.23456789e-7];

  it("holds for float32 and for decimals of nine digits, near zero and far from it", () => {
    for (const value of [0, -1, 1e9, Number.NaN, -Infinity, Math.fround(0.1), 999_999_999, ...widest]) {
      expect([value, wasSingle(value)]).toEqual([value, true]);
    }
  });

  it("does not hold for one digit more", () => {
    for (const value of [
      -0.1234567891, 1.234567891, 12.34567891, 123456.7891, 0.001234567891, 1.234567891e-7,
    ]) {
      expect([value, wasSingle(value)]).toEqual([value, false]);
    }
    expect(wasSingle(1 / 3)).toBe(false);
  });

  it("counts digits from the first that is not zero, at powers of ten too", () => {
    expect(wasSingle(0.100000001)).toBe(true);
    expect(wasSingle(0.1000000001)).toBe(false);
    expect(wasSingle(1.00000001)).toBe(true);
    expect(wasSingle(1.000000001)).toBe(false);
    expect(wasSingle(10.0000001)).toBe(true);
    expect(wasSingle(10.00000001)).toBe(false);
  });
});
