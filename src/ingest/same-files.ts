/**
 * One file under several names: given twice, given with its directory, linked, or copied.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { lstat, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { UnsupportedError } from "../core/base/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import { createSemaphore, openFile } from "../input/io/index.ts";
import { isRemote } from "../input/remote/index.ts";
import type { Source } from "./sources.ts";
import type { FoundFile } from "./walk.ts";

/** Number of files that the system is asked about at once. */
const MOST_ASKED = 16;

/** Drops paths to a file that was already found under another name; the first stays. */
export async function dropRepeated(
  files: readonly FoundFile[],
  findings: FindingLog,
): Promise<{ readonly files: readonly FoundFile[]; readonly repeated: readonly FoundFile[] }> {
  const seen = new Map<string, FoundFile>();
  const kept: FoundFile[] = [];
  const repeated: FoundFile[] = [];
  const slots = createSemaphore(MOST_ASKED);
  const keys = await Promise.all(files.map((file) => slots.run(() => identity(file))));
  for (const [place, file] of files.entries()) {
    const key = keys[place];
    const first = key === undefined ? undefined : seen.get(key);
    if (first === undefined) {
      if (key !== undefined) seen.set(key, file);
      kept.push(file);
      continue;
    }
    repeated.push(file);
    await tellRepeated(file, first, findings);
  }
  return { files: kept, repeated };
}

async function tellRepeated(file: FoundFile, first: FoundFile, findings: FindingLog): Promise<void> {
  const twice = first.path === file.path || resolve(first.path) === resolve(file.path);
  // The link may precede its target in the order.
  const [name, other] =
    !twice && (await isLink(first.path)) && !(await isLink(file.path)) ? [first, file] : [file, first];
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: twice ? "given twice" : "linked",
    count: 1,
    omits: { unit: "file", why: "repeated" },
    at: { file: name.path },
    likely: twice
      ? "a file was named twice, or together with its directory"
      : "the directory holds both links and their targets",
    describe: (count) => {
      if (twice)
        return count === 1
          ? `${name.path} was given twice: counted once`
          : `${count} files were given twice, the first ${name.path}: counted once`;
      return count === 1
        ? `${name.path} is a link to ${other.path}: counted once`
        : `${count} files are links to other files, the first ${name.path} to ${other.path}: counted once`;
    },
  });
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

/** Equal for all names of a file, including hard and symbolic links; undefined when unknown. */
async function identity({ path }: FoundFile): Promise<string | undefined> {
  if (path === "-" || isRemote(path)) return path;
  // Inaccessible files are reported when they are opened.
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats === undefined || stats.ino === 0n ? undefined : `${stats.dev}:${stats.ino}`;
}

/** For large files, comparing both ends distinguishes most copies from other files of the same size. */
const END_BYTES = 1 << 16;
const CHUNK_BYTES = 1 << 20;

/**
 * Drops sources with the same bytes, step and rank as another: a copied directory would count everything twice. The
 * first in order stays; files that the user named come before others.
 */
export async function dropCopies(sources: readonly Source[], findings: FindingLog): Promise<Source[]> {
  const dropped = new Set<Source>();
  // The file of a memory-mapped TensorDict only describes it: equal descriptions can have different numbers.
  const named = sources.filter(
    ({ file, report }) => file.path !== "-" && file.pipe !== true && report.format !== "memmap",
  );
  const alike = groupBy(
    named,
    ({ report: { step, rank, bytes, format } }) => `${step} ${rank} ${bytes} ${format}`,
  );
  for (const group of alike) {
    for (const similar of await groupsOfDigest(group, digestEnds)) {
      for (const copies of await groupsOfDigest(similar, digestWhole)) {
        // Named files come before those found in a directory.
        const [first, ...others] = [...copies.filter(isNamed), ...copies.filter((copy) => !isNamed(copy))];
        for (const copy of others) {
          tell(copy, first!, findings);
          dropped.add(copy);
        }
      }
    }
  }
  return sources.filter((source) => !dropped.has(source));
}

/** Whether the user named the file itself rather than its directory. */
function isNamed({ file }: Source): boolean {
  return file.relative === "";
}

function tell(copy: Source, first: Source, findings: FindingLog): void {
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: "copies",
    count: 1,
    omits: { unit: "file", why: "repeated" },
    at: { file: copy.file.path },
    likely: "a directory or a file was copied",
    describe: (count) => {
      const hold = count === 1 ? "file holds" : "files hold";
      return `${count} ${hold} the same bytes as another of the same step and rank, counted once; ${count === 1 ? "it" : "the first"} repeats ${first.file.path}`;
    },
  });
}

/** Groups of two or more. */
function groupBy<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

async function groupsOfDigest(
  sources: readonly Source[],
  digest: (source: Source) => Promise<string>,
): Promise<Source[][]> {
  const digests = new Map<Source, string>();
  for (const source of sources) {
    // Unreadable files are reported when they are read.
    digests.set(source, await digest(source).catch(() => source.file.path));
  }
  return groupBy(sources, (source) => digests.get(source) ?? "");
}

/** Digest of two spans, or of the whole file from front to back. */
async function digest(
  { file }: Source,
  spans: (bytes: number) => Iterable<[start: number, end: number]>,
): Promise<string> {
  const source = file.remote === undefined ? await openFile(file.path) : file.remote.open();
  if ("bytes" in source) throw new UnsupportedError(`${file.path} can be read only once`);
  try {
    const hash = createHash("sha256");
    for (const [start, end] of spans(source.byteLength)) hash.update(await source.slice(start, end));
    return hash.digest("hex");
  } finally {
    await source.close();
  }
}

/** Digest of its first and last bytes: with the size, this tells most files apart. */
export function digestEnds(source: Source): Promise<string> {
  return digest(source, (bytes) => [
    [0, Math.min(END_BYTES, bytes)],
    [Math.max(0, bytes - END_BYTES), bytes],
  ]);
}

async function digestWhole(source: Source): Promise<string> {
  if (source.report.bytes <= 2 * END_BYTES) return "";
  return digest(source, function* (bytes) {
    for (let start = 0; start < bytes; start += CHUNK_BYTES)
      yield [start, Math.min(bytes, start + CHUNK_BYTES)];
  });
}
