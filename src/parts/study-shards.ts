/**
 * Scored studies as shards: each becomes a part, and all parts are reported as one study.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { INPUT_NAMES, inputFlags } from "../analyses/runs/input-options.ts";
import { fileSystemError, NotFoundError, UsageError } from "../core/base/index.ts";
import { FindingLog } from "../core/schema/index.ts";
import { containFileError } from "../ingest/index.ts";
import { isAbsence, listIfPresent, statIfPresent } from "../input/io/index.ts";
import { isRemote } from "../input/remote/index.ts";
import type { JudgingFlags } from "../study/flags.ts";
import {
  type AnalyzeProgress,
  mergeConfigs,
  pickJudgingFlags,
  readAnalysisConfig,
  readJudgingFlags,
  readStoredConfig,
  type SummedStudy,
  studyPaths,
  sumStudy,
  writeSettings,
} from "../study/scoring/index.ts";
import { KlSums } from "./kinds/kl-sums.ts";
import { PartMerger } from "./merge-parts.ts";
import type { Part, PartCall, PartKind, PartShard } from "./part.ts";
import {
  makeEmptyPart,
  nameCall,
  openShardReader,
  refuseForeign,
  type ShardReader,
  type ShardToRead,
  type SummarizeOptions,
} from "./summarize-shards.ts";

export interface StudyShardsOptions extends JudgingFlags {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: AnalyzeProgress & { readonly study: string }) => void;
}

/** Opens the shards of any verb. @throws as `openShardReader` and {@link openStudyReader} */
export async function openAnyShards(
  paths: readonly string[],
  options: SummarizeOptions<PartKind> = {},
): Promise<ShardReader> {
  const { for: kind = "report" } = options;
  if (kind !== "kl") return openShardReader(paths, { ...options, for: kind });
  refuseForeign(kind, options);
  const stray = Object.fromEntries(Object.entries(options).filter(([name]) => INPUT_NAMES.has(name)));
  const [flag] = inputFlags(stray, []);
  if (flag !== undefined)
    throw new UsageError(`${flag} does not apply to kl: its shards are studies`, { hint: "leave it out" });
  const { signal } = options;
  return openStudyReader(paths, { ...pickJudgingFlags(options), ...(signal && { signal }) });
}

/**
 * Sums studies into one part in memory. An unreadable study is left out and counted.
 *
 * @throws UsageError, NotFoundError as {@link openStudyReader}
 * @throws SchemaError when their settings for reading differ
 */
export async function sumStudies(
  paths: readonly string[],
  options: StudyShardsOptions = {},
): Promise<Part<KlSums>> {
  const reader = await openStudyReader(paths, options);
  const merger = new PartMerger();
  merger.add(reader.emptyPart(), "the call");
  for (const shard of reader.shards) merger.add(await reader.summarize(shard), shard.name);
  return merger.finish() as Part<KlSums>;
}

/** A study to be read. */
interface StudyShard extends ShardToRead {
  readonly bytes: number;
}

/**
 * Opens studies without reading them yet.
 *
 * @param paths directories of studies, and directories that contain some
 * @throws UsageError when a flag makes no sense
 * @throws NotFoundError when a path does not exist or holds no study
 */
export async function openStudyReader(
  paths: readonly string[],
  options: StudyShardsOptions = {},
): Promise<ShardReader<StudyShard>> {
  const { signal, onProgress, ...flags } = options;
  const judging = readJudgingFlags(flags);
  readAnalysisConfig(judging, undefined);
  const shards = await Promise.all((await findStudies(paths)).map(openStudy));
  const settings = inputFlags(flags, []);
  const call: PartCall = {
    id: nameCall("kl", paths, settings),
    paths,
    expected: shards.map(({ name }) => name),
    findings: [],
  };
  const empty = makeEmptyPart("kl", { settings, calls: [call] });
  return {
    kind: "kl",
    call,
    settings,
    shards,
    async summarize(shard) {
      const sums = new KlSums();
      let digest: string | null = null;
      try {
        digest = (await shard.digest()) ?? null;
        const config = mergeConfigs(await readStoredConfig(shard.name), judging);
        const progress = onProgress && ((of: AnalyzeProgress) => onProgress({ ...of, study: shard.name }));
        const summed = await sumStudy(shard.name, {
          ...readAnalysisConfig(config, undefined),
          ...(signal && { signal }),
          ...(progress && { onProgress: progress }),
        });
        sums.add(shard.name, summed.sums, writeSettings(config));
        return { info: { ...empty.info, shards: [describeShard(shard, digest, summed)] }, sums };
      } catch (error) {
        signal?.throwIfAborted();
        return { info: { ...empty.info, shards: [describeShard(shard, digest, error)] }, sums };
      }
    },
    emptyPart: () => empty,
  };
}

