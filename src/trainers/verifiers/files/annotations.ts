/**
 * What prime-rl learns of a trace after it wrote it: updates in files of their own, found here by trace. Only where
 * each update lies is held; an update is read when its trace is.
 *
 * Layout: `make_update` of `src/prime_rl/monitors/file/traces/update.py`, each producer's in a stream of its own
 * (prime-rl commit 65a18584, pull requests 3444 and 3465).
 *
 * @module
 */
import {
  isLogratioError,
  isNumericArray,
  isObject,
  memoryExceeded,
  memoryLimit,
  type Place,
} from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Companion } from "../../../input/adapters/adapter.ts";
import { rowObject } from "../../../input/adapters/shared/objects.ts";
import { reportBadRow } from "../../../input/adapters/shared/row-objects.ts";
import { toNumber, toText } from "../../../input/adapters/shared/row-values.ts";
import type { RowDocument, SourceDocument, TreeMap, TreeValue } from "../../../input/io/index.ts";

const KNOWN_VERSION = 1;

/** Whether an update has the version that is known; one of another is reported. */
export function isKnown(version: number | undefined, findings: FindingLog, at: Place): boolean {
  if (version === KNOWN_VERSION) return true;
  findings.add({
    code: "bad-row",
    severity: "skipped",
    subject: `annotations of version ${version}`,
    count: 1,
    omits: { unit: "sequence", why: "unreadable" },
    at,
    hint: "a newer logratio may read them",
    describe: (count) =>
      `${plural(count, "annotation")} of version ${version ?? "unknown"} not applied: logratio knows ${KNOWN_VERSION}`,
  });
  return false;
}

/** An update where it lies, or as it was read if its file allows no second look. */
type Update = Located | { readonly held: TreeMap };

interface Located {
  readonly document: RowDocument;
  readonly offset: number;
  /** For messages. */
  readonly row: number;
}

/** By the document of their first file, which the traces of one run share while they are read. */
const opened = new WeakMap<SourceDocument, Promise<Annotations>>();

/** The updates in files that complete traces, in the order of the files. */
export async function openAnnotations(
  files: readonly Companion[],
  findings: FindingLog,
): Promise<Annotations> {
  const first = await files[0]!.open();
  const known = opened.get(first) ?? scanFiles(files, findings);
  opened.set(first, known);
  return known;
}

async function scanFiles(files: readonly Companion[], findings: FindingLog): Promise<Annotations> {
  const annotations = new Annotations(files[0]!.file);
  for (const { open } of files) {
    const document = await open();
    if (document.kind === "rows") await annotations.scan(document, findings);
  }
  return annotations;
}

/** The updates of a run by the trace that they are about. */
export class Annotations {
  readonly #updates = new Map<string, Update[]>();
  /** Traces with updates that no file of traces has had so far. */
  readonly #strangers = new Set<string>();
  readonly #file: string;
  #filesRead = 0;
  #heldBytes = 0;

  /** @param file the first of their files, for messages */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Notes where the updates of a file lie.
   *
   * @throws LimitError when the file has to be read from front to back, and its updates do not fit into memory
   */
  async scan(document: RowDocument, findings: FindingLog): Promise<void> {
    const { file, rowAt } = document;
    // Without a second look, whole rows are read now.
    const columns = rowAt && ["version", "trace_id"];
    const rows = document.chunks({
      ...(columns && { columns }),
      onBadRow: (bad) => reportBadRow(findings, file, bad),
    });
    for await (const chunk of rows) {
      for (let i = 0; i < chunk.length; i++) {
        const [version, trace] = [toNumber(chunk.get(i, "version")), toText(chunk.get(i, "trace_id"))];
        const row = chunk.firstRow + i;
        if (trace === undefined) reportBadRow(findings, file, { row, message: "no trace_id" });
        else if (!isKnown(version, findings, { file, row })) continue;
        else if (rowAt !== undefined) this.#add(trace, { document, offset: chunk.offset!(i), row });
        else this.#add(trace, { held: this.#hold(rowObject(chunk, i), file) });
      }
    }
  }

  #add(trace: string, update: Update): void {
    const known = this.#updates.get(trace);
    if (known === undefined) this.#updates.set(trace, [update]);
    else known.push(update);
    this.#strangers.add(trace);
  }

  #hold(row: TreeMap, file: string): TreeMap {
    this.#heldBytes += sizeOf(row);
    if (this.#heldBytes > memoryLimit())
      throw memoryExceeded("what annotations say, in a file that has to be read from front to back,", {
        file,
      });
    return row;
  }

  /** The updates of a trace in the order in which they were written. */
  async of(trace: string, findings: FindingLog): Promise<readonly TreeMap[]> {
    this.#strangers.delete(trace);
    const updates: TreeMap[] = [];
    for (const update of this.#updates.get(trace) ?? []) {
      try {
        updates.push("held" in update ? update.held : await update.document.rowAt!(update.offset));
      } catch (error) {
        if (!isLogratioError(error, "FormatError") || "held" in update) throw error;
        const { document, offset, row } = update;
        reportBadRow(findings, document.file, { row, offset, message: error.message });
      }
    }
    return updates;
  }

  /**
   * Says which updates are about no trace, once the last file of traces has been read.
   *
   * @param count how many files of traces there are
   */
  finishFile(count: number, findings: FindingLog): void {
    if (++this.#filesRead !== count || this.#strangers.size === 0) return;
    const [first] = this.#strangers;
    findings.add({
      code: "note",
      severity: "skipped",
      subject: "annotations of no trace",
      count: this.#strangers.size,
      omits: { unit: "sequence", why: "incomparable" },
      at: { file: this.#file },
      likely: "a file of the stream is missing, or the annotations belong to another run",
      hint: "give the whole directory of the run",
      describe: (traces) =>
        `${plural(traces, "trace")} with annotations ${traces === 1 ? "is" : "are"} in no file, the first: ${first}`,
    });
  }
}

/** Bytes of the numbers in a value, which are nearly all of an update. */
function sizeOf(value: TreeValue): number {
  if (isNumericArray(value)) return value.byteLength;
  if (!Array.isArray(value) && !isObject(value)) return 8;
  return Object.values(value).reduce((sum: number, inner: TreeValue) => sum + sizeOf(inner), 0);
}
