import { inflateRawSync, type ZlibOptions, constants as zlib } from "node:zlib";
import { FormatError, LogratioError, type Place } from "../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "./advice.ts";
import type { ByteSource } from "./byte-source.ts";
import { asPlainBytes } from "./file-source.ts";
import { type InflateStream, inflateStream } from "./inflate-stream.ts";
import type { ZipArchive, ZipMember } from "./zip.ts";
import { checkSpan, runningChecksum } from "./zip-checks.ts";
import { findData } from "./zip-header.ts";

/** A deflated member up to this size is inflated in one call, which is several times faster than streaming it. */
const SMALL_BYTES = 1024 * 1024;
/** Compressed bytes to inflate for a member's first bytes, and how many inflated ones to keep. */
const HEAD_INPUT_BYTES = 1024;
const HEAD_BYTES = 4096;

/** A deflated member as a byte source of its own. */
export function deflatedMember(zip: ZipArchive, member: ZipMember): ByteSource {
  const inflated = new DeflatedMember(zip, member);
  // One stream serves all slices, so they wait for each other.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    name: zip.source.name,
    byteLength: member.byteLength,
    slice: (start, end) => {
      checkSpan(zip, member, start, end);
      const result = turn.then(() => inflated.slice(start, end));
      turn = result.catch(() => {});
      return result;
    },
    close: async () => {
      await turn;
      inflated.close();
    },
  };
}

/**
 * The inflated bytes of one member; as few are kept as the order of reading allows:
 *
 * ```
 *                      nothing else is open, and it lies in the first 4 KiB
 *   slice(start, end) ─┬──────────────────────────────────────────────────► head    kept
 *                      ├─ up to 1 MiB ────────────────────────────────────► whole   kept until its end has been read
 *                      └─ larger ─────────────────────────────────────────► stream  forwards; backwards starts again
 * ```
 *
 * The head is separate because an archive is recognized by the first bytes of every member (such as an array's header):
 * that takes only a compressed kilobyte of each.
 */
class DeflatedMember {
  readonly #zip: ZipArchive;
  readonly #member: ZipMember;
  readonly #at: Place;
  readonly #small: boolean;
  #head: Uint8Array | undefined;
  #whole: Uint8Array | undefined;
  #stream: InflateStream | undefined;
  /** Position of `#stream`, in inflated bytes. */
  #position = 0;

  constructor(zip: ZipArchive, member: ZipMember) {
    this.#zip = zip;
    this.#member = member;
    this.#at = { file: zip.source.name, entry: member.name };
    this.#small = member.byteLength <= SMALL_BYTES && member.compressedLength <= 2 * SMALL_BYTES;
  }

  /** Must not be called before the previous slice has arrived. */
  async slice(start: number, end: number): Promise<Uint8Array> {
    const { byteLength } = this.#member;
    if (this.#stream === undefined && this.#whole === undefined) {
      this.#head ??= await this.#readHead();
      // A head that is the whole member has not been compared with its checksum.
      if (end <= this.#head.length && this.#head.length < byteLength) return this.#head.subarray(start, end);
    }
    if (!this.#small) return this.#readStream(start, end);
    this.#whole ??= await this.#readWhole();
    const bytes = this.#whole.subarray(start, end);
    if (end === byteLength) this.#whole = undefined;
    return bytes;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#whole = undefined;
    this.#position = 0;
  }

  async #readHead(): Promise<Uint8Array> {
    const base = await findData(this.#zip, this.#member);
    const length = Math.min(this.#member.compressedLength, HEAD_INPUT_BYTES);
    const input = await this.#zip.source.slice(base, base + length);
    // The input may end anywhere in the deflate stream, which is not an error with Z_SYNC_FLUSH.
    return inflateAll(input, this.#at, base, { finishFlush: zlib.Z_SYNC_FLUSH }).slice(0, HEAD_BYTES);
  }

  async #readWhole(): Promise<Uint8Array> {
    const { byteLength, compressedLength } = this.#member;
    const base = await findData(this.#zip, this.#member);
    const input = await this.#zip.source.slice(base, base + compressedLength);
    // One byte more than declared, so that a longer stream is noticed and stops early.
    const options = { maxOutputLength: byteLength + 1 };
    const bytes = inflateAll(input, this.#at, base, options, () => this.#wrongLength(byteLength + 1));
    if (bytes.length !== byteLength) throw this.#wrongLength(bytes.length);
    runningChecksum(this.#zip, this.#member)(bytes, 0);
    return bytes;
  }

  async #readStream(start: number, end: number): Promise<Uint8Array> {
    if (start < this.#position) this.close();
    this.#stream ??= await this.#openStream();
    const stream = this.#stream;
    try {
      this.#position += await stream.skip(start - this.#position);
      const bytes = asPlainBytes(Buffer.allocUnsafeSlow(end - start));
      this.#position += await stream.readInto(bytes);
      // Reading one byte past the end makes zlib finish its stream, and reveals a longer one.
      if (end === this.#member.byteLength) await stream.skip(1);
      if (this.#position < end) throw this.#wrongLength(this.#position);
      return bytes;
    } catch (error) {
      const consumed = stream.consumed();
      this.close();
      if (error instanceof LogratioError) throw error;
      throw cannotInflate(error, this.#at, this.#member.headerOffset + consumed);
    }
  }

  async #openStream(): Promise<InflateStream> {
    const { byteLength, compressedLength } = this.#member;
    const base = await findData(this.#zip, this.#member);
    const checksum = runningChecksum(this.#zip, this.#member);
    let seen = 0;
    return inflateStream(this.#zip.source, base, base + compressedLength, (chunk) => {
      if (seen + chunk.length > byteLength) throw this.#wrongLength(seen + chunk.length);
      checksum(chunk, seen);
      seen += chunk.length;
    });
  }

  #wrongLength(found: number): FormatError {
    const { byteLength, headerOffset } = this.#member;
    const more = found > byteLength ? "at least " : "";
    return new FormatError(
      `zip member inflates to another size: the directory declares ${byteLength} bytes, ${more}${found} were produced`,
      { at: { ...this.#at, offset: headerOffset }, likely: LIKELY_DAMAGED, hint: HINT_WRITE_AGAIN },
    );
  }
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
