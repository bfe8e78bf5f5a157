/**
 * Recognizes an existing file or directory by content: something that logratio wrote, or other data.
 *
 * @module
 */

import type { Stats } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileSystemError } from "../../core/base/index.ts";
import { WRITER_KEY } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import { listIfPresent, openFile, openZip, readTextIfPresent } from "../../input/io/index.ts";
import { MASK_NAME, WEIGHTS_NAME } from "../writing/corrected-arrays.ts";

/** Kinds of output of the command line. A file is only replaced by one of its own kind. */
export type OutputKind =
  | "report page"
  | "doctor page"
  | "analyze page"
  | "kl page"
  | "compare page"
  | "gate page"
  | "gate test report"
  | "gate baseline"
  | "part"
  | "record"
  | "corrected record"
  | "corrected arrays"
  | "divergence log"
  | "event file"
  | "metrics log"
  | "gauges file"
  | "bundle"
  | "study"
  | "cache";

export interface Existing {
  /** Undefined when logratio did not write it, or the content does not tell. */
  readonly kind: OutputKind | undefined;
  /** Its name in a sentence: "npz arrays", "a web page". */
  readonly what: string;
  /** Whether it holds data rather than a page or text for people. */
  readonly isData: boolean;
}

const HEAD_BYTES = 1 << 16;

