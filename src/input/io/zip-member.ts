import { inflateRawSync, type ZlibOptions, constants as zlib } from "node:zlib";
import {
  FormatError,
  LimitError,
  LogratioError,
  type Place,
  UnsupportedError,
} from "../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "./advice.ts";
import type { ByteSource } from "./byte-source.ts";
import { crc32 } from "./crc32.ts";
import { asPlainBytes } from "./file-source.ts";
import { type InflateStream, inflateStream } from "./inflate-stream.ts";
import { MAX_READ_BYTES } from "./limits.ts";
import { LOCAL_HEADER_BYTES, type ZipArchive, type ZipMember } from "./zip.ts";

/** A deflated member up to this size is inflated in one call, which is several times faster than a stream of it. */
const SMALL_BYTES = 1024 * 1024;
/** Compressed bytes to inflate for a member's first bytes, and how many inflated ones to keep. */
const HEAD_INPUT_BYTES = 1024;
const HEAD_BYTES = 4096;

/**
 * A member as a byte source of its own.
 *
 * Stored members are read at any offset, straight from the archive. Deflated ones are inflated from front to back with
 * bounded memory; a slice that goes backwards starts again at the front, which works but is slow. The checksum is
 * compared once every byte has been read in order.
 *
 * @throws UnsupportedError if the member has another compression method
 */
export function openMember(zip: ZipArchive, member: ZipMember): ByteSource {
  if (member.method === "stored") return storedMember(zip, member);
  if (member.method === "deflated") return deflatedMember(zip, member);
  throw new UnsupportedError(
    `zip member is compressed by method ${member.method}; stored (0) and deflate (8) are read`,
    {
      at: { file: zip.source.name, entry: member.name },
      hint: "unpack the archive and zip it again: unzip, then zip -r",
    },
  );
}

/** All bytes of a member, checked against its checksum. */
export async function readMember(zip: ZipArchive, member: ZipMember): Promise<Uint8Array> {
  if (member.byteLength > MAX_READ_BYTES) {
    throw new LimitError(
      `zip member has ${member.byteLength} bytes; at most ${MAX_READ_BYTES} are read at once`,
      {
        needed: member.byteLength,
        limit: MAX_READ_BYTES,
        at: { file: zip.source.name, entry: member.name },
      },
    );
  }
  const source = openMember(zip, member);
  try {
    return await source.slice(0, source.byteLength);
  } finally {
    await source.close();
  }
}

function storedMember(zip: ZipArchive, member: ZipMember): ByteSource {
  const checksum = runningChecksum(zip, member);
  let dataStart: Promise<number> | undefined;
  return {
    name: zip.source.name,
    byteLength: member.byteLength,
    slice: async (start, end, allocate) => {
      checkSpan(zip, member, start, end);
      dataStart ??= findData(zip, member);
      const base = await dataStart;
      const bytes = await zip.source.slice(base + start, base + end, allocate);
      checksum(bytes, start);
      return bytes;
    },
    close: async () => {},
  };
}

