/**
 * The same sequences in two files: compressed beside plain, in another format, or merged into one file. Their bytes
 * differ, so their content is compared.
 *
 * @module
 */
import { basename } from "node:path";
import { type FindingLog, FindingLog as Findings } from "../core/schema/index.ts";
import { formatCount, plural } from "../core/text/index.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import { seriesFolder } from "./file-numbers.ts";
import type { ReadOptions } from "./options.ts";
import { withNumbers } from "./pack-drafts.ts";
import { BLOCK_TOKENS, reopen } from "./read-one.ts";
import { ContentHasher, type RowContent } from "./row-content.ts";
import { compareSources, type Source } from "./sources.ts";

type ContentRow = RowContent & { readonly step: number | undefined };

/** Looks up what files hold; each is read at most once. */
export class Contents {
  readonly #options: ReadOptions;
  readonly #first = new Map<Source, Promise<ContentRow | undefined>>();
  readonly #all = new Map<Source, Promise<readonly ContentRow[]>>();

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Its first sequence that has tokens; undefined if there is none, or the file cannot be read. */
  first(source: Source): Promise<ContentRow | undefined> {
    const known = this.#first.get(source) ?? this.#readFirst(source);
    this.#first.set(source, known);
    return known;
  }

  /** Its sequences that have tokens; none if the file cannot be read to its end. */
  all(source: Source): Promise<readonly ContentRow[]> {
    const known = this.#all.get(source) ?? this.#readAll(source);
    this.#all.set(source, known);
    return known;
  }

  async #readFirst(source: Source): Promise<ContentRow | undefined> {
    try {
      for await (const row of this.#read(source, 1)) if (row.tokens > 0) return row;
    } catch (error) {
      // Reported when the file is read for its figures.
      containFileError(error, source.report.file);
    }
    return undefined;
  }

  async #readAll(source: Source): Promise<readonly ContentRow[]> {
    const rows: ContentRow[] = [];
    try {
      for await (const row of this.#read(source, BLOCK_TOKENS)) if (row.tokens > 0) rows.push(row);
    } catch (error) {
      containFileError(error, source.report.file);
      return [];
    }
    return rows;
  }

  async *#read(source: Source, blockTokens: number): AsyncGenerator<ContentRow> {
    let document: SourceDocument | undefined;
    try {
      document = await reopen(source, this.#options, () => {});
      const { mapping } = this.#options;
      // What reading notices is reported when the file is read for its figures.
      const context = { findings: new Findings(), mapping, blockTokens, shared: source.shared };
      const { blocks } = await source.adapter.read(document, context);
      for await (const block of blocks)
        for (const draft of block) {
          const hasher = new ContentHasher({
            mask: draft.responseMask,
            rollout: draft.rolloutLogprobs,
            trainer: draft.trainerLogprobs,
            ids: draft.responseTokenIds,
          });
          const { step } = withNumbers(draft, source.defaults);
          yield { ...hasher.hash(0, draft.length), step };
        }
    } finally {
      // A document that was kept will be read again.
      if (document !== source.document) await closeQuietly(document);
    }
  }
}

/**
 * Whether two files of one step hold the same sequences, even if one lacks columns other than ids or log-probs:
 * compares their first sequences, else any. A file that cannot be read counts as the same.
 */
export async function holdSameSequences(contents: Contents, a: Source, b: Source): Promise<boolean> {
  const [ours, theirs] = [await contents.first(a), await contents.first(b)];
  if (
    ours === undefined ||
    theirs === undefined ||
    ours.logprobs === theirs.logprobs ||
    ours.ids === theirs.ids
  )
    return true;
  const rows = await contents.all(b);
  const logprobs = new Set(rows.map((row) => row.logprobs));
  const ids = new Set(rows.map((row) => row.ids).filter((id) => !Number.isNaN(id)));
  return (await contents.all(a)).some((row) => logprobs.has(row.logprobs) || ids.has(row.ids));
}

/**
 * Drops sources all of whose sequences are in others, in another container or folder. Files of one series (names that
 * differ only in numbers) are compared with each other only if step and rank are the same and the size nearly so: an
 * ordinary run costs nothing. Others are compared by their first sequence, and read whole only where that is the same.
 */
