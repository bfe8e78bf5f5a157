/**
 * Checks that a body is a batch before it is stored, so that the recorder learns of a refusal at once.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";
import { type ByteSource, isTensor } from "../../../input/io/index.ts";
import { openSafetensors } from "../../../input/readers/index.ts";
import type { BatchKey } from "../log/index.ts";
import { RESPONSE_OFFSETS } from "../seal/packed-batch.ts";

/** @throws LogratioError where it is not a packed record, or is one of another step or rank */
export async function checkBatch(
  name: string,
  pieces: readonly Uint8Array[],
  bytes: number,
  key: BatchKey,
): Promise<void> {
  const { root, metadata } = await openSafetensors(pieceSource(name, pieces, bytes));
  const offsets = root[RESPONSE_OFFSETS];
  if (!isTensor(offsets) || offsets.shape.length !== 1 || offsets.shape[0]! < 1)
    throw new SchemaError(`there is no ${RESPONSE_OFFSETS}: this is not the packed record`, {
      hint: "send the files that logratio.Recorder writes",
    });
  for (const part of ["step", "rank"] as const) {
    const inside = metadata[part];
    if (inside !== undefined && Number(inside) !== key[part])
      throw new SchemaError(`the batch says ${part} ${inside}, the request ${part} ${key[part]}`);
  }
}

/** Reads across pieces; copies only what is requested. */
function pieceSource(name: string, pieces: readonly Uint8Array[], byteLength: number): ByteSource {
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
