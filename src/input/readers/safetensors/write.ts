import type { FileHandle } from "node:fs/promises";
import { writeAll } from "../../io/write-all.ts";
import { countBytes, type WrittenArray } from "../shared/written-array.ts";

const DTYPES = { float32: "F32", uint8: "U8", int32: "I32" } as const;

/** Writes arrays as a safetensors file: the length of a JSON header, the header, and the concatenated arrays. */
export async function writeSafetensors(target: FileHandle, arrays: readonly WrittenArray[]): Promise<void> {
  let offset = 0;
  const entries = arrays.map((array) => {
    const start = offset;
    offset += countBytes(array);
    return [
      array.name,
      { dtype: DTYPES[array.dtype], shape: array.shape, data_offsets: [start, offset] },
    ] as const;
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  // Arrays begin at a multiple of 8 bytes, as the format's own writer pads its header.
  const padded = Buffer.concat([header, Buffer.alloc(-header.length & 7, " ")]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  await writeAll(target, length);
  await writeAll(target, padded);
  for (const { pieces } of arrays) for await (const piece of pieces()) await writeAll(target, piece);
}
