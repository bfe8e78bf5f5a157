/**
 * Reads a segment of the log: its whole frames, and what is damaged between them.
 *
 *     frame │ frame │ ~~ damaged ~~ │ frame │ ~~ cut off at the end
 *
 * Where a frame's head is whole, its lengths say where the next one begins, even if its body is damaged. Where the head
 * is damaged, the next frame is searched for by its first bytes and the digest of its head.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { formatBytes } from "../../core/text/index.ts";
import { type FrameHead, MAGIC_BYTES, PREFIX_BYTES, readHead, readPrefix } from "./frame.ts";
import { WindowReader } from "./window-reader.ts";

export interface Frame {
  readonly head: FrameHead;
  /** Offset of the frame in the file, and of its body. */
  readonly start: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Bytes that are not a whole frame. */
export interface Damage {
  readonly start: number;
  readonly end: number;
  /** Which batch it was, if its head can be read. */
  readonly head?: FrameHead;
  /** The frame's own size, where the file ends before it: most likely its write was interrupted. */
  readonly cutOffAt?: number;
}

export interface ScannedSegment {
  readonly frames: readonly Frame[];
  readonly damage: readonly Damage[];
  /** Bytes scanned: frames and damage together. */
  readonly bytes: number;
}

const READ_BYTES = 1 << 20;

export interface ScanOptions {
  /** Also compares each body with its digest. */
  readonly checksBodies?: boolean;
  /** Valid bytes of the file; data after them was never acknowledged. */
  readonly bytes?: number;
}

/** Reads the heads of a segment to its end. */
export async function scanSegment(
  path: string,
  { checksBodies = false, bytes = Number.POSITIVE_INFINITY }: ScanOptions = {},
): Promise<ScannedSegment> {
  const file = await open(path, "r");
  try {
    const size = Math.min((await file.stat()).size, bytes);
    const reader = new WindowReader(file);
    const frames: Frame[] = [];
    const damage: Damage[] = [];
    for (let at = 0; at < size; ) {
      const frame = await readFrame(reader, at, size);
      if (frame === undefined) {
        const lost = await describeLost(reader, at, size);
        damage.push(lost);
        at = lost.end;
        continue;
      }
      const end = frame.offset + frame.bytes;
      if (!checksBodies || (await isBodyWhole(reader, frame))) frames.push(frame);
      else damage.push({ start: at, end, head: frame.head });
      at = end;
    }
    return { frames, damage, bytes: size };
  } finally {
    await file.close();
  }
}

/** One sentence about damaged bytes: what they were, as far as that is known. @param log the segment's name */
export function describeDamage(log: string, { start, end, head, cutOffAt }: Damage): string {
  const batch =
    head === undefined ? "a batch" : `the batch of step ${head.step}, rank ${head.rank}, call ${head.call}`;
  const size = formatBytes(end - start);
  if (cutOffAt !== undefined)
    return `${log} ends within ${batch}, after ${size} of ${formatBytes(cutOffAt)}: its write was interrupted before it was acknowledged, unless something shortened the file`;
  const what =
    head === undefined
      ? `${size} of ${log} from byte ${start} on are not a batch any more`
      : `${batch}, ${size} of ${log} from byte ${start} on, changed on the disk`;
  return `${what}; they may have been acknowledged`;
}

async function readFrame(reader: WindowReader, at: number, size: number): Promise<Frame | undefined> {
  const lengths = readPrefix(await reader.read(at, Math.min(PREFIX_BYTES, size - at)));
  if (lengths === undefined) return undefined;
  const startBytes = PREFIX_BYTES + lengths.headBytes;
  const offset = at + startBytes;
  if (offset + lengths.bodyBytes > size) return undefined;
  const head = readHead(await reader.read(at, startBytes));
  return head && { head, start: at, offset, bytes: lengths.bodyBytes };
}

/** Describes the bytes from `at`, which are not a whole frame, up to the next frame or the end. */
async function describeLost(reader: WindowReader, at: number, size: number): Promise<Damage> {
  const cutOff = await readCutOff(reader, at, size);
  // The end of a frame whose head is whole and that is longer than the file: nothing can follow it.
  if (cutOff?.head !== undefined) return { start: at, end: size, ...cutOff };
  const next = await findFrame(reader, at + 1, size);
  return next === undefined ? { start: at, end: size, ...cutOff } : { start: at, end: next };
}

/** A frame that the file's end cuts off in its prefix, head or body; undefined where the bytes are not one. */
async function readCutOff(
  reader: WindowReader,
  at: number,
  size: number,
): Promise<Pick<Damage, "head" | "cutOffAt"> | undefined> {
  const rest = size - at;
  const start = await reader.read(at, Math.min(PREFIX_BYTES, rest));
  if (rest < PREFIX_BYTES) {
    const shown = Math.min(rest, MAGIC_BYTES.length);
    const isBegun = start.subarray(0, shown).equals(MAGIC_BYTES.subarray(0, shown));
    return isBegun ? { cutOffAt: PREFIX_BYTES } : undefined;
  }
  const lengths = readPrefix(start);
  if (lengths === undefined) return undefined;
  const startBytes = PREFIX_BYTES + lengths.headBytes;
  const cutOffAt = startBytes + lengths.bodyBytes;
  if (cutOffAt <= rest) return undefined;
  if (startBytes > rest) return { cutOffAt };
  const head = readHead(await reader.read(at, startBytes));
  return head && { head, cutOffAt };
}

/** Where the first whole frame at or after `from` begins. */
async function findFrame(reader: WindowReader, from: number, size: number): Promise<number | undefined> {
  for (let at = from; at + PREFIX_BYTES <= size; ) {
    const window = await reader.read(at, Math.min(READ_BYTES, size - at));
    for (const hit of findPrefixes(window))
      if ((await readFrame(reader, at + hit, size)) !== undefined) return at + hit;
    // The last bytes may be the beginning of a prefix.
    at += Math.max(1, window.length - PREFIX_BYTES + 1);
  }
  return undefined;
}

/** Offsets where a frame may begin: a body may repeat the first bytes of a frame a million times. */
function* findPrefixes(window: Buffer): Generator<number> {
  for (let at = window.indexOf(MAGIC_BYTES); at >= 0; at = window.indexOf(MAGIC_BYTES, at + 1))
    if (readPrefix(window.subarray(at, at + PREFIX_BYTES)) !== undefined) yield at;
}

async function isBodyWhole(reader: WindowReader, { head, offset, bytes }: Frame): Promise<boolean> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes; at += READ_BYTES)
    hash.update(await reader.read(offset + at, Math.min(READ_BYTES, bytes - at)));
  return hash.digest("hex") === head.sha256;
}
