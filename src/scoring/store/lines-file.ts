/**
 * An append-only file of JSON lines, each with a digest of its content: a line whose digest does not match is dropped,
 * and its work is done again.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FindingLog } from "../../core/schema/index.ts";
import { appendJsonl } from "../../input/ingest/index.ts";
import { writeWholeFile } from "../../input/io/index.ts";

export interface LinesForm<Line> {
  /** The part of a line that the digest covers. */
  readonly said: (line: Line) => unknown;
  /** A sentence about so many damaged lines. */
  readonly describeDamage: (count: number) => string;
  /** The probable cause of the damage. */
  readonly likely: string;
}

function computeDigest<Line>({ said }: LinesForm<Line>, line: Line): string {
  return createHash("sha256")
    .update(JSON.stringify(said(line)))
    .digest("hex")
    .slice(0, 16);
}

/** Ends a line that a killed run left unfinished, so that the next does not run into it. */
export function appendLines<Line extends object>(
  file: string,
  form: LinesForm<Line>,
  lines: readonly Line[],
): void {
  appendJsonl(
    file,
    lines.map((line) => JSON.stringify({ ...line, digest: computeDigest(form, line) })),
  );
}

/** Lines of an earlier run; none without a file. Damaged ones are reported, and removed from the file. */
export async function readLines<Line extends object>(
  file: string,
  form: LinesForm<Line>,
  findings: FindingLog,
): Promise<Line[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const found: Line[] = [];
  const sound: string[] = [];
  let damaged = 0;
  for (const [at, written] of text.split("\n").entries()) {
    if (written === "") continue;
    const line = parseLine(written, form);
    if (line === undefined) {
      damaged++;
      findings.add({
        code: "partial-line",
        severity: "warning",
        count: 1,
        describe: form.describeDamage,
        at: { file, line: at + 1 },
        likely: form.likely,
      });
    } else {
      sound.push(written);
      found.push(line);
    }
  }
  // Redone work is appended, so the damaged lines are removed.
  if (damaged > 0) await writeWholeFile(file, sound.map((line) => `${line}\n`).join(""));
  return found;
}

function parseLine<Line extends object>(written: string, form: LinesForm<Line>): Line | undefined {
  try {
    const { digest, ...line } = JSON.parse(written) as Line & { readonly digest: unknown };
    return digest === computeDigest(form, line as unknown as Line) ? (line as unknown as Line) : undefined;
  } catch {
    return undefined;
  }
}
