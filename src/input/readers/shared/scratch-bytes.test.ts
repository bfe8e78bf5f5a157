import fc from "fast-check";
import { expect, it } from "vitest";
import { memorySource } from "../../io/file-source.ts";
import { withScratch } from "./scratch-bytes.ts";
import { tensorOver } from "./tensor.ts";

it("lends the same memory again, and never to two at once", async () => {
  const lent: Uint8Array[] = [];
  const use = (length: number, wait: Promise<void>) =>
    withScratch(async (allocate) => {
      const bytes = allocate(length);
      expect(bytes).toHaveLength(length);
      lent.push(bytes);
      await wait;
      return bytes.buffer;
    });
  const first = await use(1000, Promise.resolve());
  expect(await use(500, Promise.resolve())).toBe(first);
  let end = (): void => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const both = [use(10, held), use(20, held), use(30, held)];
  end();
  expect(new Set(await Promise.all(both)).size).toBe(3);
  // Smaller than what is requested, so other memory replaces it.
  await use(1 << 20, Promise.resolve());
  expect(lent.at(-1)!.byteOffset).toBe(0);
});

it("keeps memory of two, and none of more than 32 MiB", async () => {
  const take = (length: number) => withScratch(async (allocate) => allocate(length).buffer);
  const many = async (lengths: readonly number[]) => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const taken = lengths.map((length) =>
      withScratch(async (allocate) => {
        const { buffer } = allocate(length);
        await held;
        return buffer;
      }),
    );
    release();
    return await Promise.all(taken);
  };
  const limit = 32 * 1024 * 1024;
  const [first, second] = await many([limit, limit, limit]);
  const again = await many([1, 1, 1]);
  expect(new Set(again.slice(0, 2))).toEqual(new Set([first, second]));
  expect(again[2]!.byteLength).toBe(1);
  const large = await take(limit + 1);
  expect(await take(limit + 1)).not.toBe(large);
});

it("comes back from a reading that failed", async () => {
  let buffer: ArrayBufferLike | undefined;
  const failing = withScratch(async (allocate) => {
    buffer = allocate(64).buffer;
    throw new Error("cut off");
  });
  await expect(failing).rejects.toThrow("cut off");
  expect(await withScratch(async (allocate) => allocate(64).buffer)).toBe(buffer);
});

/** A source that copies every byte into the given memory, as files do. */
function fileLike(bytes: Uint8Array): ReturnType<typeof memorySource> {
  const source = memorySource("drawn", bytes);
  return {
    ...source,
    slice: async (start, end, allocate = (length) => new Uint8Array(length)) => {
      const target = allocate(end - start);
      target.set(await source.slice(start, end));
      return target;
    },
  };
}

it.each([
  ["int64", true],
  ["int64", false],
  ["uint64", true],
  ["float16", true],
  ["bfloat16", true],
  ["float32", false],
  ["float32", true],
] as const)(
  "rows of %s (little endian: %s) stay what they were while others are read",
  async (dtype, littleEndian) => {
    const width = dtype.endsWith("64") ? 8 : dtype === "float32" ? 4 : 2;
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 4 * 6 * width, maxLength: 4 * 6 * width }),
        async (bytes) => {
          const layout = {
            dtype,
            littleEndian,
            shape: [4, 6],
            strides: [6, 1],
            offset: 0,
            at: { file: "drawn" },
          };
          const tensor = tensorOver(fileLike(bytes), layout);
          const whole = tensorOver(memorySource("drawn", bytes.slice()), layout);
          const rows = await Promise.all([0, 1, 2, 3].map((row) => tensor.readRows(row, row + 1)));
          const again = await tensor.readRows(0, 4);
          const expected = [...(await whole.readRows(0, 4))];
          expect(rows.flatMap((row) => [...row])).toEqual(expected);
          expect([...again]).toEqual(expected);
        },
      ),
    );
  },
);

it.each(["int64", "uint64", "float32"] as const)("reads %s into memory of the caller", async (dtype) => {
  const bytes = new Uint8Array(dtype === "float32" ? 8 : 16);
  bytes.set([1, 2, 3], bytes.length / 2);
  const layout = { dtype, littleEndian: true, shape: [2], strides: [1], offset: 0, at: { file: "drawn" } };
  const own = new Uint8Array(new ArrayBuffer(1024)).fill(255);
  const read = await tensorOver(fileLike(bytes), layout).readRows(0, 2, (length) => own.subarray(0, length));
  expect(read.buffer).toBe(own.buffer);
  expect([...read]).toEqual([...(await tensorOver(memorySource("drawn", bytes), layout).readRows(0, 2))]);
});
