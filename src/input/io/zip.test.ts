import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { countingSource } from "./counting-source.test-data.ts";
import { crc32Scalar } from "./crc32.ts";
import { memorySource } from "./file-source.ts";
import { LOCAL_HEADER_BYTES, openZip, type ZipArchive, type ZipMember } from "./zip.ts";
import { openMember, readMember } from "./zip-member.ts";
import { writeZip, type ZipFixtureMember } from "./zip-writer.test-data.ts";

/** Size of the header of a member named by one letter; it is read once, before the data. */
const LOCAL_HEADER = LOCAL_HEADER_BYTES + 1;
const LIKELY_CUT_OFF = "the file was probably cut off while it was being written";

/** Compressible, not periodic within a window, and larger than what is inflated in one go. */
const LARGE = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i % 251) ^ ((i / 4096) & 15));
const SMALL = Uint8Array.from({ length: 1000 }, (_, i) => i);

async function open(members: readonly ZipFixtureMember[]): Promise<ZipArchive> {
  return openZip(memorySource("a.zip", writeZip(members)));
}

function only(zip: ZipArchive): ZipMember {
  const [member] = zip.members.values();
  if (member === undefined) throw new Error("no member");
  return member;
}

async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLogratioError(error)) throw error ?? new Error("it did not fail");
  return { tag: error._tag, message: error.message, at: error.at, likely: error.likely };
}

describe("members", () => {
  it.each([
    ["stored", false, SMALL],
    ["stored", false, LARGE],
    ["deflated", true, SMALL],
    ["deflated", true, LARGE],
    ["deflated", true, new Uint8Array(0)],
  ])("reads %s members (%s) in any order of slices", async (_, deflate, bytes) => {
    const zip = await open([{ name: "x", bytes, deflate }]);
    const member = openMember(zip, only(zip));
    const spans = [
      [0, 10],
      [10, 128],
      [128, bytes.length],
      [0, bytes.length],
      [bytes.length - 7, bytes.length],
      [500, 900],
      [100, 100],
      [3, bytes.length - 1],
    ].filter(([start, end]) => start! >= 0 && start! <= end! && end! <= bytes.length);
    for (const [start, end] of spans) {
      const slice = await member.slice(start!, end!);
      expect(Buffer.compare(slice, bytes.subarray(start, end))).toBe(0);
    }
    await member.close();
  });

  it("serves slices that are asked for at the same time", async () => {
    const zip = await open([{ name: "x", bytes: LARGE, deflate: true }]);
    const member = openMember(zip, only(zip));
    const starts = [0, 1_000_000, 2_000_000];
    const slices = await Promise.all(starts.map((start) => member.slice(start, start + 1_000_000)));
    expect(Buffer.compare(Buffer.concat(slices), LARGE)).toBe(0);
  });

  it("reads a stored slice without the rest", async () => {
    const source = countingSource(memorySource("a.zip", writeZip([{ name: "x", bytes: LARGE }])));
    const zip = await openZip(source);
    source.reads.length = 0;
    await openMember(zip, only(zip)).slice(1_000_000, 1_000_100);
    expect(source.bytesRead()).toBe(LOCAL_HEADER + 100);
  });

  it("inflates the beginning without the rest", async () => {
    const noise = new Uint8Array(randomBytes(2_000_000));
    const source = countingSource(
      memorySource("a.zip", writeZip([{ name: "x", bytes: noise, deflate: true }])),
    );
    const zip = await openZip(source);
    source.reads.length = 0;
    const member = openMember(zip, only(zip));
    expect(await member.slice(0, 128)).toEqual(noise.slice(0, 128));
    expect(source.bytesRead()).toBe(LOCAL_HEADER + 1024);
    await member.slice(0, 500_000);
    expect(source.bytesRead()).toBeLessThan(1_200_000);
    await member.close();
  });
});

describe("bad archives", () => {
  const bytes = writeZip([
    { name: "a", bytes: SMALL },
    { name: "b", bytes: LARGE.subarray(0, 5000), deflate: true },
  ]);

  it("are cut off before the directory ends", async () => {
    for (const length of [3, 500, 1500, bytes.length - 1]) {
      expect(await failure(openZip(memorySource("a.zip", bytes.subarray(0, length))))).toEqual({
        tag: "FormatError",
        message: "zip archive has no end-of-central-directory record",
        at: { file: "a.zip", offset: length },
        likely: LIKELY_CUT_OFF,
      });
    }
  });

  it("are empty", async () => {
    expect(await failure(openZip(memorySource("a.zip", new Uint8Array(0))))).toMatchObject({
      tag: "EmptyInputError",
      message: "the file is empty (0 bytes)",
    });
  });

  it("have lost bytes in the middle", async () => {
    const gap = Buffer.concat([bytes.subarray(0, 200), bytes.subarray(400)]);
    expect(await failure(openZip(memorySource("a.zip", gap)))).toMatchObject({
      tag: "FormatError",
      message: expect.stringMatching(/^zip directory is damaged: /),
    });
  });

  it("point past their end", async () => {
    const declared = { byteLength: 5_000_000, compressedLength: 5_000_000 };
    expect(await failure(open([{ name: "x", bytes: SMALL, declared }]))).toMatchObject({
      message: "zip member is cut off: the directory places it at bytes 0 to 5000000, the file has 1100",
      at: { file: "a.zip", entry: "x", offset: 0 },
    });
  });

  it("promise more than deflate can pack", async () => {
    const declared = { byteLength: 4_000_000_000 };
    expect(await failure(open([{ name: "x", bytes: SMALL, deflate: true, declared }]))).toMatchObject({
      tag: "LimitError",
      message: expect.stringMatching(
        /^zip member declares 4000000000 bytes in \d+ deflated ones; deflate packs at most 1032 into one$/,
      ),
    });
  });

  it("list a name twice", async () => {
    const twice = [
      { name: "x", bytes: SMALL },
      { name: "x", bytes: SMALL },
    ];
    expect((await failure(open(twice))).message).toBe('zip directory lists two members named "x"');
  });

  it("are encrypted, or compressed by another method", async () => {
    expect((await failure(open([{ name: "x", bytes: SMALL, deflate: true, flags: 1 }]))).message).toBe(
      'zip member "x" is encrypted',
    );
    const zip = await open([{ name: "x", bytes: SMALL, method: 93 }]);
    expect(() => openMember(zip, only(zip))).toThrow(
      "zip member is compressed by method 93; stored (0) and deflate (8) are read",
    );
  });
});

