import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { decompress } from "./decompress.ts";
import { memorySource } from "./file-source.ts";
import { openSeekable } from "./seekable.ts";

const at = (path: string): string =>
  fileURLToPath(new URL(`../../../test/fixtures/${path}`, import.meta.url));
/** Sealed by pyzstd in frames of 1 KiB. */
const SEALED = at("adapters/verifiers/monitors/file/traces/stream/00000.jsonl.zst");

async function whole(bytes: Uint8Array): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompress(memorySource("all", bytes))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("any slice of seekable frames is that of the whole", async () => {
  const packed = readFileSync(SEALED);
  const plain = await whole(packed);
  const seekable = (await openSeekable(memorySource("a", packed), "zstd"))!;
  expect(seekable.byteLength).toBe(plain.length);
  expect(plain.length).toBeGreaterThan(4096);
  for (const [start, end] of [
    [0, plain.length],
    [1000, 1100],
    [plain.length - 5, plain.length],
    [3000, 3001],
    [0, 1024],
    [7, 7],
  ] as const)
    expect(Buffer.from(await seekable.slice(start, end))).toEqual(plain.subarray(start, end));
});

test("plain bytes are as they lie, and other compressions have to be read from front to back", async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect([...(await (await openSeekable(memorySource("a", bytes), "none"))!.slice(1, 3))]).toEqual([2, 3]);
  for (const [file, compression] of [
    ["json/zstd_frames.jsonl.zst", "zstd"],
    ["json/gzip.jsonl.gz", "gzip"],
  ] as const) {
    const source = memorySource("a", readFileSync(at(file)));
    expect(await openSeekable(source, compression)).toBeUndefined();
  }
});

test("a table that does not fit the file is none", async () => {
  const packed = readFileSync(SEALED);
  const one = packed.subarray(1);
  expect(await openSeekable(memorySource("a", one), "zstd")).toBeUndefined();
  const crafted = Buffer.from(packed);
  // Four thousand million frames.
  crafted.writeUInt32LE(0xffffffff, crafted.length - 9);
  expect(await openSeekable(memorySource("a", crafted), "zstd")).toBeUndefined();
});

test("a damaged frame is an error when it is read, and others are not", async () => {
  const packed = Buffer.from(readFileSync(SEALED));
  const plain = await whole(packed);
  packed[40]! ^= 0xff;
  const seekable = (await openSeekable(memorySource("a", packed), "zstd"))!;
  await expect(seekable.slice(0, 10)).rejects.toMatchObject({ _tag: "FormatError" });
  expect(Buffer.from(await seekable.slice(plain.length - 9, plain.length))).toEqual(plain.subarray(-9));
});
