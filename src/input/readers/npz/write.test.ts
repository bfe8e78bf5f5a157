import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Tensor } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { openZip } from "../../io/zip.ts";
import type { WrittenArray } from "../shared/written-array.ts";
import { openNpz } from "./npz.ts";
import { writeNpz } from "./write.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-npz-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(arrays: readonly WrittenArray[]): Promise<Uint8Array> {
  const path = join(folder, "written.npz");
  const target = await open(path, "w");
  await writeNpz(target, arrays);
  await target.close();
  return new Uint8Array(await readFile(path));
}

const KINDS = { float32: Float32Array, uint8: Uint8Array, int32: Int32Array } as const;

/** The values 1, 2, … of a type. */
function count(dtype: keyof typeof KINDS, shape: readonly number[]): Float32Array | Uint8Array | Int32Array {
  const values = new KINDS[dtype](shape.reduce((product, size) => product * size, 1));
  for (let i = 0; i < values.length; i++) values[i] = i + 1;
  return values;
}

/** Values 1, 2, …, in two pieces cut at any place. */
function makeArray(
  name: string,
  dtype: keyof typeof KINDS,
  shape: readonly number[],
  cut: number,
): WrittenArray {
  const { buffer } = count(dtype, shape);
  const bytes = new Uint8Array(buffer);
  async function* pieces() {
    yield bytes.subarray(0, cut);
    yield bytes.subarray(cut);
  }
  return { name, dtype, shape, pieces };
}

it("writes arrays that are read as they were, of any type and shape, in any pieces", async () => {
  const array = fc.record({
    dtype: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])),
    shape: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 3 }),
    cut: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(array, { minLength: 1, maxLength: 3 }), async (arrays) => {
      const written = arrays.map(({ dtype, shape, cut }, i) => makeArray(`column_${i}`, dtype, shape, cut));
      const { root } = await openNpz(memorySource("a.npz", await write(written)));
      expect(Object.keys(root)).toEqual(written.map(({ name }) => name));
      for (const { name, dtype, shape } of written) {
        const tensor = root[name] as Tensor;
        expect([tensor.dtype, tensor.shape]).toEqual([dtype, shape]);
        expect(await tensor.readRows(0, shape[0]!)).toEqual(count(dtype, shape));
      }
    }),
    { numRuns: 40 },
  );
});

it("writes what numpy.savez would: stored members, whose data begin at a multiple of 64 bytes", async () => {
  const zip = await openZip(memorySource("a.npz", await write([makeArray("x", "float32", [3], 5)])));
  const [member] = [...zip.members.values()];
  expect([member!.name, member!.method, member!.byteLength]).toEqual(["x.npy", "stored", 128 + 12]);
  for (const shape of [[3], [12, 345], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]) {
    const bytes = await write([makeArray("x", "uint8", shape, 1)]);
    const start = Buffer.from(bytes).indexOf("\x93NUMPY", 0, "latin1");
    const length = new DataView(bytes.buffer).getUint16(start + 8, true);
    expect((10 + length) % 64).toBe(0);
    const header = Buffer.from(bytes.subarray(start + 10, start + 10 + length)).toString("latin1");
    const tuple = shape.length === 1 ? "(3,)" : `(${shape.join(", ")})`;
    expect(header.trimEnd()).toBe(`{'descr': '|u1', 'fortran_order': False, 'shape': ${tuple}, }`);
    // NumPy's own readers require the line feed, with only blanks before it.
    expect(header).toMatch(/} *\n$/);
  }
});
