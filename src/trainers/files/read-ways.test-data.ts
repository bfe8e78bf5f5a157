/**
 * One file read in every way in which it may come: by its path, under a name that says nothing, and from a pipe that
 * gives it out in slices of seven bytes.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Outcome, readAll } from "../../input/adapters/read.test-data.ts";

const SLICE_BYTES = 7;

async function* cutSlices(path: string): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(readFileSync(path));
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    yield bytes.subarray(start, start + SLICE_BYTES);
  }
}

/** The same file, three times. */
export async function readEveryWay(path: string): Promise<readonly Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), "logratio-"));
  try {
    const unnamed = join(folder, "file");
    await copyFile(path, unnamed);
    return [await readAll(path), await readAll(unnamed), await readAll("-", { stdin: cutSlices(path) })];
  } finally {
    await rm(folder, { recursive: true });
  }
}
