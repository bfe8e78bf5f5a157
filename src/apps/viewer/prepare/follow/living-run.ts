/**
 * A run that grows while it is shown: one pass is kept alive, new files are read into it, and its answers are published
 * as a new cache each time. Nothing is read twice.
 *
 * The files that grow (`PASS_FILES`) are appended to in a separate folder and linked into each cache. A cache's offsets
 * say how much of them it uses, so later data, or a killed process, changes no cache. Rows are in the order of arrival.
 *
 *     folder of its own          cache of the first look     cache of the next
 *     sequences.bin ──link────►  sequences.bin ─────────────► sequences.bin    one file, longer by now
 *     briefs.bin, topk.bin, …    offsets.bin, report.json …  offsets.bin, …    each its own
 *
 * If a plain read would have them in the same order, the cache has the name that a plain read looks for; else it has
 * another, and a plain read builds a sorted one.
 *
 * @module
 */
import { utimes } from "node:fs/promises";
import { basename } from "node:path";
import { EmptyInputError } from "../../../../core/base/index.ts";
import { type GrowingRun, growingRun } from "../../../../ingest/index.ts";
import type { Scratch } from "../../../../input/io/index.ts";
import { AnswerPass } from "../cache/build-cache.ts";
import {
  cacheError,
  cachePlaces,
  dropOldCaches,
  publishCache,
  temporaryCache,
} from "../cache/cache-place.ts";
import { digest, type Inputs, stampFile } from "../cache/inputs.ts";
import { openPrepared } from "../cache/open-prepared.ts";
import type { PrepareOptions } from "../cache/options.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { sharePassFiles } from "../cache/share-file.ts";
import { isUnfinished } from "../cache/unfinished.ts";

/** The result of a look at the inputs. */
export type Looked =
  | { readonly run: PreparedRun }
  /** What was read is no longer part of the inputs: start again. */
  | { readonly broken: string }
  /** The same as shown last time. */
  | { readonly unchanged: true };

export interface LivingRun {
  /**
   * Reads new inputs and publishes the run with them.
   *
   * @param rests whether a file was the same at the look before
   * @throws what `report` throws for such input; after an error, the run cannot be used
   */
  look(inputs: Inputs, rests: (path: string) => boolean): Promise<Looked>;
  /** Ends the run; published states remain. */
  end(): Promise<void>;
}

type Broken = Extract<Looked, { readonly broken: string }>;
type Grown = Exclude<Awaited<ReturnType<GrowingRun["look"]>>, { readonly broken: string }>;

/** Files of lines are complete at every line end, so only time tells that no more will come. */
const LINES = new Set(["jsonl"]);

/** @throws FileSystemError when the cache cannot be written */
export async function beginLivingRun(
  paths: readonly string[],
  options: PrepareOptions,
  { key, files }: Inputs,
): Promise<LivingRun> {
  const places = await cachePlaces(paths, options.cache);
  const scratch = await temporaryCache(places);
  try {
    const pass = await AnswerPass.start(scratch.path, paths, options, files);
    return new GrowingAnswers(paths, options, { key, places, scratch, pass });
  } catch (error) {
    await scratch.remove();
    throw cacheError(error, scratch.path);
  }
}

class GrowingAnswers implements LivingRun {
  readonly #input: { readonly paths: readonly string[]; readonly flags: readonly string[] };
  readonly #key: string;
  readonly #places: readonly string[];
  /** The folder of the growing files. */
  readonly #scratch: Scratch;
  readonly #pass: AnswerPass;
  readonly #growing: GrowingRun;
  /** Files in the order in which they were read. */
  readonly #arrived: string[] = [];
  /** Whether a plain read would have read them in that order. */
  #inOrder = true;
  /** Digest of everything that the last published state depends on. */
  #shown = "";

  constructor(
    paths: readonly string[],
    { read, onProgress, flags = [] }: PrepareOptions,
    parts: { key: string; places: readonly string[]; scratch: Scratch; pass: AnswerPass },
  ) {
    this.#input = { paths, flags };
    this.#key = parts.key;
    this.#places = parts.places;
    this.#scratch = parts.scratch;
    this.#pass = parts.pass;
    this.#growing = growingRun(paths, { ...read, ...(onProgress && { onProgress }) });
  }

  async look(inputs: Inputs, rests: (path: string) => boolean): Promise<Looked> {
    const found = await this.#findNews(inputs, rests);
    if ("broken" in found) return found;
    await this.#read(found);
    const findings = found.findings().list();
    const unfinished = findings.map((finding) => isUnfinished(finding, inputs.unsettled));
    // Findings and pending files change without a new file, and are shown too.
    const state = digest([this.#arrived, findings, unfinished, found.waiting]);
    if (state === this.#shown) return { unchanged: true };
    const { unsettled } = inputs;
    const version = this.#nameVersion(inputs);
    const run = await this.#publish(version, (directory) =>
      this.#pass.write(directory, { run: found, findings, waiting: found.waiting, version, unsettled }),
    );
    this.#shown = state;
    return { run };
  }

  async end(): Promise<void> {
    await this.#pass.close();
    await this.#scratch.remove();
  }

  /** At first all files, later only those that will no longer change: what was read cannot be undone. */
  async #findNews(inputs: Inputs, rests: (path: string) => boolean): Promise<Grown | Broken> {
    const isFirst = this.#arrived.length === 0;
    const stamps = new Map(inputs.files.map((file) => [file.path, stampFile(file)]));
    const found = await this.#growing.look(stamps, ({ file, format }, stable) => {
      if (isFirst) return true;
      return stable && rests(file) && !(LINES.has(format) && inputs.unsettled.has(file));
    });
    if (!("broken" in found) && isFirst && found.news.length === 0)
      throw new EmptyInputError("nothing is readable yet");
    return found;
  }

  async #read(found: Grown): Promise<void> {
    await this.#pass.read(found.batches()).catch((error: unknown) => {
      throw cacheError(error, this.#scratch.path);
    });
    this.#arrived.push(...found.news.map(({ file }) => file));
    this.#inOrder &&= found.inOrder;
  }

  /** Rows in a different order from a plain read's cannot serve as its cache: they get another name. */
  #nameVersion({ version }: Inputs): string {
    return this.#inOrder ? version : `${version}-as-arrived-${digest(this.#arrived).slice(0, 8)}`;
  }

  async #publish(version: string, write: (directory: string) => Promise<string>): Promise<PreparedRun> {
    const folder = this.#scratch.path;
    const temporary = await temporaryCache(this.#places);
    try {
      await sharePassFiles(folder, temporary.path);
      const written = await write(temporary.path);
      const directory = await publishCache(temporary, `${this.#key}-${written}`);
      const prepared = await openPrepared(directory, {
        ...this.#input,
        status: "reading",
        growing: basename(folder),
        reused: false,
        complete: written === version,
      });
      // Otherwise another process may take the folder for an abandoned one.
      const now = new Date();
      await utimes(folder, now, now);
      await dropOldCaches(directory, this.#key);
      return prepared;
    } catch (error) {
      await temporary.remove();
      throw cacheError(error, temporary.path);
    }
  }
}
