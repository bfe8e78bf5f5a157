/**
 * Parts on disk.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkMemory, fileSystemError, NotFoundError, UsageError } from "../core/base/index.ts";
import { openFile, statIfPresent, writeWholeFile } from "../input/io/index.ts";
import { findRemote, isRemote } from "../input/remote/index.ts";
import { MAGIC, requireMagic } from "./container.ts";
import type { Part, PartKind, PartShard } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";

export const PART_SUFFIX = ".lrs";

/**
 * Paths of parts: given files as they are, and every `.lrs` file in given directories, in the order of names.
 *
 * @throws NotFoundError when a path does not exist
 * @throws UsageError when a directory holds no part
 */
export async function findParts(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (isRemote(path)) {
      const objects = await findRemote(path);
      const parts = objects.filter(({ relative, path: of }) => relative === "" || of.endsWith(PART_SUFFIX));
      if (parts.length === 0) refuseEmpty(path);
      found.push(...parts.map((part) => part.path));
      continue;
    }
    const stats = await statIfPresent(path);
    if (stats === undefined) throw new NotFoundError(`${path} does not exist`, { at: { file: path } });
    if (!stats.isDirectory()) {
      found.push(path);
      continue;
    }
    const names = await readdir(path).catch((cause: unknown) => {
      throw fileSystemError(cause, "list", { file: path });
    });
    const parts = names.filter((name) => name.endsWith(PART_SUFFIX) && !name.startsWith("."));
    if (parts.length === 0) refuseEmpty(path);
    found.push(...parts.map((name) => join(path, name)));
  }
  return [...new Set(found)].sort();
}

function refuseEmpty(path: string): never {
  throw new UsageError(`${path} contains no parts: no file in it ends in ${PART_SUFFIX}`, {
    at: { file: path },
    hint: `logratio summarize DUMPS --out ${path} writes parts`,
  });
}

/**
 * @throws FormatError, VersionError or LimitError as `decodePart`
 * @throws NotFoundError or FileSystemError when it cannot be read
 */
export async function readPart(path: string): Promise<Part> {
  return decodePart(await readPartBytes(path), path);
}

/**
 * @throws FormatError when it does not begin as a part: no more of it is read
 * @throws LimitError when it is larger than the memory limit
 * @throws NotFoundError or FileSystemError when it cannot be read
 */
export async function readPartBytes(path: string): Promise<Uint8Array> {
  const source = isRemote(path) ? (await findRemote(path))[0]!.object.open() : await openFile(path);
  if (!("byteLength" in source)) return readStream(source.bytes, path);
  try {
    requireMagic(await source.slice(0, Math.min(MAGIC.length, source.byteLength)), path);
    checkMemory(source.byteLength, "a part", { file: path });
    return await source.slice(0, source.byteLength);
  } finally {
    await source.close();
  }
}

async function readStream(bytes: AsyncIterable<Uint8Array>, path: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of bytes) {
    const isBegun = total >= MAGIC.length;
    chunks.push(chunk);
    total += chunk.byteLength;
    if (!isBegun && total >= MAGIC.length) requireMagic(Buffer.concat(chunks), path);
    checkMemory(total, "a part", { file: path });
  }
  return Buffer.concat(chunks);
}

/** @throws FileSystemError or NotFoundError where the system refuses */
export async function writePart(path: string, part: Part): Promise<number> {
  const bytes = await encodePart(part);
  await writeWholeFile(path, bytes);
  return bytes.length;
}

/**
 * Whether paths name parts rather than dumps: files that end in `.lrs`, and directories that have no other file.
 *
 * @throws UsageError when some do and others do not
 */
export async function areParts(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map(async (path) => ((await isOfParts(path)) ? path : undefined)));
  const parts = found.filter((path) => path !== undefined);
  if (parts.length === 0 || parts.length === paths.length) return parts.length > 0;
  const other = paths.find((path) => !parts.includes(path));
  throw new UsageError(`${parts[0]} contains parts, but ${other} does not`, {
    at: { file: other! },
    hint: "give only parts; logratio summarize makes them from the other path",
  });
}

async function isOfParts(path: string): Promise<boolean> {
  if (path.endsWith(PART_SUFFIX)) return true;
  if (isRemote(path) || path === "-") return false;
  if ((await statIfPresent(path))?.isDirectory() !== true) return false;
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw fileSystemError(cause, "list", { file: path });
  });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."));
  return files.length > 0 && files.every(({ name }) => name.endsWith(PART_SUFFIX));
}

/** The file name for a part of a shard read with these settings; the same shard gets the same name next time. */
export function namePart(
  shard: Pick<PartShard, "name">,
  settings: readonly string[],
  kind: PartKind,
): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([shard.name, settings]))
    .digest("hex");
  const stem = basename(shard.name)
    .replace(/[^\w.-]+/g, "_")
    .slice(0, 100);
  // Parts for a report keep the names from before there were other kinds, so that work in progress can resume.
  return `${stem}-${kind === "report" ? "" : `${kind}-`}${hash.slice(0, 12)}${PART_SUFFIX}`;
}
