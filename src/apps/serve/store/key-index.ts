/**
 * Which batches a run has: in memory, and as lines of the file `keys`, which outlives the segments.
 *
 *     SEGMENT STEP RANK CALL SHA256
 *
 * @module
 */
import { open, readFile } from "node:fs/promises";
import { isSystemError } from "../../../core/base/index.ts";
import type { BatchKey, FrameHead } from "../log/index.ts";

const LINE = /^(\d+) (-?\d+) (\d+) (\d+) ([0-9a-f]{64})$/;

export interface KeyEntry {
  readonly segment: number;
  readonly sha256: string;
}

export class KeyIndex {
  readonly #entries = new Map<string, KeyEntry>();

  get size(): number {
    return this.#entries.size;
  }

  find(key: BatchKey): KeyEntry | undefined {
    return this.#entries.get(keyText(key));
  }

  add({ step, rank, call, sha256 }: FrameHead, segment: number): void {
    this.#entries.set(keyText({ step, rank, call }), { segment, sha256 });
  }

  /** The first unused call of the step and rank from `call` on. */
  nextCall({ step, rank, call }: BatchKey): number {
    let next = call;
    while (this.find({ step, rank, call: next }) !== undefined) next++;
    return next;
  }
}

export function keyText({ step, rank, call }: BatchKey): string {
  return `${step} ${rank} ${call}`;
}

/** Reads the file into an index. A last line that was cut off is left out: its segment is still there. */
export async function readKeys(path: string): Promise<KeyIndex> {
  const index = new KeyIndex();
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    if (isSystemError(cause) && cause.code === "ENOENT") return "";
    throw cause;
  });
  for (const line of text.split("\n")) {
    const [, segment, step, rank, call, sha256] = LINE.exec(line) ?? [];
    if (sha256 === undefined) continue;
    index.add({ step: Number(step), rank: Number(rank), call: Number(call), sha256 }, Number(segment));
  }
  return index;
}

/** Appends the batches of a segment; durable when it resolves. */
export async function appendKeys(path: string, heads: readonly FrameHead[], segment: number): Promise<void> {
  const lines = heads.map(({ step, rank, call, sha256 }) => `${segment} ${step} ${rank} ${call} ${sha256}\n`);
  const file = await open(path, "a");
  try {
    // A line cut off by a kill must not run into the first of these.
    const { size } = await file.stat();
    await file.write(`${size === 0 ? "" : "\n"}${lines.join("")}`);
    await file.datasync();
  } finally {
    await file.close();
  }
}
