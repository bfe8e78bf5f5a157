import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareRows, describeRows } from "../../core/kernels/distribution/index.ts";
import type { LogitBlock } from "../../core/kernels/logit-block.ts";
import { type Compiled, compile, RUNS_SOURCES } from "./compile.test-data.ts";
import { createDistributionPool, type DistributionPool } from "./distribution-pool.ts";

/** Enough for several tasks of two threads and the calling one. */
const ROWS = 61;

function logits(format: LogitBlock["format"], rows: number, vocabulary: number, seed: number): LogitBlock {
  const values =
    format === "float32" ? new Float32Array(rows * vocabulary) : new Uint16Array(rows * vocabulary);
  let state = seed;
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // As bits of bfloat16: positive and negative numbers up to 8.
    values[i] = format === "float32" ? (state / 2 ** 32) * 12 - 6 : ((state >>> 31) << 15) | (state % 0x4100);
  }
  // What the kernel leaves to the reference implementation.
  values[3 * vocabulary + 1] = format === "float32" ? Number.NEGATIVE_INFINITY : 0xff80;
  return { format, values, rows, vocabulary };
}

const tokens = Int32Array.from({ length: ROWS }, (_, row) => (row === 5 ? -1 : row * 31));

describe("worker threads over rows of logits", () => {
  let compiled: Compiled;
  let pool: DistributionPool;
  let startAnother: () => DistributionPool;
  beforeAll(async () => {
    compiled = await compile();
    const built = await compiled.load<{ createDistributionPool: typeof createDistributionPool }>(
      "analyses/parallel/distribution-pool",
    );
    startAnother = () => built.createDistributionPool(3);
    pool = startAnother();
  });
  afterAll(async () => {
    await pool.close();
    compiled.remove();
  });

  it("are two beside the calling one", () => {
    expect(pool.threads).toBe(2);
  });

  it.each(["float32", "bfloat16"] as const)("give what one thread gives, of %s", async (format) => {
    const [p, q] = [logits(format, ROWS, 40_000, 1), logits("float32", ROWS, 40_013, 2)];
    expect(await pool.compare(p, q, tokens, 5)).toEqual(compareRows(p, q, tokens, 5));
    expect(await pool.describe(p, tokens, 2)).toEqual(describeRows(p, tokens, 2));
  });

  it("may be asked anew before they have answered", async () => {
    const [p, q] = [logits("float32", ROWS, 40_000, 3), logits("float32", ROWS, 40_000, 4)];
    const [forth, back] = await Promise.all([pool.compare(p, q, tokens, 1), pool.compare(q, p, tokens, 1)]);
    expect(forth).toEqual(compareRows(p, q, tokens, 1));
    expect(back).toEqual(compareRows(q, p, tokens, 1));
  });

  it("share the rows of a block, and wait for none that is only starting", async () => {
    const fresh = startAnother();
    const p = logits("float32", ROWS, 40_000, 5);
    expect(await fresh.describe(p, tokens, 1)).toEqual(describeRows(p, tokens, 1));
    // By now they run: a block that takes one thread long.
    const many = Array.from({ length: 40 }, () => fresh.describe(p, tokens, 1));
    for (const rows of await Promise.all(many)) expect(rows).toEqual(describeRows(p, tokens, 1));
    await fresh.close();
  });

  it("leave nothing waiting when they are closed, and are not asked again", async () => {
    const short = startAnother();
    const p = logits("float32", ROWS, 40_000, 5);
    const working = short.describe(p, tokens, 1).then(
      () => "done",
      (error: Error) => error.message,
    );
    await short.close();
    expect(await working).toMatch(/^done$|a worker thread ended/);
    await expect(short.describe(p, tokens, 1)).rejects.toThrow("the pool is closed");
  });

  it.each([
    ["both", true, true],
    ["one", false, true],
  ])("read rows where they lie in shared memory (%s)", async (_, first, second) => {
    const shared = (block: LogitBlock): LogitBlock => {
      const values = new Float32Array(new SharedArrayBuffer(block.values.byteLength));
      values.set(block.values);
      return { ...block, values };
    };
    const [p, q] = [logits("float32", ROWS, 40_000, 6), logits("float32", ROWS, 40_000, 7)];
    const asked = pool.compare(first ? shared(p) : p, second ? shared(q) : q, tokens, 3);
    expect(await asked).toEqual(compareRows(p, q, tokens, 3));
  });

  it("refuse what one thread refuses", async () => {
    const [p, q] = [logits("float32", ROWS, 40_000, 1), logits("float32", 10, 40_000, 2)];
    await expect(pool.compare(p, q, tokens, 1)).rejects.toThrow("P has 61 rows, Q has 10");
    await expect(pool.describe(p, tokens.subarray(1), 1)).rejects.toThrow("60 tokens, 61 rows");
    await expect(pool.describe(p, tokens, -1)).rejects.toThrow("k must be a whole number");
    await expect(pool.describe({ ...p, vocabulary: 39_999 }, tokens, 1)).rejects.toThrow(
      "values, 2440000 are there",
    );
  });
});

it("are not started for one thread, nor from sources that Node cannot run", async () => {
  for (const threads of RUNS_SOURCES ? [1] : [1, 4]) {
    const pool = createDistributionPool(threads);
    expect(pool.threads).toBe(0);
    const p = logits("float32", ROWS, 50, 1);
    expect(await pool.describe(p, tokens, 1)).toEqual(describeRows(p, tokens, 1));
    await pool.close();
  }
});
