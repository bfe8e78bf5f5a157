/**
 * A run or a study as a folder or a zip of files that any web server can serve: the built page, and each answer under its own path.
 *
 * @module
 */

import { createWriteStream } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { fileSystemError, isSystemError, resultJson, UsageError } from "../../../core/base/index.ts";
import { createScratch, makeDirectory } from "../../../input/io/index.ts";
import { buildGlossary } from "../../../render/glossary/index.ts";
import type { LoggedMetrics, SavedFilterList, Star, ViewInfo } from "../../../results/index.ts";
import { BRIEFS_PER_FILE, comparedPath, decodeTable, formatGroupKey } from "../../../results/wire/index.ts";
import type { PreparedStudy } from "../kl/index.ts";
import { NO_LOGGED_METRICS } from "../logged/index.ts";
import {
  answerFile,
  answerTables,
  digitsTables,
  doctorTables,
  groupPage,
  healthTables,
  reportTables,
  storyPage,
  studyTables,
  withoutNotes,
} from "../pages/index.ts";
import { ANSWER_FILES, type AnswerName, type PreparedRun } from "../prepare/index.ts";
import { builtPage, filesBelow } from "../server/index.ts";

export interface BundleOptions {
  /** The built page; default the one that comes with this package. */
  readonly page?: string;
  /** Whether a file or directory at the target is replaced; default not. */
  readonly replace?: boolean;
  /** What the run's own logger wrote; default nothing. */
  readonly logged?: LoggedMetrics;
}

export interface BundleResult {
  readonly files: number;
  readonly bytes: number;
}

interface BundleFile {
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
}

/** For crawlers: putting a bundle on a server does not make its content public. */
const ROBOTS = "User-agent: *\nDisallow: /\n";

/**
 * Writes the bundle, as a zip where `target` ends in `.zip`, under a temporary name, then renames it. Alternatives of a
 * whole sequence are at `api/topk/INDEX`, since a file server cannot answer ranges of tokens; `api/correct` and
 * `api/events` are absent. `api/run` says `bundled`.
 *
 * @throws UsageError when `target` exists and is not to be replaced
 * @throws FileSystemError or NotFoundError where the system refuses; what was at `target` is kept
 */
export async function writeBundle(
  run: PreparedRun | PreparedStudy,
  target: string,
  { page = builtPage(), replace = false, logged = NO_LOGGED_METRICS }: BundleOptions = {},
): Promise<BundleResult> {
  const whole = resolve(target);
  if (!replace) await refuseOccupied(whole, target);
  const scratch = await writing(target, async () => {
    makeDirectory(dirname(whole));
    return createScratch(dirname(whole));
  });
  const counted = { files: 0, bytes: 0 };
  const files = counting(bundleFiles(run, page, logged), counted);
  const made = join(scratch.path, "bundle");
  try {
    if (whole.endsWith(".zip")) {
      await writeZip(made, files, target);
      await writing(target, () => rename(made, whole));
    } else {
      for await (const { path, read } of files) {
        const bytes = await read();
        await writing(target, async () => {
          makeDirectory(dirname(join(made, path)));
          await writeFile(join(made, path), bytes);
        });
      }
      await writing(target, async () => {
        // An existing target is moved aside first, and removed with the scratch directory once the new one has its
        // name.
        const before = join(scratch.path, "before");
        await rename(whole, before).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
        });
        await rename(made, whole).catch(async (error: unknown) => {
          await rename(before, whole).catch(() => {});
          throw error;
        });
      });
    }
  } finally {
    await scratch.remove();
  }
  return counted;
}

async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw isSystemError(cause) ? fileSystemError(cause, "write", { file }) : cause;
  }
}

async function refuseOccupied(whole: string, target: string): Promise<void> {
  const there = await readdir(whole).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : [basename(whole)],
  );
  if (there.length > 0)
    throw new UsageError(`${target} already exists`, { hint: "name a path that does not exist yet" });
}

async function* bundleFiles(
  run: PreparedRun | PreparedStudy,
  page: string,
  logged: LoggedMetrics,
): AsyncGenerator<BundleFile> {
  const text = (path: string, content: string): BundleFile => {
    return { path, read: () => Promise.resolve(Buffer.from(content)) };
  };
  for (const name of await filesBelow(page)) yield { path: name, read: () => readFile(join(page, name)) };
  const info: ViewInfo = { ...run.info, status: "ready", bundled: true };
  yield text("api/run", JSON.stringify(info));
  yield text("api/glossary", JSON.stringify(buildGlossary()));
  if (isStudy(run)) yield* studyFiles(run);
  else {
    yield text("api/logged", JSON.stringify(logged));
    yield* runFiles(run);
  }
  yield text("robots.txt", ROBOTS);
}

function isStudy(run: PreparedRun | PreparedStudy): run is PreparedStudy {
  return run.info.kind === "view-study";
}

async function* studyFiles(study: PreparedStudy): AsyncGenerator<BundleFile> {
  yield { path: "api/study", read: () => study.answer("study") };
  yield { path: "api/study-texts", read: () => study.answer("texts") };
  yield { path: "api/study-tables", read: async () => (await studyTables(study))! };
  for (let index = 0; index < study.info.texts; index++)
    yield { path: `api/study-text/${index}`, read: async () => (await study.text(index))! };
}

