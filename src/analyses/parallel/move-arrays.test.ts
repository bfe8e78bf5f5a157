import { expect, it } from "vitest";
import { moveArrays } from "./move-arrays.ts";

it("hands over arrays that own their memory, and copies those that share it", () => {
  const memory = new ArrayBuffer(64);
  const steps = new Float64Array(memory, 8, 2).fill(7);
  const rows = new Int32Array(new SharedArrayBuffer(8)).fill(3);
  const offsets = Int32Array.of(0, 4);
  const { value, buffers } = moveArrays({ steps, rows, offsets });
  expect(value.offsets).toBe(offsets);
  expect(buffers).toContain(offsets.buffer);
  expect(buffers).not.toContain(memory);
  for (const [copy, original] of [
    [value.steps, steps],
    [value.rows, rows],
  ] as const) {
    expect(copy).toEqual(original);
    expect(copy.buffer).not.toBe(original.buffer);
    expect(copy.buffer.byteLength).toBe(original.byteLength);
    expect(buffers).toContain(copy.buffer);
  }
});

it("finds arrays at any depth, and leaves all else as it is", () => {
  const ids = Int32Array.of(1, 2);
  const texts = ["a", undefined];
  const made = { length: 2, texts, provenance: { file: "a.npz" }, topK: { rollout: { k: 1, ids } } };
  const { value, buffers } = moveArrays(made);
  expect(value).toEqual(made);
  expect(value.texts).toBe(texts);
  expect(buffers).toEqual([ids.buffer]);
  const sent = structuredClone(value, { transfer: [...buffers] });
  expect(sent.topK.rollout.ids).toEqual(Int32Array.of(1, 2));
  expect(ids.length).toBe(0);
});
