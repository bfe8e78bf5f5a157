import { describe, expect, it } from "vitest";
import { memorySource } from "../../io/file-source.ts";
import { tensorOver } from "./tensor.ts";

const at = { file: "a" };
const bits = Uint16Array.of(0x3c00, 0xc000, 0x7c00, 0x0001, 0xffff, 0x8000);

function over(dtype: "float16" | "bfloat16" | "uint16", littleEndian: boolean, strides = [2, 1]) {
  const bytes = new Uint8Array(2 + bits.byteLength);
  const view = new DataView(bytes.buffer, 2);
  for (const [i, half] of bits.entries()) view.setUint16(2 * i, half, littleEndian);
  const layout = { dtype, littleEndian, shape: [3, 2], strides, offset: 2, at };
  return tensorOver(memorySource("a", bytes), layout);
}

describe("bits of half precision", () => {
  it.each([
    ["float16", true],
    ["float16", false],
    ["bfloat16", true],
  ] as const)("are those in the file: %s, little-endian %s", async (dtype, littleEndian) => {
    const tensor = over(dtype, littleEndian);
    expect(await tensor.readBits!(0, 3)).toEqual(bits);
    expect(await tensor.readBits!(1, 2)).toEqual(bits.slice(2, 4));
    const columns = over(dtype, littleEndian, [1, 3]);
    expect(await columns.readBits!(0, 3)).toEqual(Uint16Array.from([0, 3, 1, 4, 2, 5], (i) => bits[i]!));
  });

  it("are not those of other types", () => {
    expect(over("uint16", true).readBits).toBeUndefined();
  });

  it("may lie in memory of the caller", async () => {
    const memory = new SharedArrayBuffer(64);
    const source = {
      ...memorySource("a", new Uint8Array(12)),
      slice: async (start: number, end: number, allocate?: (length: number) => Uint8Array) =>
        allocate!(end - start).fill(7),
    };
    const layout = { dtype: "float16", littleEndian: true, shape: [6], strides: [1], offset: 0, at } as const;
    const values = await tensorOver(source, layout).readBits!(
      0,
      6,
      (length) => new Uint8Array(memory, 0, length),
    );
    expect(values.buffer).toBe(memory);
  });
});
