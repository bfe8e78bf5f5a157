import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import {
  type ByteStream,
  CHUNK_BYTES,
  decompress,
  openPlain,
  sniffCompression,
  sourceChunks,
} from "./decompress.ts";
import { createXxHash64 } from "./decompress-xxhash.ts";
import { unzstd } from "./decompress-zstd.ts";
import { memorySource } from "./file-source.ts";

const fixture = (name: string): Buffer => {
  return readFileSync(fileURLToPath(new URL(`../../../test/fixtures/json/${name}`, import.meta.url)));
};

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.slice(i, i + size);
}

interface Outcome {
  readonly bytes: Buffer;
  readonly error?: object;
}

/** Everything that came out, and how it ended. */
async function drain(chunks: AsyncIterable<Uint8Array>): Promise<Outcome> {
  const out: Uint8Array[] = [];
  try {
    for await (const chunk of chunks) out.push(chunk);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    const { _tag, message, at, likely, hint } = error;
    return { bytes: Buffer.concat(out), error: { _tag, message, at, likely, hint } };
  }
  return { bytes: Buffer.concat(out) };
}

const read = (bytes: Uint8Array, size = 1 << 20): Promise<Outcome> => {
  return drain(decompress({ name: "f", bytes: pieces(bytes, size) }));
};

