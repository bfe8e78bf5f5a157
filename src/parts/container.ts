/**
 * A part as bytes, `.lrs`: a magic number, a version, the description (JSON) and the summary (binary), both in zstd,
 * then the summary's measured values uncompressed, and a checksum over everything, which every version keeps at the
 * end. Little-endian.
 *
 *     0   8  magic: 89 4c 52 53 0d 0a 1a 0a
 *     8   4  version
 *     12  8  bytes of the first block: compressed, decompressed
 *     20  8  bytes of the second block: compressed, decompressed
 *     28  4  bytes of the third block
 *     32     the three blocks
 *     −4  4  CRC-32C of all before it
 *
 * Version 1 had measured values in the second block, where decompressing them took longer than everything else. Version
 * 2 had sums of ρ in one unit, in which they overflow.
 *
 * @module
 */
import { checkMemory, crc32c, FormatError, VersionError, type WrittenBytes } from "../core/base/index.ts";
import { LIKELY_CUT_OFF, LIKELY_DAMAGED, loadZstd, unzstdBlock } from "../input/io/index.ts";

/** The first byte is not text, and the line ends reveal a transfer that changed them. */
export const MAGIC = Uint8Array.of(0x89, 0x4c, 0x52, 0x53, 0x0d, 0x0a, 0x1a, 0x0a);
const PART_VERSION = 4;
const HEADER_BYTES = 32;
const CHECKSUM_BYTES = 4;

export interface Blocks {
  readonly info: Uint8Array;
  readonly body: WrittenBytes;
}

/** A part with only its description decompressed. */
export interface OpenedBlocks {
  readonly info: Uint8Array;
  readBody(): WrittenBytes;
}

export async function packBlocks({ info, body: { packed, plain } }: Blocks): Promise<Uint8Array> {
  const compress = await loadZstd();
  const [first, second] = [compress(info), compress(packed)];
  const blocks = [first, second, plain];
  const length = blocks.reduce((sum, block) => sum + block.length, HEADER_BYTES + CHECKSUM_BYTES);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  const numbers = [PART_VERSION, first.length, info.length, second.length, packed.length, plain.length];
  for (const [i, value] of numbers.entries()) view.setUint32(MAGIC.length + 4 * i, value, true);
  let at = HEADER_BYTES;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  const end = bytes.length - CHECKSUM_BYTES;
  view.setUint32(end, crc32c(bytes.subarray(0, end)), true);
  return bytes;
}

/** @throws FormatError when these are not the first bytes of a part */
export function requireMagic(bytes: Uint8Array, file: string): void {
  if (isPart(bytes)) return;
  throw new FormatError(`${file} is not a part that logratio summarize wrote`, {
    at: { file },
    likely: bytes.length < MAGIC.length ? LIKELY_CUT_OFF : "it is another kind of file",
    hint: "give the files that logratio summarize wrote; logratio report reads dumps",
  });
}

function isPart(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/**
 * @param file names it in errors
 * @throws FormatError when it is not a part, was cut off or damaged
 * @throws VersionError when a newer logratio wrote it
 * @throws LimitError when it would take more than the memory limit
 */
export function unpackBlocks(bytes: Uint8Array, file: string): OpenedBlocks {
  const at = { file };
  requireMagic(bytes, file);
  const end = bytes.length - CHECKSUM_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (end < HEADER_BYTES || view.getUint32(end, true) !== crc32c(bytes.subarray(0, end))) {
    throw new FormatError(`the checksum of ${file} does not match its content`, {
      at,
      likely: `${LIKELY_CUT_OFF}, or ${LIKELY_DAMAGED}`,
      hint: "run logratio summarize again for its shards",
    });
  }
  const [version, ...lengths] = [0, 1, 2, 3, 4, 5].map((i) => view.getUint32(MAGIC.length + 4 * i, true));
  if (version !== PART_VERSION) throw wrongVersion(version!, file);
  const [first, infoLength, second, bodyLength, plain] = lengths as [number, number, number, number, number];
  if (HEADER_BYTES + first + second + plain !== end)
    throw new FormatError(
      `${file} declares ${first}, ${second} and ${plain} bytes, and has ${end - HEADER_BYTES}`,
      { at },
    );
  checkMemory(infoLength + bodyLength + plain, "a part", at);
  const open = (from: number, to: number, length: number): Uint8Array => {
    try {
      return unzstdBlock(bytes.subarray(from, to), length);
    } catch (cause) {
      throw new FormatError(`${file} does not decompress`, { at, likely: LIKELY_DAMAGED, cause });
    }
  };
  const middle = HEADER_BYTES + first;
  return {
    info: open(HEADER_BYTES, middle, infoLength),
    readBody: () => ({
      packed: open(middle, middle + second, bodyLength),
      plain: bytes.subarray(middle + second, end),
    }),
  };
}

function wrongVersion(version: number, file: string): VersionError {
  const isNewer = version > PART_VERSION;
  return new VersionError(
    `${file} is a part of version ${version}; this logratio reads version ${PART_VERSION}`,
    {
      at: { file },
      found: version,
      supported: PART_VERSION,
      likely: isNewer ? "a newer logratio wrote it" : "an older logratio wrote it",
      hint: isNewer ? "npm install -g logratio@latest" : "run logratio summarize again for its shards",
    },
  );
}
