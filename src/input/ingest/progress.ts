/**
 * How far reading has come.
 *
 * @module
 */
import type { ByteSource } from "../io/index.ts";

/** How far reading has come. */
export interface Progress {
  /** Of the files as they are on disk. */
  readonly bytesRead: number;
  /** 0 where it is not known (standard input). */
  readonly bytesTotal: number;
  /** Sequences read so far. */
  readonly sequences: number;
  /** The file being read. */
  readonly file: string;
}

/** A source that reports bytes as they are asked for, never more than there are. */
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
