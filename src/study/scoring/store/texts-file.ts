/**
 * `texts.jsonl`: the tokenized texts of a study, one object per line, each with a digest of its content. The manifest
 * has a digest of the whole file ({@link TextsDigest}), so that missing lines are noticed too.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { FormatError, NotFoundError } from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { PreparedText } from "../texts/prepare-text.ts";
import { makeStudyDirectory, paths, type TextsDigest } from "./manifest.ts";
import { parseText, writeText } from "./text-line.ts";

/** @returns what the manifest keeps of the file */
export async function writeTexts(dir: string, texts: readonly PreparedText[]): Promise<TextsDigest> {
  const whole = joinLines(texts);
  await makeStudyDirectory(dir);
  await writeWholeFile(paths.texts(dir), whole);
  return describeTexts(whole, texts.length);
}

/** The digest of the file that {@link writeTexts} writes for these texts. */
export function digestTexts(texts: readonly PreparedText[]): TextsDigest {
  return describeTexts(joinLines(texts), texts.length);
}

function joinLines(texts: readonly PreparedText[]): string {
  return texts.map((text) => `${writeText(text)}\n`).join("");
}

function describeTexts(whole: string, count: number): TextsDigest {
  return { count, sha256: createHash("sha256").update(whole).digest("hex") };
}

export interface ReadTextsOptions {
  /** The manifest's digest of the file; undefined for a study that was written without one. */
  readonly written?: TextsDigest | undefined;
  /** Receives damaged texts, which are then left out. Without it, the first one is an error. */
  readonly findings?: FindingLog;
}

const LIKELY = "the disk was full, or the file was copied incompletely or edited";
const HINT = "run logratio score again with the inputs of the study: scores that fit are kept";

/**
 * The texts of a study, in its order.
 *
 * @throws NotFoundError if the file cannot be read
 * @throws FormatError if no text can be read, or any cannot and `findings` is absent
 */
export async function readTexts(dir: string, options: ReadTextsOptions = {}): Promise<PreparedText[]> {
  const file = paths.texts(dir);
  const { texts, damaged, sha256 } = await readLines(file, options);
  const [first] = damaged;
  if (first !== undefined && (options.findings === undefined || texts.length === 0)) {
    const what = `${plural(damaged.length, "line")} of ${damaged.length + texts.length}`;
    throw new FormatError(
      `the study's texts cannot be read: ${what} cannot be used, the first: ${first.why}`,
      {
        at: { file, line: first.line },
        likely: LIKELY,
        hint: HINT,
      },
    );
  }
  if (options.findings !== undefined)
    reportDamage(file, { texts, damaged, sha256 }, options.findings, options.written);
  return texts;
}

interface ReadLines {
  readonly texts: PreparedText[];
  readonly damaged: readonly { readonly line: number; readonly why: string }[];
  readonly sha256: string;
}

async function readLines(file: string, { written }: ReadTextsOptions): Promise<ReadLines> {
  const hash = createHash("sha256");
  const bytes = createReadStream(file);
  bytes.on("data", (chunk) => hash.update(chunk));
  const texts: PreparedText[] = [];
  const damaged: ReadLines["damaged"][number][] = [];
  let line = 0;
  try {
    for await (const text of createInterface({ input: bytes, crlfDelay: Infinity })) {
      line++;
      if (text === "") continue;
      const read = parseText(text, written !== undefined);
      if (typeof read === "string") damaged.push({ line, why: read });
      else texts.push(read);
    }
  } catch (cause) {
    throw new NotFoundError(`the study has no texts: ${cause instanceof Error ? cause.message : ""}`, {
      at: { file },
      hint: "give the directory that logratio score wrote",
      cause,
    });
  }
  return { texts, damaged, sha256: hash.digest("hex") };
}

function reportDamage(
  file: string,
  { texts, damaged, sha256 }: ReadLines,
  findings: FindingLog,
  written: TextsDigest | undefined,
): void {
  for (const { line, why } of damaged) {
    findings.add({
      code: "bad-row",
      severity: "skipped",
      subject: "texts.jsonl damaged",
      count: 1,
      describe: (count) =>
        `${plural(count, "text")} of the study ${count === 1 ? "is damaged" : "are damaged, the first"}: ${why}; ${count === 1 ? "it is" : "they are"} in no figure`,
      at: { file, line },
      likely: LIKELY,
      hint: HINT,
    });
  }
  if (written === undefined || sha256 === written.sha256) return;
  const lost = written.count - texts.length - damaged.length;
  if (lost > 0) {
    findings.add({
      code: "bad-row",
      severity: "skipped",
      subject: "texts.jsonl lost",
      count: lost,
      describe: (count) =>
        `${plural(count, "text")} of the study ${count === 1 ? "is" : "are"} gone from ${file}, and in no figure`,
      at: { file },
      likely: LIKELY,
      hint: HINT,
    });
  } else if (damaged.length === 0) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "texts.jsonl changed",
      count: 1,
      describe: () => `${file} has changed since study.json was written`,
      at: { file },
      likely: "its lines were moved, or scoring was stopped while it began",
      hint: HINT,
    });
  }
}
