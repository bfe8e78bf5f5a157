import { describe, expect, it } from "vitest";
import type { LogitBlock } from "../../core/kernels/logit-block.ts";
import { emptySlot, sharedBlocks } from "./shared-rows.ts";

const shared = (bytes: number) => new SharedArrayBuffer(bytes);

describe("blocks of logits for threads", () => {
  const logits = (values: Float32Array | Uint16Array): LogitBlock => ({
    format: values instanceof Float32Array ? "float32" : "bfloat16",
    values,
    rows: 1,
    vocabulary: values.length,
  });

  it("are as they are where they are shared already, else copies in the slot", () => {
    const slot = emptySlot();
    const there = logits(new Float32Array(shared(12)).fill(2));
    expect(sharedBlocks([there], slot)).toEqual([there]);
    expect(slot.buffer.byteLength).toBe(0);
    const halves = logits(Uint16Array.of(1, 2, 3));
    const [p, q] = sharedBlocks([halves, there], slot);
    expect(q).toBe(there);
    expect(p).toEqual(halves);
    expect(p.values.buffer).toBe(slot.buffer);
    const [first, second] = sharedBlocks([halves, logits(Float32Array.of(5))], slot);
    expect([first.values, second.values]).toEqual([halves.values, Float32Array.of(5)]);
  });
});
