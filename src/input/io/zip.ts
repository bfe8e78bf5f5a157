import { fromRandomAccessReaderPromise, RandomAccessReader } from "yauzl";
import {
  EmptyInputError,
  FormatError,
  LimitError,
  LogratioError,
  UnsupportedError,
} from "../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "./advice.ts";
import type { ByteSource } from "./byte-source.ts";
import { MAX_DEFLATE_RATIO, MAX_ZIP_MEMBERS } from "./limits.ts";

/** One entry of the central directory. */
export interface ZipMember {
  readonly name: string;
  /** The method's number if it is neither stored (0) nor deflated (8); such a member can only be listed. */
  readonly method: "stored" | "deflated" | number;
  /** Bytes after inflating, as the directory declares them. */
  readonly byteLength: number;
  readonly compressedLength: number;
  /** 0 if the writer did not compute it (torch can omit it). */
  readonly crc32: number;
  readonly headerOffset: number;
  /** The name as stored, for comparison with the member's own header. */
  readonly storedName: Uint8Array;
  /** Sizes and checksum follow the data, and the member's own header need not have them. */
  readonly hasDescriptor: boolean;
}

export interface ZipArchive {
  readonly source: ByteSource;
  /** In directory order. */
  readonly members: ReadonlyMap<string, ZipMember>;
}

/** A member's own header, without its name. */
export const LOCAL_HEADER_BYTES = 30;

/** PK\3\4 (a member comes first) or PK\5\6 (no members). */
export function isZip(head: Uint8Array): boolean {
  return (
    head[0] === 0x50 &&
    head[1] === 0x4b &&
    ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))
  );
}

/**
 * Lists a zip archive by its central directory (zip64 included); no member is read.
 *
 * @throws FormatError if the directory is missing (a cut-off file), damaged, or points outside the file
 * @throws UnsupportedError if a member is encrypted
 */
export async function openZip(source: ByteSource): Promise<ZipArchive> {
  if (source.byteLength === 0) {
    throw new EmptyInputError("the file is empty (0 bytes)", {
      at: { file: source.name },
      likely: LIKELY_CUT_OFF,
    });
  }
  const reader = new DirectoryReader(source);
  const members = new Map<string, ZipMember>();
  try {
    const zip = await fromRandomAccessReaderPromise(reader, source.byteLength, { autoClose: false });
    if (zip.entryCount > MAX_ZIP_MEMBERS) {
      throw new LimitError(
        `zip directory declares ${zip.entryCount} members; at most ${MAX_ZIP_MEMBERS} are read`,
        {
          needed: zip.entryCount,
          limit: MAX_ZIP_MEMBERS,
          at: { file: source.name },
          likely: LIKELY_CRAFTED,
        },
      );
    }
    for await (const entry of zip.eachEntry()) {
      if (members.has(entry.fileName)) {
        throw new FormatError(`zip directory lists two members named "${entry.fileName}"`, {
          at: { file: source.name, entry: entry.fileName },
          likely: "a member was appended to an archive that already had it",
          hint: "write the archive again in one go",
        });
      }
      const member = {
        name: entry.fileName,
        method:
          entry.compressionMethod === 0
            ? "stored"
            : entry.compressionMethod === 8
              ? "deflated"
              : entry.compressionMethod,
        byteLength: entry.uncompressedSize,
        compressedLength: entry.compressedSize,
        crc32: entry.crc32,
        headerOffset: entry.relativeOffsetOfLocalHeader,
        storedName: entry.fileNameRaw,
        hasDescriptor: (entry.generalPurposeBitFlag & 8) !== 0,
      } as const;
      checkMember(source, member, entry.isEncrypted());
      members.set(member.name, member);
    }
    checkOverlaps(source, members);
  } catch (error) {
    if (error instanceof LogratioError) throw error;
    throw damagedDirectory(source, reader.lastPosition, error);
  }
  return { source, members };
}

function checkMember(source: ByteSource, member: ZipMember, encrypted: boolean): void {
  const at = { file: source.name, entry: member.name, offset: member.headerOffset };
  if (encrypted) {
    throw new UnsupportedError(`zip member "${member.name}" is encrypted`, {
      at,
      hint: "write it without a password",
    });
  }
  const end = member.headerOffset + member.compressedLength;
  if (end > source.byteLength) {
    throw new FormatError(
      `zip member is cut off: the directory places it at bytes ${member.headerOffset} to ${end}, the file has ${source.byteLength}`,
      { at, likely: LIKELY_CUT_OFF, hint: HINT_WRITE_AGAIN },
    );
  }
  // The slack covers the few bits that end an empty stream.
  if (member.method === "deflated" && member.byteLength > (member.compressedLength + 8) * MAX_DEFLATE_RATIO) {
    throw new LimitError(
      `zip member declares ${member.byteLength} bytes in ${member.compressedLength} deflated ones; deflate packs at most ${MAX_DEFLATE_RATIO} into one`,
      { at, likely: LIKELY_CRAFTED },
    );
  }
}

/** Refuses members that share bytes, with which a small archive can unpack to an endless one. */
function checkOverlaps(source: ByteSource, members: ReadonlyMap<string, ZipMember>): void {
  const inOrder = [...members.values()].sort((a, b) => a.headerOffset - b.headerOffset);
  for (const [i, member] of inOrder.entries()) {
    const before = inOrder[i - 1];
    if (before === undefined) continue;
    const end = before.headerOffset + LOCAL_HEADER_BYTES + before.storedName.length + before.compressedLength;
    if (member.headerOffset >= end) continue;
    throw new FormatError(
      `zip members overlap: "${before.name}" takes the bytes up to ${end}, "${member.name}" starts at byte ${member.headerOffset}`,
      { at: { file: source.name, entry: member.name, offset: member.headerOffset }, likely: LIKELY_CRAFTED },
    );
  }
}

function damagedDirectory(source: ByteSource, offset: number, cause: unknown): FormatError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (text.startsWith("End of central directory record signature not found")) {
    return new FormatError("zip archive has no end-of-central-directory record", {
      at: { file: source.name, offset: source.byteLength },
      likely: LIKELY_CUT_OFF,
      hint: HINT_WRITE_AGAIN,
      cause,
    });
  }
  return new FormatError(`zip directory is damaged: ${text}`, {
    at: { file: source.name, offset },
    likely: text === "unexpected EOF" ? LIKELY_CUT_OFF : LIKELY_DAMAGED,
    hint: HINT_WRITE_AGAIN,
    cause,
  });
}

const WINDOW_BYTES = 256 * 1024;

/** yauzl reads the directory in pieces of 46 bytes; one window serves a few thousand of them. */
class DirectoryReader extends RandomAccessReader {
  lastPosition = 0;
  readonly #source: ByteSource;
  #window: Uint8Array = new Uint8Array(0);
  #windowStart = 0;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.lastPosition = position;
    this.#fill(position, length).then(
      () => {
        const at = position - this.#windowStart;
        const piece = this.#window.subarray(at, at + length);
        buffer.set(piece, offset);
        callback(null, piece.length);
      },
      (error: Error) => callback(error),
    );
  }

  async #fill(position: number, length: number): Promise<void> {
    const held =
      position >= this.#windowStart && position + length <= this.#windowStart + this.#window.length;
    if (held) return;
    const start = Math.min(position, this.#source.byteLength);
    const end = Math.min(start + Math.max(length, WINDOW_BYTES), this.#source.byteLength);
    this.#window = await this.#source.slice(start, end);
    this.#windowStart = position;
  }
}
