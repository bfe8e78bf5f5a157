/**
 * How far reading has come.
 *
 * @module
 */
import type { ByteSource } from "../input/io/index.ts";

/** How far reading has come. */
export interface Progress {
  /** Bytes of the files on disk. */
  readonly bytesRead: number;
  /** 0 when unknown (standard input). */
  readonly bytesTotal: number;
  /** Sequences read so far. */
  readonly sequences: number;
  /** The file being read. */
  readonly file: string;
}

/** A source that reports bytes as they are requested, never more than it has. */
export function observedSource(source: ByteSource, onBytes: (bytes: number) => void): ByteSource {
  let reported = 0;
  return {
    ...source,
    slice(start, end, allocate) {
      const news = Math.min(end - start, source.byteLength - reported);
      reported += news;
      if (news > 0) onBytes(news);
      return source.slice(start, end, allocate);
    },
    close: () => source.close(),
  };
}
