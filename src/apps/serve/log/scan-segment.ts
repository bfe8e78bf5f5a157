/**
 * Reads a segment as far as it is intact.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type FrameHead, PREFIX_BYTES, readHead, readPrefix } from "./frame.ts";
import { WindowReader } from "./window-reader.ts";

export interface Frame {
  readonly head: FrameHead;
  /** Offset of the body in the file. */
  readonly offset: number;
  readonly bytes: number;
}

export interface ScannedSegment {
  readonly frames: readonly Frame[];
  /** Where the last whole frame ends. */
  readonly end: number;
  /** Bytes after it: what was being written when the process or the machine stopped. */
  readonly torn: number;
}

const READ_BYTES = 1 << 20;

export interface ScanOptions {
  /** Also compares each body with its digest: needed where the last write may not have reached the disk. */
  readonly checksBodies?: boolean;
  /** Valid bytes of the file; after them there may be data that was never acknowledged. */
  readonly bytes?: number;
}

/** Reads the heads of a segment. */
export async function scanSegment(
  path: string,
  { checksBodies = false, bytes = Number.POSITIVE_INFINITY }: ScanOptions = {},
): Promise<ScannedSegment> {
  const file = await open(path, "r");
  try {
    const size = Math.min((await file.stat()).size, bytes);
    const reader = new WindowReader(file);
    const frames: Frame[] = [];
    let end = 0;
    while (end < size) {
      const frame = await readFrame(reader, end, size);
      if (frame === undefined || (checksBodies && !(await isBodyWhole(reader, frame)))) break;
      frames.push(frame);
      end = frame.offset + frame.bytes;
    }
    return { frames, end, torn: size - end };
  } finally {
    await file.close();
  }
}

async function readFrame(reader: WindowReader, at: number, size: number): Promise<Frame | undefined> {
  const lengths = readPrefix(await reader.read(at, Math.min(PREFIX_BYTES, size - at)));
  if (lengths === undefined) return undefined;
  const startBytes = PREFIX_BYTES + lengths.headBytes;
  const offset = at + startBytes;
  if (offset + lengths.bodyBytes > size) return undefined;
  const head = readHead(await reader.read(at, startBytes));
  return head && { head, offset, bytes: lengths.bodyBytes };
}

async function isBodyWhole(reader: WindowReader, { head, offset, bytes }: Frame): Promise<boolean> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes; at += READ_BYTES)
    hash.update(await reader.read(offset + at, Math.min(READ_BYTES, bytes - at)));
  return hash.digest("hex") === head.sha256;
}