async function* runFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { info } = run;
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[])
    if (name !== "run") yield { path: `api/${name}`, read: () => run.answer(name) };
  yield { path: "api/alerts", read: async () => Buffer.from(JSON.stringify(await run.alerts())) };
  yield* starFiles(run);
  yield { path: "api/filters", read: async () => Buffer.from(JSON.stringify(await savedFilters(run))) };
  yield { path: "api/answer.html", read: () => answerFile(run) };
  yield { path: "api/answer-tables", read: async () => (await answerTables(run))! };
  yield { path: "api/report-tables", read: async () => (await reportTables(run))! };
  yield { path: "api/doctor-tables", read: async () => (await doctorTables(run))! };
  yield { path: "api/health-tables", read: async () => (await healthTables(run))! };
  if (info.tokens > 0)
    yield { path: "api/sweep", read: async () => Buffer.from(resultJson(await run.sweep(null))) };
  yield { path: "api/turns", read: () => run.turns() };
  if (info.has.digits) {
    yield { path: "api/digits", read: async () => (await run.digits())! };
    yield { path: "api/digits-tables", read: async () => (await digitsTables(run))! };
  }
  yield* sequenceFiles(run, "api");
  yield* listFiles(run);
  if (run.compared !== undefined) {
    const { others, together } = run.compared;
    yield { path: "api/compared-runs", read: async () => together };
    for (const [at, { run: other, comparison }] of others.entries()) {
      const folder = `api/${comparedPath("other", at)}`;
      yield { path: `api/${comparedPath("compare", at)}`, read: async () => comparison };
      for (const name of ["run", "report", "steps", "sequences"] as const)
        yield { path: `${folder}/${name}`, read: () => other.answer(name) };
      yield* sequenceFiles(other, folder);
    }
  }
}

/** Without texts, also without saved filters, which may quote them. */
async function savedFilters(run: PreparedRun): Promise<SavedFilterList> {
  const list = await run.savedFilters();
  return run.info.redacted ? { ...list, filters: [] } : list;
}

/** Without texts, also without notes, which may quote them. */
async function* starFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { redacted } = run.info;
  const told = <T extends Star>(stars: readonly T[]): readonly T[] =>
    redacted ? withoutNotes(stars) : stars;
  const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
  yield {
    path: "api/stars",
    read: async () => {
      const list = await run.stars();
      return bytes({ ...list, stars: told(list.stars) });
    },
  };
  yield {
    path: "api/story",
    read: async () => bytes({ entries: told((await storyPage(run)).entries) }),
  };
}

async function* sequenceFiles(run: PreparedRun, folder: string): AsyncGenerator<BundleFile> {
  for (let index = 0; index < run.info.sequences; index++) {
    yield { path: `${folder}/sequence/${index}`, read: async () => (await run.sequence(index))! };
    if (run.info.top_k.length > 0) {
      const read = async () => (await run.topK(index, 0, Number.MAX_SAFE_INTEGER))!;
      yield { path: `${folder}/topk/${index}`, read };
    }
  }
}

/** What lists show, with many sequences per file, and each group under the number of its first sequence. */
async function* listFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { sequences, has } = run.info;
  const table = decodeTable(await run.answer("sequences"));
  for (let file = 0; file * BRIEFS_PER_FILE < sequences; file++) {
    const from = file * BRIEFS_PER_FILE;
    const rows = Array.from({ length: Math.min(BRIEFS_PER_FILE, sequences - from) }, (_, at) => from + at);
    yield { path: `api/briefs/${file}`, read: async () => (await run.briefs(rows))! };
  }
  if (!has.groups) return;
  const known = new Set<string>();
  for (let index = 0; index < sequences; index++) {
    if (table.texts.group.codes[index]! < 0) continue;
    const key = formatGroupKey(table, index);
    if (known.has(key)) continue;
    known.add(key);
    yield { path: `api/group/${index}`, read: async () => (await groupPage(run, index))! };
  }
}

async function* counting(
  files: AsyncIterable<BundleFile>,
  counted: { files: number; bytes: number },
): AsyncGenerator<BundleFile> {
  for await (const { path, read } of files) {
    counted.files++;
    const reading = async (): Promise<Uint8Array> => {
      const bytes = await read();
      counted.bytes += bytes.length;
      return bytes;
    };
    yield { path, read: reading };
  }
}

/** Files are read when their turn comes: a bundle may be larger than memory. */
async function writeZip(path: string, files: AsyncIterable<BundleFile>, target: string): Promise<void> {
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream as Readable, createWriteStream(path)).catch((cause: unknown) => {
    throw fileSystemError(cause, "write", { file: target });
  });
  // Awaited below, except where reading a file fails first.
  written.catch(() => {});
  const failed = new Promise<never>((_, reject) => zip.on("error", reject));
  for await (const { path: name, read } of files) {
    zip.addReadStreamLazy(name, {}, (give) => {
      read().then(
        (bytes) => give(null, Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)])),
        (error: unknown) => give(error, Readable.from([])),
      );
    });
  }
  zip.end();
  await Promise.race([written, failed]);
}
