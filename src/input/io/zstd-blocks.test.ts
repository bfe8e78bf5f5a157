import * as zlib from "node:zlib";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { loadFastUnzstd, loadZstd, unzstdBlock } from "./zstd-blocks.ts";

afterEach(() => vi.restoreAllMocks());

// The order matters: what is loaded stays loaded.
describe.each([
  ["in memory", async () => {}],
  ["in memory, with the faster decompressor", loadFastUnzstd],
])("zstd blocks %s", (_, load) => {
  beforeAll(load);

  const plain = Uint8Array.from({ length: 70_000 }, (_, i) => (i * i) % 251);

  it("come back as they were", async () => {
    const compress = await loadZstd();
    const frames = [1, 255, 256, 300, 65_791, 65_792].map((length) => plain.subarray(0, length));
    for (const bytes of [plain, ...frames, new Uint8Array(500)])
      expect(Buffer.compare(unzstdBlock(compress(bytes), bytes.length), bytes)).toBe(0);
    expect(unzstdBlock(new Uint8Array(0), 0)).toHaveLength(0);
  });

  it("are refused where they are of another length", async () => {
    const packed = (await loadZstd())(plain);
    expect(() => unzstdBlock(packed, plain.length - 1)).toThrow();
    expect(() => unzstdBlock(packed, plain.length + 1)).toThrow();
    expect(() => unzstdBlock(packed.subarray(0, 50), plain.length)).toThrow();
    // Neither fzstd nor Node's own decompressor sees this.
    if (load === loadFastUnzstd && !("zstdDecompressSync" in zlib))
      expect(() => unzstdBlock(Buffer.concat([packed, packed]), plain.length)).toThrow();
  });

  it("are never made a text on their way", async () => {
    const packed = (await loadZstd())(plain);
    const join = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), "join");
    unzstdBlock(packed, plain.length);
    expect(join).not.toHaveBeenCalled();
  });
});

it.skipIf("zstdCompressSync" in zlib)(
  "are compressed as the package would, but not number by number",
  async () => {
    const compress = await loadZstd();
    const packages = await Zstd.load();
    for (const length of [0, 1, 1000, 300_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * i) % 251);
      const wanted = packages.compress(bytes);
      const spread = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), Symbol.iterator as never);
      const packed = compress(bytes);
      expect(spread).not.toHaveBeenCalled();
      spread.mockRestore();
      expect(packed).toEqual(wanted);
    }
  },
);
