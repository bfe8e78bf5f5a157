/**
 * Lengths and SHA-256 of a cache's files as written, in a file that ends with its own digest, so that files damaged
 * since (by a full disk, a power cut, an editor) are not trusted.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { lstat, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatCount } from "../../../../core/text/index.ts";

const SEAL_FILE = "seal.json";
const PIECE = 1 << 22;

/** Length and digest of one file. */
export interface FileSeal {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** The file may have grown since; what was appended belongs to later caches. */
  readonly grows?: true;
}

/**
 * Seals a directory of files, and syncs them to disk.
 *
 * @param known seals of files whose writer computed them while writing; the others are read
 */
export async function sealFiles(
  directory: string,
  known: Readonly<Record<string, FileSeal>> = {},
): Promise<void> {
  const seals: Record<string, FileSeal> = {};
  for (const name of (await readdir(directory)).sort()) {
    const path = join(directory, name);
    seals[name] = known[name] ?? (await computeSeal(path));
    await sync(path);
  }
  const text = JSON.stringify(seals);
  await writeFile(join(directory, SEAL_FILE), `${text}\n${sha256(text)}\n`);
  await sync(join(directory, SEAL_FILE));
  await syncDirectory(directory);
}

/** What does not match the seal, in words; undefined if everything matches. Reads every byte. */
export async function brokenSeal(directory: string): Promise<string | undefined> {
  try {
    const [text, sum] = (await readFile(join(directory, SEAL_FILE), "utf8")).split("\n");
    if (text === undefined || sum === undefined || sha256(text) !== sum) return `${SEAL_FILE} is damaged`;
    for (const [name, seal] of Object.entries(JSON.parse(text) as Record<string, FileSeal>)) {
      const broken = await brokenFile(join(directory, name), seal);
      if (broken !== undefined) return `${name}${broken}`;
    }
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? `${SEAL_FILE} is missing` : `${SEAL_FILE} cannot be read, ${code}`;
  }
}

async function brokenFile(path: string, wanted: FileSeal): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) return " is not a file";
    if (stats.size < wanted.bytes || (stats.size > wanted.bytes && wanted.grows !== true))
      return `: ${formatCount(stats.size)} of ${formatCount(wanted.bytes)} bytes`;
    const { sha256: found } = await computeSeal(path, wanted.bytes);
    return found === wanted.sha256 ? undefined : ": content has changed";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? " is missing" : ` cannot be read, ${code}`;
  }
}

/** The seal of a file's first `limit` bytes, by default of all. */
async function computeSeal(path: string, limit = Number.POSITIVE_INFINITY): Promise<FileSeal> {
  const file = await open(path);
  try {
    const hash = createHash("sha256");
    const piece = Buffer.alloc(PIECE);
    let bytes = 0;
    while (bytes < limit) {
      const { bytesRead } = await file.read(piece, 0, Math.min(PIECE, limit - bytes), bytes);
      if (bytesRead === 0) break;
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    return { bytes, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in it durable. Systems without directory syncs ignore it. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path).catch(() => undefined);
  await directory?.sync().catch(() => {});
  await directory?.close();
}