function describeShard(
  { name, bytes }: StudyShard,
  digest: string | null,
  read: SummedStudy | unknown,
): PartShard {
  const isRead = typeof read === "object" && read !== null && "sums" in read && "findings" in read;
  const findings = isRead ? (read as SummedStudy).findings : new FindingLog();
  if (!isRead) {
    const { message, at, likely, hint } = containFileError(read, name);
    findings.add({
      code: "file-skipped",
      severity: "skipped",
      subject: "studies",
      count: 1,
      omits: { unit: "file", why: "unreadable" },
      at: { file: name, ...at },
      ...(likely !== undefined && { likely }),
      ...(hint !== undefined && { hint }),
      describe: (count) =>
        count === 1
          ? `the study ${name} cannot be read: ${message}`
          : `${count} studies cannot be read, the first: ${message}`,
    });
  }
  const source = {
    file: name,
    format: "study",
    trainer: "score",
    step: null,
    rank: null,
    bytes,
    found: [],
    guessed: [],
    missing: [],
    run: basename(dirname(resolve(name))),
  };
  return {
    name,
    digest,
    sources: [source],
    findings: findings.toData(),
    filtered: null,
    checks: null,
    failed: !isRead,
  };
}

/**
 * Directories of studies, in the order of their names.
 *
 * @throws NotFoundError when a path does not exist or holds no study, FileSystemError if that cannot be determined
 */
async function findStudies(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (isRemote(path))
      throw new UsageError(`${path}: studies are read from a file system`, {
        hint: "copy them, or mount the store",
      });
    const { found: within, unreadable } = await listStudies(path);
    if (within.length === 0 && unreadable !== undefined) throw unreadable;
    if (within.length === 0)
      throw new NotFoundError(`${path} holds no study: no study.json is in it or in its directories`, {
        at: { file: path },
        hint: "give directories that logratio score wrote, or a directory of them",
      });
    found.push(...within);
  }
  return [...new Set(found)];
}

/** Whether every path is a study or contains studies, and there is more than one study. */
export async function areStudies(paths: readonly string[]): Promise<boolean> {
  const lists = await Promise.all(
    paths.map(async (path) => (isRemote(path) ? [] : (await listStudies(path)).found)),
  );
  return lists.every((list) => list.length > 0) && lists.flat().length > 1;
}

/**
 * The study at a path, or the studies in it. Next to studies, a folder that cannot be read counts as one, and is left
 * out when it is read; without any studies, it may be anything.
 */
async function listStudies(
  path: string,
): Promise<{ readonly found: string[]; readonly unreadable?: unknown }> {
  if (await isStudy(path)) return { found: [path] };
  const names = ((await listIfPresent(path)) ?? []).filter((name) => !name.startsWith(".")).sort();
  const folders = names.map((name) => join(path, name));
  const are = await Promise.all(
    folders.map((folder) => isStudy(folder).catch((error: unknown) => ({ error }))),
  );
  if (are.includes(true)) return { found: folders.filter((_, i) => are[i] !== false) };
  const failed = are.find((one) => typeof one === "object");
  return { found: [], ...(failed !== undefined && { unreadable: failed.error }) };
}

async function isStudy(path: string): Promise<boolean> {
  return (await statIfPresent(studyPaths.manifest(path)))?.isFile() === true;
}

/** Files that a report is computed from; all others are derived from these. @throws FileSystemError */
async function listFiles(dir: string): Promise<string[]> {
  const names = async (folder: string, ending: string): Promise<string[]> => {
    const all = (await listIfPresent(join(dir, folder))) ?? [];
    return all
      .filter((name) => name.endsWith(ending) && !name.startsWith("."))
      .sort()
      .map((name) => join(folder, name));
  };
  return [
    ...["study.json", "texts.jsonl", "continuations.jsonl"],
    ...(await names("scores", ".parquet")),
    ...(await names("gradients", ".jsonl")),
  ];
}

async function openStudy(dir: string): Promise<StudyShard> {
  // An unreadable study is reported when it is summarized.
  const bytes = await measureStudy(dir).catch(() => 0);
  return {
    name: dir,
    paths: [dir],
    bytes,
    sources: [{ bytes }],
    digest: async () => digestFiles(dir, await listFiles(dir)),
  };
}

async function measureStudy(dir: string): Promise<number> {
  const found = await Promise.all((await listFiles(dir)).map((file) => statIfPresent(join(dir, file))));
  return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
}

const END_BYTES = 65_536;

/** Digest of names, sizes and both ends of files; files of scores end in a checksum of their content. */
async function digestFiles(dir: string, files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) {
    const ends = await readEnds(join(dir, file));
    if (ends !== undefined) hash.update(`${file} ${ends.size}\n`).update(ends.bytes);
  }
  return hash.digest("hex").slice(0, 32);
}

/** Undefined if there is no such file. */
async function readEnds(
  path: string,
): Promise<{ readonly size: number; readonly bytes: Uint8Array } | undefined> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const bytes = new Uint8Array(Math.min(size, 2 * END_BYTES));
      const first = Math.min(size, END_BYTES);
      await file.read(bytes, 0, first, 0);
      await file.read(bytes, first, bytes.length - first, size - (bytes.length - first));
      return { size, bytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw fileSystemError(error, "read", { file: path });
  }
}