const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${Math.sin(i)}\n`).join(""));
const cutLikely = "the file was being written or copied when it was read";
const cutHint = "wait until its writer has finished, or copy it again";

describe("decompress", () => {
  test.each([
    ["plain", text],
    ["gzip", gzipSync(text)],
    [
      "gzip in members",
      Buffer.concat([gzipSync(text.subarray(0, 1000)), gzipSync(""), gzipSync(text.subarray(1000))]),
    ],
    ["gzip with padding", Buffer.concat([gzipSync(text), Buffer.alloc(1000)])],
    ["an empty gzip", gzipSync("")],
    ["nothing", Buffer.alloc(0)],
    ["one byte", Buffer.from("x")],
  ])("%s, from a source and from streams of any pieces", async (name, bytes) => {
    const expected =
      name === "an empty gzip" || bytes.length < 2 ? bytes.subarray(0, name === "one byte" ? 1 : 0) : text;
    const outcomes = [await drain(decompress(memorySource("f", bytes)))];
    for (const size of [7, 1000, 65_536]) outcomes.push(await read(bytes, size));
    for (const outcome of outcomes) {
      expect([outcome.error, outcome.bytes.length]).toEqual([undefined, expected.length]);
      expect(outcome.bytes.equals(expected)).toBe(true);
    }
  });

  test("tells the kind of compression from the content", () => {
    expect(sniffCompression(gzipSync("x"))).toBe("gzip");
    expect(sniffCompression(fixture("arrow.jsonl.zst"))).toBe("zstd");
    expect(sniffCompression(fixture("zstd_skippable.jsonl.zst"))).toBe("zstd");
    expect(sniffCompression(Buffer.from('{"a": 1}'))).toBe("none");
    expect(sniffCompression(new Uint8Array(0))).toBe("none");
  });

  test("gives everything before the cut of a gzip file, wherever it is cut", async () => {
    const gz = gzipSync(text, { level: 1 });
    for (const length of [
      ...Array(30).keys(),
      1000,
      gz.length >> 1,
      gz.length - 9,
      gz.length - 4,
      gz.length - 1,
    ].slice(2)) {
      const { bytes, error } = await read(gz.subarray(0, length), 4096);
      expect(bytes.equals(text.subarray(0, bytes.length))).toBe(true);
      expect(bytes.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 40_000));
      expect(error).toEqual({
        _tag: "FormatError",
        message: `gzip data is cut off: the file ends at byte ${length}, inside a compressed member`,
        at: { file: "f", offset: length },
        likely: cutLikely,
        hint: cutHint,
      });
    }
  });

  test.each([
    [
      "other data behind the end",
      Buffer.concat([gzipSync(text), Buffer.alloc(8), Buffer.from("tail")]),
      /other data after its end|incorrect header check/,
    ],
    ["a wrong checksum", flip(gzipSync(text), -8), /incorrect data check/],
    ["a wrong length", flip(gzipSync(text), -1), /incorrect length check/],
    ["a damaged block", flip(gzipSync(text), 100, 5000), /gzip data is damaged near byte \d+: /],
  ])("says so of gzip with %s", async (_, bytes, message) => {
    for (const size of [1000, 1 << 20]) {
      const { error } = await read(bytes, size);
      expect(error).toMatchObject({
        _tag: "FormatError",
        message: expect.stringMatching(message),
        at: { file: "f" },
      });
    }
  });

  test("gives the blocks before the cut of a zstd file, wherever it is cut", async () => {
    const zst = fixture("zstd_blocks1.zst");
    const whole = (await read(zst)).bytes;
    let longest = 0;
    for (let length = 4; length < zst.length; length += length < 40 ? 1 : 9973) {
      const { bytes, error } = await read(zst.subarray(0, length), 5000);
      expect(bytes.equals(whole.subarray(0, bytes.length))).toBe(true);
      expect(error).toMatchObject({
        _tag: "FormatError",
        at: { file: "f", offset: length },
        likely: cutLikely,
        hint: cutHint,
      });
      longest = bytes.length;
    }
    expect(longest).toBeGreaterThan(100_000);
    const { error } = await read(zst.subarray(0, 50_000));
    expect((error as Error).message).toMatch(
      /^zstd data is cut off: the file ends at byte 50000, inside a block of \d+ bytes, of which \d+ are present$/,
    );
    expect((await read(zst.subarray(0, 3), 1)).error).toBeUndefined();
    expect(((await read(zst.subarray(0, zst.length - 1))).error as Error).message).toContain(
      "a frame's checksum of 4 bytes, of which 3",
    );
  });

  test("finds a zstd checksum that does not fit", async () => {
    const zst = fixture("zstd_frames.jsonl.zst");
    expect((await read(flip(zst, -1))).error).toEqual({
      _tag: "FormatError",
      message: `zstd data is damaged near byte ${zst.length - 4}: a frame's checksum does not match its content`,
      at: { file: "f", offset: zst.length - 4 },
      likely: "the file was damaged in a copy, or something else was appended to it",
      hint: "copy the file again; zstd -t says whether it is intact",
    });
  });

  test("says so of zstd that was damaged anywhere, and never goes on for ever", async () => {
    const zst = fixture("zstd_frames.jsonl.zst");
    const whole = (await read(zst)).bytes;
    for (let i = 4; i < zst.length; i++) {
      const { bytes, error } = await read(flip(zst, i));
      if (error === undefined) expect(bytes.equals(whole)).toBe(true);
    }
  });

  test.each([
    [
      "a window above the limit",
      [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x98],
      "LimitError",
      "zstd frame needs a window of 536870912 bytes; the limit is 134217728",
    ],
    [
      "a dictionary",
      [0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x00, 0x07],
      "UnsupportedError",
      "zstd frame needs dictionary 7, which is not in the file",
    ],
    [
      "a reserved block",
      [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x07, 0x00, 0x00],
      "FormatError",
      "zstd data is damaged near byte 6: a block of a reserved type",
    ],
    [
      "a huge block",
      [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0xfc, 0xff, 0xff],
      "FormatError",
      "zstd data is damaged near byte 6: a block of 2097151 bytes, above 131072",
    ],
  ])("refuses zstd with %s", async (_, bytes, tag, message) => {
    const { error } = await read(Buffer.from(bytes));
    expect(error).toMatchObject({ _tag: tag, message });
  });

  test("says so when other data follows a zstd frame", async () => {
    const zst = fixture("arrow.jsonl.zst");
    const { bytes, error } = await read(Buffer.concat([zst, Buffer.from("tail")]));
    expect(bytes.length).toBeGreaterThan(1000);
    expect(error).toMatchObject({
      _tag: "FormatError",
      message: `zstd data is damaged near byte ${zst.length}: other data where a frame should start`,
    });
  });

  test.each([
    ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
    ["bzip2", [...Buffer.from("BZh91AY&SY")]],
    ["lz4", [0x04, 0x22, 0x4d, 0x18]],
  ])("names %s, which is not read", async (name, bytes) => {
    expect((await read(Buffer.from(bytes))).error).toMatchObject({
      _tag: "UnsupportedError",
      message: `the file is compressed with ${name}; gzip and zstd are read`,
      hint: `decompress it first: ${name} -d`,
    });
  });

  test("passes on what the input raises, after the bytes before it", async () => {
    for (const bytes of [text, gzipSync(text), fixture("zstd_blocks1.zst")]) {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, bytes.length - 10);
        throw new Error("the disk is gone");
      }
      let count = 0;
      const run = async (): Promise<void> => {
        for await (const chunk of decompress({ name: "f", bytes: failing() })) count += chunk.length;
      };
      await expect(run()).rejects.toThrow("the disk is gone");
      expect(count).toBeGreaterThan(50_000);
    }
  });

  test("stops its input when the reader stops", async () => {
    for (const bytes of [text, gzipSync(text), fixture("zstd_blocks1.zst")]) {
      let closed = false;
      async function* input(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) yield* pieces(bytes, 10_000);
        } finally {
          closed = true;
        }
      }
      for await (const chunk of decompress({ name: "f", bytes: input() })) if (chunk.length > 0) break;
      expect(closed).toBe(true);
    }
  });
});