describe("damaged members", () => {
  async function read(member: Omit<ZipFixtureMember, "name">): Promise<Record<string, unknown>> {
    const zip = await open([{ ...member, name: "x" }]);
    return failure(readMember(zip, only(zip)));
  }

  it.each([
    [false, SMALL],
    [true, SMALL],
    [true, LARGE],
  ])("do not match their checksum (deflated: %s)", async (deflate, bytes) => {
    const found = (crc32Scalar(bytes, 0) >>> 0).toString(16).padStart(8, "0");
    expect(await read({ bytes, deflate, declared: { crc32: 0x1234 } })).toMatchObject({
      tag: "FormatError",
      message: `zip member does not match its checksum: the directory says 0x00001234, the bytes give 0x${found}`,
      at: { file: "a.zip", entry: "x", offset: 0 },
    });
  });

  it("are found by the checksum when read in order, slice by slice", async () => {
    const zip = await open([{ name: "x", bytes: LARGE, declared: { crc32: 0x1234 } }]);
    const member = openMember(zip, only(zip));
    await member.slice(0, 1_000_000);
    await member.slice(1_000_000, 2_999_999);
    await expect(member.slice(2_999_999, 3_000_000)).rejects.toThrow(
      "zip member does not match its checksum",
    );
  });

  it("have no checksum at all, which torch can be told to", async () => {
    const zip = await open([{ name: "x", bytes: SMALL, declared: { crc32: 0 } }]);
    expect(await readMember(zip, only(zip))).toEqual(SMALL);
  });

  it.each([
    ["less", SMALL, 900, "900 bytes, at least 901"],
    ["more", SMALL, 1100, "1100 bytes, 1000"],
    ["less", LARGE, 2_900_000, "2900000 bytes, at least \\d+"],
    ["more", LARGE, 3_100_000, "3100000 bytes, 3000000"],
  ])("declare %s than they inflate to", async (_, bytes, byteLength, numbers) => {
    const error = await read({ bytes, deflate: true, declared: { byteLength } });
    expect(error.message).toMatch(
      new RegExp(`^zip member inflates to another size: the directory declares ${numbers} were produced$`),
    );
  });

  it("declare less, up to the end of an inflated chunk, and have no checksum", async () => {
    const declared = { byteLength: 11 * 256 * 1024, crc32: 0 };
    const error = await read({ bytes: LARGE, deflate: true, declared });
    expect(error.message).toMatch(/declares 2883584 bytes, at least \d+ were produced$/);
  });

  it.each([
    ["small", SMALL],
    ["large", LARGE],
  ])("end early (%s)", async (_, bytes) => {
    const whole = writeZip([{ name: "x", bytes, deflate: true }]);
    const { compressedLength } = only(await openZip(memorySource("a.zip", whole)));
    const declared = { compressedLength: compressedLength - 20 };
    expect(await read({ bytes, deflate: true, declared })).toMatchObject({
      message: "zip member is cut off: its deflate stream does not end",
      likely: LIKELY_CUT_OFF,
    });
  });

  it.each([
    ["small", SMALL],
    ["large", LARGE],
  ])("do not inflate (%s)", async (_, bytes) => {
    const zip = writeZip([{ name: "x", bytes, deflate: true }]);
    zip.fill(0xff, 40, 60);
    const archive = await openZip(memorySource("a.zip", zip));
    const error = await failure(readMember(archive, only(archive)));
    expect(error.message).toMatch(/^zip member does not inflate: invalid /);
  });

  it("have lost their header", async () => {
    const zip = writeZip([{ name: "x", bytes: SMALL }]);
    zip[0] = 0;
    const archive = await openZip(memorySource("a.zip", zip));
    expect((await failure(readMember(archive, only(archive)))).message).toBe(
      "zip member has no header: found 0x04034b00, expected 0x04034b50",
    );
  });
});
