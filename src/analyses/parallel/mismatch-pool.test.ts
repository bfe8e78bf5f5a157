import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIELDS } from "../../core/kernels/layout.ts";
import { type MismatchTable, mismatchSums, type TokenBlock } from "../../core/kernels/mismatch.ts";
import { type Compiled, compile } from "./compile.test-data.ts";
import { createMismatchPool, type MismatchPool } from "./mismatch-pool.ts";

function block(rows: number, length: number, memory: (bytes: number) => ArrayBufferLike): TokenBlock {
  const n = rows * length;
  const rollout = new Float32Array(memory(n * 4));
  const trainer = new Float32Array(memory(n * 4));
  const mask = new Uint8Array(memory(n));
  let state = 3;
  for (let i = 0; i < n; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    rollout[i] = -(((state >>> 8) / 2 ** 24) ** 3);
    trainer[i] = rollout[i]! * (1 + 0.1 * Math.sin(i)) - (i % 9973 === 0 ? 30 : 0);
    mask[i] = i % 700 < 600 ? 1 : 0;
  }
  return { rollout, trainer, mask, offsets: Int32Array.from({ length: rows + 1 }, (_, row) => row * length) };
}

const own = (bytes: number): ArrayBufferLike => new ArrayBuffer(bytes);
const sharedMemory = (bytes: number): ArrayBufferLike => new SharedArrayBuffer(bytes);

function expectSame(actual: MismatchTable, expected: MismatchTable): void {
  expect(actual.rows).toEqual(expected.rows);
  expect(actual.rowTurns).toEqual(expected.rowTurns);
  expect(actual.turnRows).toEqual(expected.turnRows);
  expect(actual.turns.length).toBe(expected.turns.length);
  for (const [i, value] of expected.turns.entries()) {
    expect(Math.abs(actual.turns[i]! - value), `turn field ${i % FIELDS}`).toBeLessThanOrEqual(
      1e-6 * Math.abs(value),
    );
  }
}

describe("worker threads", () => {
  let compiled: Compiled;
  let worker: URL;
  let pool: MismatchPool;
  beforeAll(async () => {
    compiled = await compile();
    worker = compiled.findWorker("analyses/parallel/mismatch-worker");
    pool = createMismatchPool(2, worker);
  });
  afterAll(async () => {
    await pool.close();
    compiled.remove();
  });

  it.each([
    ["own", own],
    ["shared", sharedMemory],
  ] as const)("give what one thread gives, from %s memory", async (_, memory) => {
    const data = block(211, 2500, memory);
    expectSame(await pool.sums(data), mismatchSums(data));
    const part = { rowStart: 7, rowEnd: 180, turns: false } as const;
    expectSame(await pool.sums(data, part), mismatchSums(data, part));
  });

  it("take double precision, and a row longer than any task", async () => {
    const { rollout, trainer, mask } = block(1, 300_000, own);
    const data = {
      rollout: Float64Array.from(rollout),
      trainer,
      mask,
      offsets: Int32Array.of(0, 299_000, 299_000, 300_000),
    };
    expectSame(await pool.sums(data), mismatchSums(data));
    const mirrored = { ...data, rollout: trainer, trainer: data.rollout };
    expectSame(await pool.sums(mirrored), mismatchSums(mirrored));
  });

  it("serve several callers at once", async () => {
    const blocks = [
      block(400, 1000, own),
      block(150, 3000, sharedMemory),
      block(3, 100, own),
      block(700, 900, own),
    ];
    const tables = await Promise.all(blocks.map((data) => pool.sums(data)));
    for (const [i, table] of tables.entries()) expectSame(table, mismatchSums(blocks[i]!));
  });

  it("refuse bad blocks as mismatchSums does", async () => {
    const data = block(200, 2000, own);
    await expect(pool.sums({ ...data, mask: data.mask.subarray(1) })).rejects.toMatchObject({
      _tag: "LengthMismatchError",
    });
    await expect(pool.sums(data, { rowStart: 0, rowEnd: 201 })).rejects.toMatchObject({ _tag: "UsageError" });
  });

  it("reject what is pending or comes later when the pool is closed", async () => {
    const short = createMismatchPool(2, worker);
    const data = block(2000, 1000, own);
    const pending = short.sums(data);
    pending.catch(() => {});
    await short.close();
    await expect(pending).rejects.toThrow();
    await expect(short.sums(data)).rejects.toThrow("the pool is closed");
  });
});

describe("no threads", () => {
  it("is what one thread gets, and what uncompiled sources get where Node cannot run them", async () => {
    const data = block(150, 2000, own);
    const pools = [createMismatchPool(1), createMismatchPool(0)];
    if (!(process.features as { typescript?: unknown }).typescript) pools.push(createMismatchPool());
    for (const pool of pools) {
      expect(pool.threads).toBe(0);
      expect(await pool.sums(data)).toEqual(mismatchSums(data));
      await pool.close();
    }
  });
});
