/**
 * The file `keys`: the batches that are in the record, one a line. It outlives the segments of the log.
 *
 *     SEGMENT STEP RANK CALL SHA256
 *
 * @module
 */
import { open, readFile } from "node:fs/promises";
import { isSystemError } from "../../core/base/index.ts";
import { writeAll } from "../io/write-all.ts";
import type { FrameHead } from "./frame.ts";

const LINE = /^(\d+) (-?\d+) (\d+) (\d+) ([0-9a-f]{64})$/;

export interface KeyLine {
  readonly segment: number;
  readonly head: FrameHead;
}

/** Every whole line; none if there is no file. A line that was cut off is left out: its segment still exists. */
export async function readKeyLines(path: string): Promise<KeyLine[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    if (isSystemError(cause) && cause.code === "ENOENT") return "";
    throw cause;
  });
  return text.split("\n").flatMap((line): KeyLine[] => {
    const [, segment, step, rank, call, sha256] = LINE.exec(line) ?? [];
    if (sha256 === undefined) return [];
    const head = { step: Number(step), rank: Number(rank), call: Number(call), sha256 };
    return [{ segment: Number(segment), head }];
  });
}

/**
 * Appends the batches of a segment; all of them are durable when it resolves.
 *
 * @throws the system's error; the file is then unchanged, or ends with lines that will be appended again
 */
export async function appendKeys(path: string, heads: readonly FrameHead[], segment: number): Promise<void> {
  const lines = heads.map(({ step, rank, call, sha256 }) => `${segment} ${step} ${rank} ${call} ${sha256}\n`);
  const file = await open(path, "a");
  try {
    const { size } = await file.stat();
    try {
      // A line cut off by a kill must not run into the first of these.
      await writeAll(file, Buffer.from(`${size === 0 ? "" : "\n"}${lines.join("")}`));
      await file.datasync();
    } catch (error) {
      await file.truncate(size).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}