export async function dropSameContent(
  sources: readonly Source[],
  contents: Contents,
  findings: FindingLog,
): Promise<Source[]> {
  const files = sources.filter(canReadAgain).map((source) => ({
    source,
    series: `${seriesFolder(source.file.path)}/${basename(source.file.path).replaceAll(/\d+/g, "#")}`,
  }));
  const suspects = await findSuspects(files, contents);
  if (suspects.length === 0) return [...sources];
  const index = new ContentIndex();
  for (const file of suspects) index.add(file, await contents.all(file.source));
  const dropped = new Map<Source, SeriesFile>();
  for (const file of index.leastWanted()) {
    const holder = index.findHolder(file);
    if (holder === undefined) continue;
    index.remove(file);
    dropped.set(file.source, holder);
  }
  for (const [source, holder] of [...dropped].sort(([a], [b]) => compareSources(a, b)))
    tellSame(source, await contents.all(source), holder, findings);
  return sources.filter((source) => !dropped.has(source));
}

interface SeriesFile {
  readonly source: Source;
  /** Equal for files whose names differ only in numbers. */
  readonly series: string;
}

/** Files that complete each other are compared by their adapter. */
function canReadAgain({ file, companions, document }: Source): boolean {
  return file.path !== "-" && file.pipe !== true && companions.length === 0 && document?.kind !== "rows";
}

/** Files of steps in which two series, or two files of nearly the same size, begin with the same sequence. */
async function findSuspects(files: readonly SeriesFile[], contents: Contents): Promise<SeriesFile[]> {
  const found = await findAlike(findClose(files), contents);
  if (countSeries(files) > 1) for (const file of await findInSeries(files, contents)) found.add(file);
  return files.filter((file) => found.has(file));
}

/** Bytes by which two files of one series may differ if they differ only in how they describe themselves. */
const SLACK = 1024;

