import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { writeAll } from "../../io/write-all.ts";
import { countBytes, type WrittenArray } from "../shared/written-array.ts";

const DESCRIPTORS = { float32: "<f4", uint8: "|u1", int32: "<i4" } as const;

/** Writes arrays as an npz file: a zip of npy files, stored as `numpy.savez` stores them. */
export async function writeNpz(target: FileHandle, arrays: readonly WrittenArray[]): Promise<void> {
  const zip = new ZipFile();
  for (const array of arrays) {
    const header = npyHeader(array);
    zip.addReadStream(
      Readable.from(chain(header, array.pieces()), { objectMode: false }),
      `${array.name}.npy`,
      {
        compress: false,
        size: header.length + countBytes(array),
      },
    );
  }
  zip.end();
  for await (const piece of zip.outputStream as Readable) await writeAll(target, piece as Uint8Array);
}

/** Version 1: magic, length, a Python dict padded with spaces so that data begins at a multiple of 64 bytes. */
function npyHeader({ dtype, shape }: WrittenArray): Buffer {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const dict = `{'descr': '${DESCRIPTORS[dtype]}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const text = dict.padEnd(Math.ceil((10 + dict.length + 1) / 64) * 64 - 11);
  const prefix = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 0, 0]);
  prefix.writeUInt16LE(text.length + 1, 8);
  return Buffer.concat([prefix, Buffer.from(`${text}\n`, "latin1")]);
}

async function* chain(header: Uint8Array, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield header;
  yield* pieces;
}
