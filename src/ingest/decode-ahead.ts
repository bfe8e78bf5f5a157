import { memoryLimit } from "../core/base/index.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { closeQuietly } from "./contain.ts";
import { canWait } from "./open-ahead.ts";
import type { Source } from "./sources.ts";

/** What has to be known of a source. */
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
  /** Closes what was opened and not asked for. */
  close(): Promise<void>;
}

/** Larger files are not opened ahead: their rows come in chunks, of which DuckDB decodes the next one meanwhile. */
const MOST_BYTES = 2 ** 25;
/** Share of the memory limit that such a file may take: two are open, and decoded rows take several times its bytes. */
const MOST_OF_LIMIT = 1 / 16;

/**
 * Opens the documents of sources that are asked for in their order. While a Parquet file is worked on, the next one is
 * opened: DuckDB decodes its first rows on a thread of its own, which otherwise takes turns with this one. One file only,
 * since decoded rows wait in memory. Other formats are decoded on this thread, and would gain nothing.
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

  /** Returns when the decoding has begun: a caller that works on without a turn of the event loop would hold it up. */
  const begin = async (source: S): Promise<void> => {
    await new Promise<void>((resolve) => {
      const document = open(source, () => {}, resolve);
      waiting = { source, document };
      // An error is told to the one who asks for the source.
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
