/**
 * From shards to parts on disk, resuming after an earlier call.
 *
 * @module
 */
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isLogratioError } from "../core/base/index.ts";
import { makeDirectory, statIfPresent } from "../input/io/index.ts";
import { PartMerger } from "./merge-parts.ts";
import type { Part, PartInfo, PartShard } from "./part.ts";
import { namePart, PART_SUFFIX, readPart, writePart } from "./part-files.ts";
import type { ShardReader, ShardToRead } from "./summarize-shards.ts";

/** The progress of the work. */
export interface SummarizeProgress {
  readonly done: number;
  readonly shards: number;
  /** The next shard. */
  readonly name: string;
}

/** The outcome of a call. */
export interface Summarized {
  /** The joint description of this call's parts. */
  readonly info: PartInfo;
  readonly sequences: number;
  readonly tokens: number;
  /** Shards whose parts already existed from an earlier call. */
  readonly resumed: number;
}

export interface SummarizeIntoOptions {
  /** A file, or a directory that receives a part for each shard. */
  readonly out: string;
  readonly onProgress?: (progress: SummarizeProgress) => void;
  /** Ends the work after the current shard; finished parts stay for the next call. */
  readonly isStopped?: () => boolean;
}

/** Whether a path names a part rather than a directory of parts. */
export function isPartName(path: string): boolean {
  return path.endsWith(PART_SUFFIX);
}

/**
 * Writes the parts of all shards. While an output file is incomplete, its parts are kept in a directory next to it.
 *
 * @throws FileSystemError or NotFoundError where the system refuses to write
 */
export async function summarizeInto(
  reader: ShardReader,
  { out, onProgress, isStopped = () => false }: SummarizeIntoOptions,
): Promise<Summarized> {
  const isFile = isPartName(out);
  const folder = isFile ? `${out}.partial` : out;
  await makeDirectory(folder);
  const merger = new PartMerger();
  const failed: PartShard[] = [];
  const { kind, shards, settings } = reader;
  const writeCall = async (): Promise<void> => {
    const call = reader.emptyPart();
    await writePart(join(folder, `call-${reader.call.id}${PART_SUFFIX}`), withShards(call, failed));
  };
  // Written first, so that merging an incomplete directory reports what is missing.
  await writeCall();
  let resumed = 0;
  for (const [done, shard] of shards.entries()) {
    if (isStopped()) break;
    onProgress?.({ done, shards: shards.length, name: shard.name });
    const path = join(folder, namePart(shard, settings, kind));
    const known = await findDone(path, shard, reader);
    if (known !== undefined) resumed++;
    const part = known ?? (await reader.summarize(shard));
    if (part.info.shards[0]!.failed) failed.push(part.info.shards[0]!);
    else if (known === undefined) await writePart(path, withShards(part, part.info.shards, []));
    merger.add(part, path);
  }
  await writeCall();
  merger.add(reader.emptyPart(), out);
  const whole = merger.finish();
  if (isFile && !isStopped()) {
    await writePart(out, whole);
    await removeFolder(folder);
  }
  const { sequences, tokens } = whole.sums;
  return { info: whole.info, sequences, tokens, resumed };
}

function withShards(part: Part, shards: readonly PartShard[], calls = part.info.calls): Part {
  return { ...part, info: { ...part.info, shards, calls } };
}

/** The part of a shard that an earlier call wrote, if it is intact and the file has not changed since. */
async function findDone(
  path: string,
  shard: ShardToRead,
  { kind, settings }: Pick<ShardReader, "kind" | "settings">,
): Promise<Part | undefined> {
  if ((await statIfPresent(path)) === undefined) return undefined;
  try {
    const part = await readPart(path);
    const [known] = part.info.shards;
    const isSame =
      known?.name === shard.name &&
      known.digest !== null &&
      known.digest === (await shard.digest()) &&
      part.info.kind === kind &&
      part.info.settings.join("\0") === settings.join("\0");
    return isSame ? part : undefined;
  } catch (error) {
    // An unreadable part is written again.
    if (isLogratioError(error)) return undefined;
    throw error;
  }
}

async function removeFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(PART_SUFFIX)) await rm(join(folder, name), { force: true });
  // Anything else in the folder belongs to someone else, and then it stays.
  await rmdir(folder).catch(() => {});
}