function deflatedMember(zip: ZipArchive, member: ZipMember): ByteSource {
  const at = { file: zip.source.name, entry: member.name };
  const small = member.byteLength <= SMALL_BYTES && member.compressedLength <= 2 * SMALL_BYTES;
  let head: Uint8Array | undefined;
  let whole: Uint8Array | undefined;
  let stream: InflateStream | undefined;
  let position = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const close = (): void => {
    stream?.close();
    stream = undefined;
    whole = undefined;
    position = 0;
  };

  const readHead = async (): Promise<Uint8Array> => {
    const base = await findData(zip, member);
    const input = await zip.source.slice(base, base + Math.min(member.compressedLength, HEAD_INPUT_BYTES));
    return inflateAll(input, at, base, { finishFlush: zlib.Z_SYNC_FLUSH }).slice(0, HEAD_BYTES);
  };

  const readWhole = async (): Promise<Uint8Array> => {
    const base = await findData(zip, member);
    const input = await zip.source.slice(base, base + member.compressedLength);
    // One byte more than declared, so that a longer stream is noticed and stops early.
    const bytes = inflateAll(input, at, base, { maxOutputLength: member.byteLength + 1 }, () =>
      wrongLength(member, member.byteLength + 1, at),
    );
    if (bytes.length !== member.byteLength) throw wrongLength(member, bytes.length, at);
    runningChecksum(zip, member)(bytes, 0);
    return bytes;
  };

  const openStream = async (): Promise<InflateStream> => {
    const base = await findData(zip, member);
    const checksum = runningChecksum(zip, member);
    let seen = 0;
    return inflateStream(zip.source, base, base + member.compressedLength, (chunk) => {
      if (seen + chunk.length > member.byteLength) throw wrongLength(member, seen + chunk.length, at);
      checksum(chunk, seen);
      seen += chunk.length;
    });
  };

  const readStream = async (start: number, end: number): Promise<Uint8Array> => {
    if (start < position) close();
    stream ??= await openStream();
    try {
      position += await stream.skip(start - position);
      const bytes = asPlainBytes(Buffer.allocUnsafeSlow(end - start));
      position += await stream.readInto(bytes);
      // Reading one byte past the end makes zlib finish its stream, and reveals a longer one.
      if (end === member.byteLength) await stream.skip(1);
      if (position < end) throw wrongLength(member, position, at);
      return bytes;
    } catch (error) {
      const consumed = stream.consumed();
      close();
      throw error instanceof LogratioError ? error : cannotInflate(error, at, member.headerOffset + consumed);
    }
  };

  const slice = async (start: number, end: number): Promise<Uint8Array> => {
    if (stream === undefined && whole === undefined) {
      head ??= await readHead();
      if (end <= head.length && head.length < member.byteLength) return head.subarray(start, end);
    }
    if (!small) return readStream(start, end);
    whole ??= await readWhole();
    const bytes = whole.subarray(start, end);
    if (end === member.byteLength) whole = undefined;
    return bytes;
  };

  return {
    name: zip.source.name,
    byteLength: member.byteLength,
    slice: (start, end) => {
      checkSpan(zip, member, start, end);
      // One stream serves all slices, so they wait for each other.
      const result = turn.then(() => slice(start, end));
      turn = result.catch(() => {});
      return result;
    },
    close: async () => {
      await turn;
      close();
    },
  };
}

/** Where a member's bytes start: its local header has the lengths of its own name and padding. */
async function findData(zip: ZipArchive, member: ZipMember): Promise<number> {
  const { source } = zip;
  const at = { file: source.name, entry: member.name, offset: member.headerOffset };
  const headerEnd = member.headerOffset + LOCAL_HEADER_BYTES;
  if (headerEnd > source.byteLength) {
    throw new FormatError(
      `zip member has no header: it would end at byte ${headerEnd}, the file has ${source.byteLength}`,
      {
        at,
        likely: LIKELY_CUT_OFF,
        hint: HINT_WRITE_AGAIN,
      },
    );
  }
  // The name is read along: a different length than in the directory means a different name.
  const nameEnd = Math.min(headerEnd + member.storedName.length, source.byteLength);
  const bytes = await source.slice(member.headerOffset, nameEnd);
  const header = new DataView(bytes.buffer, bytes.byteOffset, LOCAL_HEADER_BYTES);
  const signature = header.getUint32(0, true);
  if (signature !== 0x04034b50) {
    throw new FormatError(`zip member has no header: found ${hex(signature)}, expected 0x04034b50`, {
      at,
      likely: LIKELY_DAMAGED,
      hint: HINT_WRITE_AGAIN,
    });
  }
  compareHeaders(zip, member, header, bytes.subarray(LOCAL_HEADER_BYTES));
  const dataStart = headerEnd + header.getUint16(26, true) + header.getUint16(28, true);
  const dataEnd = dataStart + member.compressedLength;
  if (dataEnd > source.byteLength) {
    throw new FormatError(
      `zip member is cut off: it ends at byte ${dataEnd}, the file has ${source.byteLength}`,
      {
        at,
        likely: LIKELY_CUT_OFF,
        hint: HINT_WRITE_AGAIN,
      },
    );
  }
  return dataStart;
}

/** zip64's marker for a size that does not fit into 32 bits; the size is then in an extra field. */
const ZIP64 = 0xffffffff;

/**
 * Checks that a member's own header agrees with the directory. If one of the two was changed, programs that trust one
 * or the other would read different data.
 */
