import { memoryLimit } from "../core/base/index.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { closeQuietly } from "./contain.ts";
import { canWait } from "./open-ahead.ts";
import type { Source } from "./sources.ts";

/** What must be known of a source. */
export type AheadSource = Pick<Source, "document" | "file"> & {
  readonly report: Pick<Source["report"], "format" | "bytes">;
};

/** Opens a source's document; `onDecoding` is called when another thread has begun to decode it. */
export type OpenSource<S extends AheadSource> = (
  source: S,
  onBytes: (bytes: number) => void,
  onDecoding?: () => void,
) => Promise<SourceDocument>;

export interface DecodeAhead<S extends AheadSource> {
  open(source: S, onBytes: (bytes: number) => void): Promise<SourceDocument>;
  /** Closes what was opened but not asked for. */
  close(): Promise<void>;
}

/** Larger files are not opened ahead: their rows come in chunks, and DuckDB decodes the next chunk meanwhile. */
const MOST_BYTES = 2 ** 25;
/**
 * Share of the memory limit that such a file may take: two are open at once, and decoded rows take several times their
 * bytes.
 */
const MOST_OF_LIMIT = 1 / 16;

/**
 * Opens the documents of sources that are asked for in order. While one Parquet file is processed, the next is opened,
 * and DuckDB decodes its first rows on its own thread, which would otherwise take turns with this one. Only one file
 * ahead, since decoded rows wait in memory. Other formats are decoded on this thread and would gain nothing.
 */
export function decodeAhead<S extends AheadSource>(
  sources: readonly S[],
  open: OpenSource<S>,
): DecodeAhead<S> {
  const places = new Map(sources.map((source, place) => [source, place]));
  let waiting: { readonly source: S; readonly document: Promise<SourceDocument> } | undefined;

  const close = async (): Promise<void> => {
    const early = waiting;
    waiting = undefined;
    await closeQuietly(await early?.document.catch(() => undefined));
  };

  /** Returns once decoding has begun: a caller that works on without yielding to the event loop would hold it up. */
  const begin = async (source: S): Promise<void> => {
    await new Promise<void>((resolve) => {
      const document = open(source, () => {}, resolve);
      waiting = { source, document };
      // Errors go to the caller that asks for the source.
      document.then(
        () => resolve(),
        () => resolve(),
      );
    });
  };

  return {
    async open(source, onBytes) {
      let document: SourceDocument;
      if (waiting?.source === source) {
        const early = waiting.document;
        waiting = undefined;
        document = await early;
      } else {
        await close();
        document = await open(source, onBytes);
      }
      const next = sources[places.get(source)! + 1];
      if (next !== undefined && isWorthwhile(next)) await begin(next);
      return document;
    },
    close,
  };
}

function isWorthwhile({ report, document, file }: AheadSource): boolean {
  if (report.format !== "parquet" || document !== undefined || !canWait(file)) return false;
  return report.bytes <= Math.min(MOST_BYTES, MOST_OF_LIMIT * memoryLimit());
}