describe("openPlain", () => {
  test("shows the first bytes and gives them again", async () => {
    for (const input of [
      memorySource("f", gzipSync(text)),
      { name: "f", bytes: pieces(text, 100) } satisfies ByteStream,
    ]) {
      const plain = await openPlain(input, 1000);
      expect(plain.head).toEqual(text.subarray(0, 1000));
      expect(plain.compression).toBe("byteLength" in input ? "gzip" : "none");
      expect((await drain(plain.bytes)).bytes.equals(text)).toBe(true);
    }
  });

  test("leaves a fault behind the first bytes to the reader, and raises one before them", async () => {
    const gz = gzipSync(text);
    const plain = await openPlain(memorySource("f", gz.subarray(0, 50_000)), 1 << 20);
    expect((await drain(plain.bytes)).error).toBeDefined();
    await expect(openPlain(memorySource("f", gz.subarray(0, 12)))).rejects.toThrow("gzip data is cut off");
  });
});

test("sourceChunks covers a source exactly", async () => {
  for (const size of [1, 7, 99, 100, 101]) {
    const source = memorySource("f", text.subarray(0, 100));
    const sizes: number[] = [];
    for await (const chunk of sourceChunks(source, size)) sizes.push(chunk.length);
    expect(sizes.reduce((a, b) => a + b)).toBe(100);
    expect(sizes.length).toBe(Math.ceil(100 / size));
  }
});

/** Fills the given memory after a delay, as files do. */
function slowSource(bytes: Uint8Array): ByteSource {
  return {
    ...memorySource("f", bytes),
    async slice(start, end, allocate = (length) => new Uint8Array(length)) {
      const target = allocate(end - start);
      await new Promise((resolve) => setImmediate(resolve));
      target.set(bytes.subarray(start, end));
      return target;
    },
  };
}

describe("memory for chunks", () => {
  const long = Uint8Array.from({ length: 9 * CHUNK_BYTES + 5 }, (_, i) => (i * 7 + (i >> 12)) & 255);

  test("is used again once a reader says so, and not for the head", async () => {
    const plain = await openPlain(slowSource(long), 1000);
    plain.reuseMemory();
    const buffers = new Set<ArrayBufferLike>();
    let at = 0;
    for await (const chunk of plain.bytes) {
      expect(Buffer.compare(chunk, long.subarray(at, at + chunk.length))).toBe(0);
      at += chunk.length;
      buffers.add(chunk.buffer);
    }
    expect(at).toBe(long.length);
    // Two existed before, and one is read while the other is used.
    expect(buffers.size).toBe(4);
    expect(plain.head).toEqual(long.subarray(0, 1000));
  });

  test("is each chunk's own for all others", async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await openPlain(slowSource(long))).bytes) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(long)).toBe(true);
  });

  test("is not given to others while it is being filled", async () => {
    const first = await openPlain(slowSource(long));
    first.reuseMemory();
    let seen = 0;
    for await (const _ of first.bytes) if (++seen === 4) break;
    const second = await openPlain(slowSource(long.toReversed()));
    second.reuseMemory();
    expect((await drain(copies(second.bytes))).bytes.equals(long.toReversed())).toBe(true);
  });
});

async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.slice();
}

