import type { ByteSource } from "./byte-source.ts";

/** A source that remembers which bytes were requested. */
export interface CountingSource extends ByteSource {
  readonly reads: { readonly start: number; readonly end: number }[];
  bytesRead(): number;
  /** Whether any read touched bytes `[start, end)`. */
  touched(start: number, end: number): boolean;
  closed(): boolean;
}

export function countingSource(source: ByteSource): CountingSource {
  const reads: { start: number; end: number }[] = [];
  let closed = false;
  return {
    name: source.name,
    byteLength: source.byteLength,
    reads,
    slice: (start, end) => {
      reads.push({ start, end });
      return source.slice(start, end);
    },
    bytesRead: () => reads.reduce((sum, read) => sum + read.end - read.start, 0),
    touched: (start, end) => reads.some((read) => read.start < end && start < read.end),
    closed: () => closed,
    close: async () => {
      closed = true;
      await source.close();
    },
  };
}
