import type { ByteSource } from "../../../input/io/index.ts";

/** Reads across the pieces of a received body; copies only what is requested. */
export function pieceSource(name: string, pieces: readonly Uint8Array[], byteLength: number): ByteSource {
  return {
    name,
    byteLength,
    slice(start, end) {
      const wanted: Uint8Array[] = [];
      let at = 0;
      for (const piece of pieces) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, piece.length)];
        if (from < to) wanted.push(piece.subarray(from, to));
        at += piece.length;
        if (at >= end) break;
      }
      return Promise.resolve(wanted.length === 1 ? wanted[0]! : Buffer.concat(wanted));
    },
    close: () => Promise.resolve(),
  };
}