/** @throws FileSystemError where it cannot be read */
export async function identifyFile(path: string): Promise<Existing> {
  const head = await readHead(path);
  const text = head.toString("latin1");
  const page = /<meta name=generator content="logratio (report|doctor|analyze|compare|gate|kl)"/.exec(
    text.slice(0, 4096),
  )?.[1];
  if (page !== undefined)
    return { kind: `${page} page` as OutputKind, what: `a logratio ${page} page`, isData: false };
  // Its first record: a version and the writer, as `renderEvents` writes them.
  const first = text.slice(0, 64);
  if (first.includes("brain.Event:2") && first.includes("\n\blogratio"))
    return { kind: "event file", what: "logratio's TensorBoard events", isData: true };
  if (/^<\?xml [^>]*\?>\s*<testsuites name="logratio gate"/.test(text))
    return { kind: "gate test report", what: "a test report of logratio gate", isData: false };
  // The user's comments may precede it; a JSON file has the same first key.
  if (/^(?:\s*#[^\n]*\n)*\s*(?:\{\s*)?"?kind"?: *"?logratio-baseline\b/.test(text))
    return { kind: "gate baseline", what: "a baseline of logratio gate", isData: false };
  if (text.startsWith("# HELP logratio_"))
    return { kind: "gauges file", what: "logratio's gauges", isData: false };
  if (text.startsWith("\u0089LRS\r\n"))
    return { kind: "part", what: "a part of logratio summarize", isData: true };
  if (text.startsWith("PAR1")) return identifyParquet(path);
  if (text.startsWith("PK\u0003\u0004")) return identifyZip(path);
  if (/^[\s\S]{8}\{"/.test(text.slice(0, 10))) return identifySafetensors(text);
  if (/^\s*[{[]/.test(text)) return identifyJson(head);
  if (/^\s*<(!doctype|html|\?xml|svg)/i.test(text)) return foreign("a web page or XML", false);
  if (text.startsWith("\u0093NUMPY")) return foreign("a NumPy array");
  if (text.startsWith("\u001f\u008b") || text.startsWith("\u0028\u00b5\u002f\u00fd"))
    return foreign("compressed data");
  if (text.startsWith("\u0080")) return foreign("a pickle");
  return head.includes(0) ? foreign("binary data") : foreign("text", false);
}

function foreign(what: string, isData = true): Existing {
  return { kind: undefined, what, isData };
}

async function readHead(path: string): Promise<Buffer> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw fileSystemError(cause, "read", { file: path });
  }
}

const WRITERS: Readonly<Record<string, OutputKind>> = { convert: "record", correct: "corrected record" };

/** The footer is at the end of the file; its text pairs are searched as raw bytes. */
async function identifyParquet(path: string): Promise<Existing> {
  const source = await openFile(path);
  try {
    const { byteLength: size } = source;
    const tail = Buffer.from(await source.slice(Math.max(0, size - 8), size));
    const length = tail.length === 8 ? Math.min(tail.readUInt32LE(0), 1 << 26, size - 8) : 0;
    const footer = Buffer.from(await source.slice(size - 8 - length, size - 8)).toString("latin1");
    // The key, a field's header, the length of the value (one byte, since it is short), the value.
    const at = footer.indexOf(WRITER_KEY);
    const value = at < 0 ? "" : footer.slice(at + WRITER_KEY.length + 2, at + WRITER_KEY.length + 12);
    const writer = Object.keys(WRITERS).find((name) => value.startsWith(name));
    if (writer === undefined) return foreign("Parquet data");
    return { kind: WRITERS[writer], what: `what logratio ${writer} wrote`, isData: true };
  } finally {
    await source.close();
  }
}

const CORRECTED = new RegExp(`^(?:(?:${WEIGHTS_NAME}|${MASK_NAME})(?:\\.\\d+)?|offsets)$`);

function identifyArrays(names: readonly string[], what: string): Existing {
  const isOurs =
    names.some((name) => name.startsWith(MASK_NAME)) && names.every((name) => CORRECTED.test(name));
  return isOurs
    ? { kind: "corrected arrays", what: "weights of logratio correct", isData: true }
    : foreign(what);
}

async function identifyZip(path: string): Promise<Existing> {
  const source = await openFile(path);
  try {
    const { members } = await openZip(source);
    const names = [...members.keys()];
    if (names.includes("index.html") && BUNDLED_RUN.some((name) => names.includes(name)))
      return { kind: "bundle", what: "a logratio view bundle", isData: false };
    if (names.some((name) => name.endsWith(".npy")))
      return identifyArrays(
        names.map((name) => name.replace(/\.npy$/, "")),
        "npz arrays",
      );
    return foreign(names.some((name) => name.endsWith("data.pkl")) ? "a PyTorch file" : "a zip archive");
  } catch {
    return foreign("a zip archive");
  } finally {
    await source.close();
  }
}

/** The header's keys in the bytes read; a header longer than that is not ours. */
function identifySafetensors(text: string): Existing {
  try {
    const length = Buffer.from(text.slice(0, 4), "latin1").readUInt32LE(0);
    const header = JSON.parse(text.slice(8, 8 + length)) as object;
    return identifyArrays(Object.keys(header), "safetensors arrays");
  } catch {
    return foreign("safetensors arrays");
  }
}

function identifyJson(head: Buffer): Existing {
  const [first = ""] = head.toString("utf8").split("\n", 1);
  if (isLogLine(first)) return { kind: "divergence log", what: "a log of divergent tokens", isData: true };
  if (/^\{"_step":-?\d+,"logratio\//.test(first))
    return { kind: "metrics log", what: "logratio's figures per step", isData: true };
  return foreign("JSON data");
}

/** Whether a line of JSONL, which may be cut off, is a record of a high-divergence log, by any writer. */
export function isLogLine(line: string): boolean {
  return line.startsWith("{") && /"prob_divergence":/.test(line) && /"(?:rollout|actor)_prob":/.test(line);
}

/** Top-level names of a bundle apart from its page's own files. */
const BUNDLE_NAMES = ["index.html", "api", "robots.txt", "assets", "THIRD-PARTY-NOTICES.txt"];

/** What a bundle's page asks for first: a script, or JSON in bundles that were for web servers only. */
const BUNDLED_RUN = ["api/run.js", "api/run"];

async function hasBundledRun(path: string): Promise<boolean> {
  for (const name of BUNDLED_RUN) {
    const text = await readTextIfPresent(join(path, name));
    // The script's value is JSON in a string.
    if (text !== undefined && /\\?"bundled\\?":true/.test(text)) return true;
  }
  return false;
}

/** A directory that is not empty. */
export async function identifyDirectory(path: string, names: readonly string[]): Promise<Existing> {
  if (names.includes("index.html") && (await hasBundledRun(path))) {
    const others = names.filter((name) => !BUNDLE_NAMES.includes(name) && !/\.(js|css|svg|map)$/.test(name));
    if (others.length === 0) return { kind: "bundle", what: "a logratio view bundle", isData: false };
    return foreign(`a logratio view bundle with ${others[0]} next to it`, false);
  }
  if (await isStudyDirectory(path, names)) return { kind: "study", what: "a study", isData: true };
  return foreign(`a directory with ${formatCount(names.length)} entries`);
}

/** Names that a study uses in its directory. */
export const STUDY_NAMES = [
  "study.json",
  "texts.jsonl",
  "rollouts.jsonl",
  "record.parquet",
  "continuations.jsonl",
  "gradients",
  "scores",
  "results",
];

/** Also recognizes a study whose first scoring was killed before it had a manifest. */
async function isStudyDirectory(path: string, names: readonly string[]): Promise<boolean> {
  if (names.includes("study.json"))
    return (await jsonIn(join(path, "study.json")))?.kind === "logratio-study";
  const begins = async (name: string, key: RegExp): Promise<boolean> =>
    !names.includes(name) || key.test((await readHead(join(path, name))).toString("latin1"));
  const taken = names.filter((name) => STUDY_NAMES.includes(name));
  return (
    taken.length > 0 &&
    taken.every((name) => ["texts.jsonl", "rollouts.jsonl", "scores"].includes(name)) &&
    (await begins("texts.jsonl", /"ids_?[Ff]rom":/)) &&
    (await begins("rollouts.jsonl", /"finishReason":/)) &&
    (taken.some((name) => name !== "scores") || (await isEmpty(join(path, "scores"))))
  );
}

async function isEmpty(path: string): Promise<boolean> {
  return ((await listIfPresent(path)) ?? []).length === 0;
}

async function jsonIn(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** Names something that is neither a file nor a directory. */
export function specialFile(path: string, stats: Stats): string {
  const what = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return `${path} is ${what}`;
}
