/**
 * A SHA-256 of a whole Parquet file in its own footer, so that file and checksum change together: over all bytes, with
 * zeros in place of the checksum itself. Parquet's own page checksums are optional, and do not cover the footer.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { isSystemError } from "../../../core/base/index.ts";
import { writeAll } from "../../io/write-all.ts";

const KEY = "logratio.sha256";
const ZEROS = "0".repeat(64);
/** The key, then the Thrift encoding between it and its value; a value that is not a hash is damage. */
const FIELD = /logratio\.sha256[^0-9a-f]{2}(.{64})/s;
const MAGIC = "PAR1";
const PIECE = 2 ** 20;

/** A pair of the footer for {@link fillChecksum} to fill in. */
export const CHECKSUM: Readonly<Record<string, string>> = { [KEY]: ZEROS };

/** Writes the checksum into its place in the footer of an otherwise complete file. */
export async function fillChecksum(file: FileHandle): Promise<void> {
  const field = await checksumField(file);
  if (field === undefined || field === "cut") throw new Error("the footer has no room for a checksum");
  await writeAll(file, Buffer.from(await sum(file, field.at), "latin1"), field.at);
}

/**
 * Why a file differs from what was written; undefined when it does not, or when it has no checksum.
 *
 * @throws the system's error when it cannot be read
 */
export async function brokenChecksum(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) return "it is empty";
    const field = await checksumField(file);
    if (field === "cut") return "it is cut off";
    if (field === undefined) return undefined;
    return (await sum(file, field.at)) === field.value ? undefined : "it has other bytes than were written";
  } catch (error) {
    if (isSystemError(error) && error.code === "EISDIR") return "it is a directory";
    throw error;
  } finally {
    await file.close();
  }
}

interface ChecksumField {
  /** Offset of its first byte in the file. */
  readonly at: number;
  readonly value: string;
}

async function checksumField(file: FileHandle): Promise<ChecksumField | "cut" | undefined> {
  const { size } = await file.stat();
  if (size < 2 * MAGIC.length + 4) return "cut";
  const end = Buffer.alloc(8);
  await file.read(end, 0, end.length, size - end.length);
  const start = size - end.length - end.readUInt32LE(0);
  if (end.toString("latin1", 4) !== MAGIC || start < MAGIC.length) return "cut";
  const footer = Buffer.alloc(size - end.length - start);
  await file.read(footer, 0, footer.length, start);
  const found = FIELD.exec(footer.toString("latin1"));
  if (found === null) return undefined;
  return { at: start + found.index + found[0].length - ZEROS.length, value: found[1]! };
}

/** Hash of all bytes, with the 64 from `hole` on as zeros. */
async function sum(file: FileHandle, hole: number): Promise<string> {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(PIECE);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) return hash.digest("hex");
    const [from, to] = [hole - at, hole + ZEROS.length - at];
    if (from < bytesRead && to > 0) piece.fill("0", Math.max(0, from), Math.min(bytesRead, to));
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