test.each([
  // From the xxHash reference implementation, seed 0.
  ["", "ef46db3751d8e999"],
  ["a", "d24ec4f1a98c6e5b"],
  ["abc", "44bc2cf5ad770999"],
  ["The quick brown fox jumps over the lazy dog", "0b242d361fda71bc"],
])("XXH64 of %j", (input, expected) => {
  for (const size of [1, 3, 32, 100]) {
    const hash = createXxHash64();
    for (let i = 0; i < input.length; i += size) hash.update(Buffer.from(input).subarray(i, i + size));
    expect(hash.digest().toString(16).padStart(16, "0")).toBe(expected);
  }
});

describe("zstd in WebAssembly", () => {
  const names = [
    "arrow.jsonl.zst",
    "zstd_frames.jsonl.zst",
    "zstd_tiny_frames.jsonl.zst",
    "zstd_blocks19.zst",
    "zstd_skippable.jsonl.zst",
  ];
  const inWasm = (zst: Uint8Array) => drain(unzstd(pieces(zst, 1000), "f", false, 0));
  const inScript = (zst: Uint8Array) => drain(unzstd(pieces(zst, 1000), "f", false, Infinity));

  test.each(names)("gives what fzstd gives for %s, whole or cut", async (name) => {
    const zst = fixture(name);
    for (const length of [zst.length, zst.length - 3, zst.length >> 1, 9, 5]) {
      expect(await inWasm(zst.subarray(0, length))).toEqual(await inScript(zst.subarray(0, length)));
    }
  });

  test("decodes several frames at the same time, and again after a fault", async () => {
    const all = names.map(fixture);
    const wanted = await Promise.all(all.map(inScript));
    for (let round = 0; round < 3; round++) {
      expect(await Promise.all(all.map(inWasm))).toEqual(wanted);
      await inWasm(flip(all[3]!, 20_000 + round, 3));
    }
  });

  test("goes on after a block of no bytes", async () => {
    // One segment of three bytes: an empty raw block, then the last one, raw as well.
    const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0, 0, 0, (3 << 3) | 1, 0, 0, 97, 98, 99);
    const { bytes, error } = await inWasm(frame);
    expect(error).toBeUndefined();
    expect(String(bytes)).toBe(String(Buffer.from("abc")));
  });

  test("refuses what is damaged in any place, after the bytes before it", async () => {
    // With a checksum and the size of its content.
    const zst = Buffer.concat([0, 1].map(() => fixture("zstd_blocks19.zst")));
    const whole = (await inScript(zst)).bytes;
    for (let at = 6; at < zst.length; at += sized(9973, 997)) {
      const { bytes, error } = await inWasm(flip(zst, at));
      expect(error, `byte ${at}`).toMatchObject({ at: { file: "f" } });
      expect(bytes.length).toBeLessThanOrEqual(whole.length);
    }
    for (const at of [-2, zst.length / 2 - 2]) {
      const wrong = flip(zst, at);
      const { error } = await inWasm(wrong);
      expect(error).toEqual((await inScript(wrong)).error);
      expect(JSON.stringify(error)).toMatch(/a frame's checksum does not match its content/);
    }
  });
});

const hasNative = "createZstdDecompress" in (await import("node:zlib"));
if (!hasNative)
  console.warn("skipped: zstd through node:zlib, because this Node has none (22.15 and later have it)");
describe.skipIf(!hasNative)("zstd through node:zlib", () => {
  test.each([
    "arrow.jsonl.zst",
    "zstd_frames.jsonl.zst",
    "zstd_tiny_frames.jsonl.zst",
    "zstd_blocks19.zst",
    "zstd_skippable.jsonl.zst",
  ])("gives what fzstd gives for %s, whole or cut", async (name) => {
    const zst = fixture(name);
    for (const length of [zst.length, zst.length - 3, zst.length >> 1]) {
      const cut = zst.subarray(0, length);
      const [native, script] = await Promise.all(
        [true, false].map((way) => drain(unzstd(pieces(cut, 1000), "f", way))),
      );
      expect(native).toEqual(script);
    }
  });
});

/** A copy in which `count` bytes from `at` on (from the end when negative) are changed. */
function flip(bytes: Uint8Array, at: number, count = 1): Buffer {
  const copy = Buffer.from(bytes);
  const start = at < 0 ? copy.length + at : at;
  for (let i = start; i < start + count; i++) copy[i]! ^= 0x55;
  return copy;
}
