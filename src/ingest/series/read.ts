/**
 * Reads the metrics logged in a file.
 *
 * @module
 */
import { basename } from "node:path";
import { checkMemory, isLogratioError } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { openFile, openPlain, type PlainStream, type TreeMap } from "../../input/io/index.ts";
import { sniffJson } from "../../input/readers/json/index.ts";
import { isParquet } from "../../input/readers/parquet/index.ts";
import { openDocument } from "../open-document.ts";
import type { LogDamage } from "./frames.ts";
import { addDocument, addRow, describeSeries } from "./from-document.ts";
import { addText } from "./from-text.ts";
import { SeriesBuilder, type SeriesFile } from "./series.ts";
import { isTfRecord, readScalars } from "./tf-events.ts";
import { isWandbLog, readWandbLog } from "./wandb-log.ts";

/** The beginning of a dictionary that Python printed. */
const PRINTED = /^\s*\{'/;
/** Matches a dump of log-probs, so that it is not opened twice: a token array's name followed by an array. */
const DUMP = /["'][\w./]*(?:log_?probs?|_ids|tokens|logps|loss_mask|response_mask)["']\s*:\s*\[/i;

/**
 * The series of a file of logged metrics; undefined for a file that is something else.
 *
 * @throws LimitError when they do not fit into the memory limit
 */
export async function readSeriesFile(path: string, findings: FindingLog): Promise<SeriesFile | undefined> {
  const source = await openFile(path);
  const plain = await openPlain(source).catch(() => undefined);
  if (plain === undefined) {
    await source.close();
    return undefined;
  }
  const { head } = plain;
  const builder = new SeriesBuilder(path);
  try {
    if (isTfRecord(head)) {
      await addEvents(plain, path, builder, findings);
      // Other programs also keep their data in TFRecords.
      return builder.isEmpty && !basename(path).includes("tfevents")
        ? undefined
        : builder.finish("TensorBoard events", findings);
    }
    if (isWandbLog(head)) {
      await addWandb(plain, path, builder, findings);
      return builder.isEmpty ? undefined : builder.finish("W&B's log of a run", findings);
    }
    const text = Buffer.from(head).toString("utf8");
    const isText = sniffJson(head, path) === undefined && !isParquet(head, head.subarray(0, 4));
    // A program may print a dictionary first.
    if (isText || PRINTED.test(text)) {
      if (head.includes(0) || (!isText && DUMP.test(text))) return undefined;
      const form = addText(await readText(plain, path), path, builder, findings);
      return form === undefined ? undefined : builder.finish(form, findings);
    }
    if (DUMP.test(text)) return undefined;
  } finally {
    await plain.close();
    await source.close();
  }
  return readDocument(path, builder, findings);
}

async function readDocument(
  path: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): Promise<SeriesFile | undefined> {
  try {
    const document = await openDocument(await openFile(path));
    try {
      const form = describeSeries(document);
      if (form === undefined) return undefined;
      await addDocument(document, form, builder, findings);
      return builder.isEmpty ? undefined : builder.finish(form, findings);
    } finally {
      await document.close();
    }
  } catch (error) {
    // Errors are reported when the file is read as a dump.
    if (isLogratioError(error)) return undefined;
    throw error;
  }
}

async function readText({ bytes }: PlainStream, file: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    length += part.length;
    checkMemory(length * 2, "the text", { file });
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

async function addEvents(
  plain: PlainStream,
  file: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): Promise<void> {
  const scalars = readScalars(plain, (damage) => tellDamage(damage, file, findings));
  for await (const { tag, step, value } of scalars) builder.add(tag, step, value);
}

/** The steps of a run as its program logged them. */
async function addWandb(
  plain: PlainStream,
  file: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): Promise<void> {
  let run = "";
  for await (const record of readWandbLog(plain, (damage) => tellDamage(damage, file, findings))) {
    if (record.kind === "run") run = record.name;
    else addRow({ ...Object.fromEntries(record.values), run } as TreeMap, "JSON lines with a step", builder);
  }
}

function tellDamage({ offset, message, likely, ends }: LogDamage, file: string, findings: FindingLog): void {
  findings.add({
    code: ends ? "partial-line" : "bad-row",
    severity: "skipped",
    subject: file,
    count: 1,
    at: { file, offset },
    likely,
    describe: (count) =>
      ends
        ? `${message}; the values before it are kept`
        : `${plural(count, "record")} cannot be read, the first: ${message}`,
  });
}
