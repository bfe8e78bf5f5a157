/**
 * One episode with its annotations by the indexes beside them, so that a token of a stream of many gigabytes opens at
 * once. The indexes are trusted as prime-rl's dashboard trusts them, but for what they point to: a record that is not
 * the one they name makes all of it be read from front to back.
 *
 * Rows: `index_row` of `src/prime_rl/monitors/file/traces/index.py` (prime-rl commit 13e96a12) and `update_index_row` of
 * `update.py` (65a18584), as orjson writes them.
 *
 * @module
 */
import { isLogratioError } from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import type { Companion } from "../../../input/adapters/adapter.ts";
import { listMaps, numberIn, textIn } from "../../../input/adapters/shared/objects.ts";
import type { RowDocument, SourceDocument, TreeMap } from "../../../input/io/index.ts";
import { isKnown } from "./annotations.ts";
import { indexedStream, nameChunk, type TracesPart } from "./parts.ts";

/** An episode, and the updates of each of its traces. */
export interface IndexedEpisode {
  readonly episode: TreeMap;
  readonly offset: number;
  of(trace: string): Promise<readonly TreeMap[]>;
}

type Searchable = RowDocument & {
  readonly rowAt: NonNullable<RowDocument["rowAt"]>;
  readonly rowsWith: NonNullable<RowDocument["rowsWith"]>;
};

function isSearchable(document: SourceDocument): document is Searchable {
  return document.kind === "rows" && document.rowAt !== undefined && document.rowsWith !== undefined;
}

/** The index of a stream, if it can be searched. */
async function openIndex(files: readonly Companion[], stream: string): Promise<Searchable | undefined> {
  const found = files.find(
    ({ file, facts }) => (facts as TracesPart).kind === "index" && indexedStream(file) === stream,
  );
  const document = await found?.open();
  return document !== undefined && isSearchable(document) ? document : undefined;
}

/** Number of a chunk's first episode in its stream; 0 if no index says it. */
export async function findFirstRow(file: string, files: readonly Companion[]): Promise<number> {
  const { stream, chunk } = nameChunk(file);
  if (chunk === 0) return 0;
  const index = await openIndex(files, stream);
  for await (const row of index?.rowsWith(`"chunk":${chunk}`) ?? [])
    if (numberIn(row, "chunk") === chunk) return (numberIn(row, "line") ?? 1) - 1;
  return 0;
}

/**
 * The episode with a number in its stream.
 *
 * @returns `elsewhere` if it is in another chunk; undefined if the indexes do not lead to it and its updates
 */
export async function findByIndex(
  document: SourceDocument,
  number: number,
  files: readonly Companion[],
  findings: FindingLog,
): Promise<IndexedEpisode | "elsewhere" | undefined> {
  const { stream, chunk } = nameChunk(document.file);
  const index = await openIndex(files, stream);
  if (index === undefined || !isSearchable(document)) return undefined;
  for await (const row of index.rowsWith(`"line":${number + 1},`)) {
    if (numberIn(row, "line") !== number + 1) continue;
    if ((numberIn(row, "chunk") ?? 0) !== chunk) return "elsewhere";
    const offset = numberIn(row, "offset") ?? 0;
    const episode = await readAt(document, offset, index.file, findings);
    if (episode === undefined || textIn(episode, "id") !== textIn(row, "id")) return undefined;
    const updates = new Map<string, readonly TreeMap[]>();
    for (const id of listMaps(episode.traces).map((trace) => textIn(trace, "id") ?? "")) {
      const found = await findUpdates(id, files, findings);
      if (found === undefined) return undefined;
      updates.set(id, found);
    }
    return { episode, offset, of: async (trace) => updates.get(trace) ?? [] };
  }
  return undefined;
}

async function readAt(
  document: Searchable,
  offset: number,
  index: string,
  findings: FindingLog,
): Promise<TreeMap | undefined> {
  try {
    return await document.rowAt(offset);
  } catch (error) {
    if (!isLogratioError(error, "FormatError")) throw error;
    findings.add({
      code: "note",
      severity: "warning",
      subject: "index",
      count: 1,
      at: { file: index },
      likely: "the file was cut off or replaced after the index was written",
      describe: (count) =>
        `${count} ${count === 1 ? "place" : "places"} in an index of prime-rl's traces hold no record: ${error.message}; all was read instead`,
    });
    return undefined;
  }
}

/** The updates of a trace; undefined if a stream of annotations has no index, or one that leads elsewhere. */
async function findUpdates(
  trace: string,
  files: readonly Companion[],
  findings: FindingLog,
): Promise<readonly TreeMap[] | undefined> {
  const chunks = files.filter(({ facts }) => (facts as TracesPart).kind === "annotations");
  const updates: TreeMap[] = [];
  for (const stream of new Set(chunks.map(({ file }) => nameChunk(file).stream))) {
    const index = await openIndex(files, stream);
    if (index === undefined) return undefined;
    for await (const row of index.rowsWith(`"trace_id":${JSON.stringify(trace)}`)) {
      if (textIn(row, "trace_id") !== trace) continue;
      const holder = chunks.find(({ file }) => {
        const name = nameChunk(file);
        return name.stream === stream && name.chunk === (numberIn(row, "chunk") ?? 0);
      });
      const document = await holder?.open();
      if (document === undefined || !isSearchable(document)) return undefined;
      const update = await readAt(document, numberIn(row, "offset") ?? 0, index.file, findings);
      if (update === undefined || textIn(update, "trace_id") !== trace) return undefined;
      const at = { file: document.file, offset: numberIn(row, "offset") ?? 0 };
      if (isKnown(numberIn(update, "version"), findings, at)) updates.push(update);
    }
  }
  return updates;
}
