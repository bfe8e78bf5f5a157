/**
 * An append-only file of JSON lines, each with a digest of its content. A line whose digest does not match is left out,
 * and its work is redone when the study is scored.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { FindingLog } from "../../../core/schema/index.ts";
import { appendJsonl } from "../../../ingest/writing/index.ts";
import { readTextIfPresent, writeWholeFile } from "../../../input/io/index.ts";

export interface LinesForm<Line> {
  /** The part of a line that the digest covers. */
  readonly said: (line: Line) => unknown;
  /** Describes this many damaged lines: `2 continuations are damaged`. */
  readonly describeDamage: (count: number) => string;
  /** What happens to their work: `sampled again`. */
  readonly again: string;
  /** The probable cause of the damage. */
  readonly likely: string;
}

/** Digest of a line's content. */
export function digestLine(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}

/** First ends a line that a killed run left unfinished, so that the next one does not run into it. */
export function appendLines<Line extends object>(
  file: string,
  form: LinesForm<Line>,
  lines: readonly Line[],
): void {
  appendJsonl(
    file,
    lines.map((line) => JSON.stringify({ ...line, digest: digestLine(form.said(line)) })),
  );
}

/**
 * Lines of an earlier run that continues; none without a file. Damaged ones are reported and removed from the file,
 * since their work is redone.
 */
export async function resumeLines<Line extends object>(
  file: string,
  form: LinesForm<Line>,
  findings: FindingLog,
): Promise<Line[]> {
  const { found, sound, damaged } = await readWritten(file, form);
  const describe = (count: number): string => `${form.describeDamage(count)} and will be ${form.again}`;
  for (const line of damaged) addDamage(findings, { file, line }, form, { severity: "warning", describe });
  // Redone work is appended, so the damaged lines are removed.
  if (damaged.length > 0) await writeWholeFile(file, sound.map((line) => `${line}\n`).join(""));
  return found;
}

/** Lines of a finished run; none without a file. Damaged ones are reported and left out; the file is not changed. */
export async function readLines<Line extends object>(
  file: string,
  form: LinesForm<Line>,
  findings: FindingLog,
): Promise<Line[]> {
  const { found, damaged } = await readWritten(file, form);
  const describe = (count: number): string => `${form.describeDamage(count)} and in no figure`;
  const hint = `run logratio score again with the inputs of the study: only what is damaged is ${form.again}`;
  for (const line of damaged)
    addDamage(findings, { file, line }, form, { severity: "skipped", describe, hint });
  return found;
}

function addDamage<Line>(
  findings: FindingLog,
  at: { readonly file: string; readonly line: number },
  { likely }: LinesForm<Line>,
  words: Pick<Parameters<FindingLog["add"]>[0], "severity" | "describe" | "hint">,
): void {
  findings.add({ code: "partial-line", subject: at.file, count: 1, at, likely, ...words });
}

async function readWritten<Line extends object>(
  file: string,
  form: LinesForm<Line>,
): Promise<{
  readonly found: Line[];
  readonly sound: readonly string[];
  readonly damaged: readonly number[];
}> {
  const text = (await readTextIfPresent(file)) ?? "";
  const found: Line[] = [];
  const sound: string[] = [];
  const damaged: number[] = [];
  for (const [at, written] of text.split("\n").entries()) {
    if (written === "") continue;
    const line = parseLine(written, form);
    if (line === undefined) damaged.push(at + 1);
    else {
      sound.push(written);
      found.push(line);
    }
  }
  return { found, sound, damaged };
}

function parseLine<Line extends object>(written: string, form: LinesForm<Line>): Line | undefined {
  try {
    const { digest, ...line } = JSON.parse(written) as Line & { readonly digest: unknown };
    return digest === digestLine(form.said(line as unknown as Line)) ? (line as unknown as Line) : undefined;
  } catch {
    return undefined;
  }
}
