/**
 * Ways to damage files, for tests that everything logratio writes for itself is not trusted once it is damaged.
 *
 * @module
 */
import { readFile, rm, truncate, writeFile } from "node:fs/promises";

async function flipAt(path: string, place: (length: number) => number): Promise<void> {
  const bytes = await readFile(path);
  bytes[place(bytes.length)]! ^= 1;
  await writeFile(path, bytes);
}

/** Ways to damage a file that is not empty. */
export const DAMAGE = {
  empty: (path: string) => truncate(path, 0),
  half: async (path: string) => truncate(path, Math.floor((await readFile(path)).length / 2)),
  /** One bit in the middle. */
  flipped: (path: string) => flipAt(path, (length) => Math.floor(length / 2)),
  missing: (path: string) => rm(path),
} as const satisfies Readonly<Record<string, (path: string) => Promise<void>>>;

/** One bit near the end, where Parquet has its footer. */
export function flipEnd(path: string): Promise<void> {
  return flipAt(path, (length) => Math.max(0, length - 12));
}