/** Files of one series, step and rank that are about the same size as another: a batch that was recorded again. */
function findClose(files: readonly SeriesFile[]): SeriesFile[][] {
  const groups = new Map<string, SeriesFile[]>();
  for (const file of files) {
    const { report, stepIsCertain } = file.source;
    if (report.step === undefined || !stepIsCertain) continue;
    const key = `${file.series} ${report.step} ${report.rank}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [file]);
    else group.push(file);
  }
  return [...groups.values()].map(keepClose).filter(({ length }) => length > 1);
}

/** Those about the size of another; with files sorted by size, that is a neighbor. */
function keepClose(group: readonly SeriesFile[]): SeriesFile[] {
  const bySize = [...group].sort((a, b) => a.source.report.bytes - b.source.report.bytes);
  return bySize.filter((file, i) =>
    [bySize[i - 1], bySize[i + 1]].some((other) => other !== undefined && areClose(file, other)),
  );
}

function areClose({ source: a }: SeriesFile, { source: b }: SeriesFile): boolean {
  return Math.abs(a.report.bytes - b.report.bytes) <= SLACK;
}

async function findAlike(groups: readonly SeriesFile[][], contents: Contents): Promise<Set<SeriesFile>> {
  const found = new Set<SeriesFile>();
  for (const group of groups) {
    const byFirst = new Map<number, SeriesFile[]>();
    for (const file of group) {
      const first = await contents.first(file.source);
      if (first !== undefined) byFirst.set(first.logprobs, [...(byFirst.get(first.logprobs) ?? []), file]);
    }
    for (const alike of byFirst.values()) if (alike.length > 1) for (const file of alike) found.add(file);
  }
  return found;
}

async function findInSeries(
  files: readonly SeriesFile[],
  contents: Contents,
): Promise<ReadonlySet<SeriesFile>> {
  const loose = new Set(
    files.filter(({ source }) => !source.stepIsCertain || source.report.step === undefined),
  );
  const firsts = new Map<SeriesFile, ContentRow | undefined>();
  const look = async (file: SeriesFile): Promise<ContentRow | undefined> => {
    if (!firsts.has(file)) firsts.set(file, await contents.first(file.source));
    return firsts.get(file);
  };
  const byStep = new Map<number | undefined, SeriesFile[]>();
  const put = (step: number | undefined, file: SeriesFile): void => {
    byStep.set(step, [...(byStep.get(step) ?? []), file]);
  };
  for (const file of files) {
    put(loose.has(file) ? (await look(file))?.step : file.source.report.step, file);
  }
  const anyStep = byStep.get(undefined) ?? [];
  const found = new Set<SeriesFile>();
  for (const [step, members] of byStep) {
    const together = step === undefined && anyStep.length > 0 ? files : [...members, ...anyStep];
    if (countSeries(together) < 2) continue;
    const byFirst = new Map<number, SeriesFile[]>();
    for (const file of together) {
      const first = await look(file);
      if (first !== undefined) byFirst.set(first.logprobs, [...(byFirst.get(first.logprobs) ?? []), file]);
    }
    const alike = [...byFirst.values()].filter((group) => countSeries(group) > 1).flat();
    // A file of several steps or ranks may hold, at any place, what others begin with.
    const whole = alike.some((file) => loose.has(file)) ? files : together;
    if (alike.length > 0) for (const file of whole) found.add(file);
  }
  return found;
}

function countSeries(files: readonly SeriesFile[]): number {
  return new Set(files.map(({ series }) => series)).size;
}

/** Which files hold which sequences, and how often. */
class ContentIndex {
  readonly #rows = new Map<SeriesFile, readonly ContentRow[]>();
  #holders: Map<string, Map<SeriesFile, number>> | undefined;

  add(file: SeriesFile, rows: readonly ContentRow[]): void {
    this.#rows.set(file, rows);
  }

  remove(file: SeriesFile): void {
    this.#rows.delete(file);
    for (const counts of this.#index().values()) counts.delete(file);
  }

  /** Fewer columns first, then more sequences: a merged file goes before the files it was made from. */
  leastWanted(): SeriesFile[] {
    const size = (file: SeriesFile): number => this.#rows.get(file)!.length;
    return [...this.#rows.keys()].sort(
      (a, b) =>
        a.source.report.found.length - b.source.report.found.length ||
        size(b) - size(a) ||
        compareSources(b.source, a.source) ||
        b.source.file.path.localeCompare(a.source.file.path),
    );
  }

  /**
   * A file of another series that holds a sequence of this one, if all of them are in such files. A single sequence in a
   * file of several sequences proves nothing: one prompt may be answered in the same words twice.
   */
  findHolder(file: SeriesFile): SeriesFile | undefined {
    const index = this.#index();
    const rows = this.#rows.get(file)!;
    const holders = new Set<SeriesFile>();
    const wanted = countBy(rows.map((row) => this.#key(row)));
    for (const [key, count] of wanted) {
      let held = 0;
      for (const [other, times] of index.get(key) ?? []) {
        if (other === file || !canBeSame(other.source, file.source)) continue;
        if (other.series === file.series && !areClose(other, file)) continue;
        holders.add(other);
        held += times;
      }
      if (held < count) return undefined;
    }
    const [first] = holders;
    return wanted.size > 1 || (first !== undefined && this.#rows.get(first)!.length === rows.length)
      ? first
      : undefined;
  }

  #index(): Map<string, Map<SeriesFile, number>> {
    if (this.#holders !== undefined) return this.#holders;
    this.#holders = new Map();
    for (const [file, rows] of this.#rows)
      for (const [key, count] of countBy(rows.map((row) => this.#key(row)))) {
        const counts = this.#holders.get(key) ?? new Map<SeriesFile, number>();
        this.#holders.set(key, counts.set(file, count));
      }
    return this.#holders;
  }

  #traits: { readonly ids: boolean; readonly steps: boolean } | undefined;

  /** Ids and steps tell sequences apart where every file has them. */
  #key({ logprobs, ids, step }: ContentRow): string {
    if (this.#traits === undefined) {
      const all = [...this.#rows.values()].flat();
      this.#traits = {
        ids: all.every((row) => !Number.isNaN(row.ids)),
        steps: all.every((row) => row.step !== undefined),
      };
    }
    const { ids: hasIds, steps: hasSteps } = this.#traits;
    return `${logprobs} ${hasIds ? ids : ""} ${hasSteps ? step : ""}`;
  }
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Unknown steps and ranks may match any. */
function canBeSame(a: Source, b: Source): boolean {
  const agree = (ours: number | undefined, theirs: number | undefined): boolean =>
    ours === undefined || theirs === undefined || ours === theirs;
  const areCertain = a.stepIsCertain && b.stepIsCertain;
  return agree(a.report.rank, b.report.rank) && (!areCertain || agree(a.report.step, b.report.step));
}

function tellSame(
  { report }: Source,
  rows: readonly ContentRow[],
  holder: SeriesFile,
  findings: FindingLog,
): void {
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const size = `${plural(rows.length, "sequence")}, ${plural(tokens, "token")} with mask 1`;
  const name = `${report.file} (${size})`;
  const other = holder.source.report.file;
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: "same content",
    count: 1,
    omits: { unit: "file", why: "repeated" },
    at: { file: report.file },
    likely: "a file was compressed, converted or copied, and both are there",
    hint: "keep only one of them, or give it alone",
    describe: (count) =>
      count === 1
        ? `${name} holds the same sequences as ${other}: counted once`
        : `${formatCount(count)} files hold the same sequences as others: counted once; the first, ${name}, repeats ${other}`,
  });
}