function compareHeaders(zip: ZipArchive, member: ZipMember, header: DataView, name: Uint8Array): void {
  const at = { file: zip.source.name, entry: member.name, offset: member.headerOffset };
  const disagree = (what: string, own: unknown, directory: unknown): FormatError =>
    new FormatError(
      `zip member contradicts the archive's directory: ${what} is ${own} in its own header, ${directory} in the directory`,
      { at, likely: LIKELY_CRAFTED, hint: HINT_WRITE_AGAIN },
    );
  const flags = header.getUint16(6, true);
  if ((flags & 1) !== 0) throw disagree("the encryption flag", 1, 0);
  const method = header.getUint16(8, true);
  const listed = member.method === "stored" ? 0 : member.method === "deflated" ? 8 : member.method;
  if (method !== listed) throw disagree("the compression method", method, listed);
  const nameLength = header.getUint16(26, true);
  if (nameLength !== member.storedName.length) {
    throw disagree("the length of the name", nameLength, member.storedName.length);
  }
  if (!Buffer.from(name).equals(member.storedName)) {
    throw disagree(
      "the name",
      JSON.stringify(Buffer.from(name).toString("utf8")),
      JSON.stringify(member.name),
    );
  }
  const sizes = [
    ["the checksum", header.getUint32(14, true), member.crc32],
    ["the compressed size", header.getUint32(18, true), member.compressedLength],
    ["the size", header.getUint32(22, true), member.byteLength],
  ] as const;
  for (const [what, own, directory] of sizes) {
    // Streaming writers leave zeros here and put the numbers after the data.
    const open = ((flags & 8) !== 0 || member.hasDescriptor) && own === 0;
    const isSize = what !== "the checksum";
    if (own !== directory && !open && !(isSize && own === ZIP64)) throw disagree(what, own, directory);
  }
}

/** Sums reads while they are in order from byte 0, and compares after the last byte. */
function runningChecksum(zip: ZipArchive, member: ZipMember): (bytes: Uint8Array, start: number) => void {
  let next = 0;
  let sum = 0;
  return (bytes, start) => {
    if (member.crc32 === 0 || bytes.length === 0) return;
    if (start === 0) {
      next = 0;
      sum = 0;
    }
    if (start !== next) return;
    sum = crc32(bytes, sum);
    next += bytes.length;
    if (next !== member.byteLength || sum === member.crc32) return;
    throw new FormatError(
      `zip member does not match its checksum: the directory says ${hex(member.crc32)}, the bytes give ${hex(sum)}`,
      {
        at: { file: zip.source.name, entry: member.name, offset: member.headerOffset },
        likely: LIKELY_DAMAGED,
        hint: HINT_WRITE_AGAIN,
      },
    );
  };
}

function inflateAll(
  input: Uint8Array,
  at: Place,
  offset: number,
  options: ZlibOptions,
  tooLong?: () => FormatError,
): Uint8Array {
  try {
    return asPlainBytes(inflateRawSync(input, options));
  } catch (error) {
    const passed = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw passed && tooLong !== undefined ? tooLong() : cannotInflate(error, at, offset);
  }
}

function cannotInflate(cause: unknown, at: Place, offset: number): FormatError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const cutOff = text === "unexpected end of file";
  return new FormatError(
    cutOff
      ? "zip member is cut off: its deflate stream does not end"
      : `zip member does not inflate: ${text}`,
    {
      at: { ...at, offset },
      likely: cutOff ? LIKELY_CUT_OFF : LIKELY_DAMAGED,
      hint: HINT_WRITE_AGAIN,
      cause,
    },
  );
}

function wrongLength(member: ZipMember, found: number, at: Place): FormatError {
  const more = found > member.byteLength ? "at least " : "";
  return new FormatError(
    `zip member inflates to another size: the directory declares ${member.byteLength} bytes, ${more}${found} were produced`,
    { at: { ...at, offset: member.headerOffset }, likely: LIKELY_DAMAGED, hint: HINT_WRITE_AGAIN },
  );
}

function checkSpan(zip: ZipArchive, member: ZipMember, start: number, end: number): void {
  if (start >= 0 && start <= end && end <= member.byteLength) return;
  throw new FormatError(`bytes ${start} to ${end} were requested, but the member has ${member.byteLength}`, {
    at: { file: zip.source.name, entry: member.name },
    likely: LIKELY_DAMAGED,
  });
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}
