/**
 * Copies remote files to disk for libraries that open files by path. Copies are kept while there is space, since a
 * file is opened once to recognize it and again to read it.
 *
 * @module
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { LimitError, memoryLimit } from "../../core/base/index.ts";
import type { ByteSource } from "../io/byte-source.ts";
import { SCRATCH_PER_MEMORY } from "../io/limits.ts";
import { createScratch, type Scratch } from "../io/scratch.ts";
import { writeAll } from "../io/write-all.ts";

const CHUNK_BYTES = 32 << 20;

interface Copy {
  readonly made: Promise<{ readonly scratch: Scratch; readonly path: string }>;
  readonly bytes: number;
  users: number;
}

/** By address and size, the least recently used first. */
const copies = new Map<string, Copy>();

export interface LocalCopy {
  readonly path: string;
  /** Allows the copy to be removed when space is needed; call it once. */
  release(): Promise<void>;
}

/**
 * A copy of the file on disk.
 *
 * @throws LimitError when it is larger than the limit on disk
 * @throws errors of reading the source and writing the copy
 */
export async function copyToDisk(source: ByteSource): Promise<LocalCopy> {
  const most = memoryLimit() * SCRATCH_PER_MEMORY;
  if (source.byteLength > most) {
    throw new LimitError(
      `this file of ${source.byteLength} bytes must be copied to disk to be read, where at most ${most} bytes are written`,
      {
        at: { file: source.name },
        hint: `copy it here first, or raise the limit, ${SCRATCH_PER_MEMORY} times the memory: --memory (MiB)`,
      },
    );
  }
  const key = `${source.name}\n${source.byteLength}`;
  const known = copies.get(key);
  const copy = known ?? { made: download(source), bytes: source.byteLength, users: 0 };
  copies.delete(key);
  copies.set(key, copy);
  copy.users++;
  await makeRoom(most);
  try {
    const { path } = await copy.made;
    return {
      path,
      release: async () => {
        copy.users--;
        await makeRoom(most);
      },
    };
  } catch (error) {
    copies.delete(key);
    throw error;
  }
}

async function download(source: ByteSource): Promise<{ scratch: Scratch; path: string }> {
  const scratch = await createScratch();
  try {
    const path = join(scratch.path, "data");
    const file = await open(path, "wx");
    try {
      for (let start = 0; start < source.byteLength; start += CHUNK_BYTES) {
        const end = Math.min(source.byteLength, start + CHUNK_BYTES);
        await writeAll(file, await source.slice(start, end));
      }
    } finally {
      await file.close();
    }
    return { scratch, path };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

/** Removes the oldest unused copies until the rest fits. */
async function makeRoom(most: number): Promise<void> {
  let total = 0;
  for (const { bytes } of copies.values()) total += bytes;
  for (const [key, copy] of copies) {
    if (total <= most) return;
    if (copy.users > 0) continue;
    copies.delete(key);
    total -= copy.bytes;
    await (await copy.made).scratch.remove();
  }
}
