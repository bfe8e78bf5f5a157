/**
 * Gzip, any number of members, through Node's zlib.
 *
 * @module
 */
import type { TransformOptions } from "node:stream";
import { createGunzip, type ZlibOptions } from "node:zlib";
import { FormatError } from "../../core/base/index.ts";
import { cutOff } from "./decompress-errors.ts";
import { pump } from "./decompress-pump.ts";

const OUTPUT_BYTES = 256 * 1024;
/** Two chunks of output may be buffered, so that zlib's thread works while the reader parses. */
const OPTIONS: ZlibOptions & TransformOptions = {
  chunkSize: OUTPUT_BYTES,
  readableHighWaterMark: 2 * OUTPUT_BYTES,
};

/**
 * Decompressed bytes of a gzip file. Zero padding after the last member is allowed.
 *
 * @throws FormatError after the bytes before the fault, with the offset in the compressed file: a cut-off end, a wrong
 * checksum or length, other data after the last member
 */
export async function* gunzip(input: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const stream = createGunzip(OPTIONS);
  const chunks = input[Symbol.asyncIterator]();
  let last: Uint8Array = new Uint8Array(0);
  let fed = 0;

  const nextChunk = async (): Promise<boolean> => {
    const next = await chunks.next();
    if (next.done === true) return false;
    last = next.value;
    fed += last.length;
    return true;
  };
  async function* counted(): AsyncGenerator<Uint8Array> {
    while (await nextChunk()) yield last;
  }

  try {
    yield* pump(stream, counted(), (cause) => {
      if ((cause as { code?: string }).code === "Z_BUF_ERROR") {
        return cutOff("gzip", "a compressed member", { name, offset: fed, cause });
      }
      return damaged(
        name,
        stream.bytesWritten,
        cause instanceof Error ? cause.message : "unknown cause",
        cause,
      );
    });
    // zlib stops at zero padding and does not read the rest.
    let rest = last.subarray(last.length - (fed - stream.bytesWritten));
    do {
      const other = rest.findIndex((byte) => byte !== 0);
      if (other >= 0) throw damaged(name, fed - rest.length + other, "other data after its end", undefined);
      rest = (await nextChunk()) ? last : rest.subarray(rest.length);
    } while (rest.length > 0);
  } finally {
    await chunks.return?.();
  }
}

function damaged(name: string, offset: number, what: string, cause: unknown): FormatError {
  return new FormatError(`gzip data is damaged near byte ${offset}: ${what}`, {
    at: { file: name, offset },
    likely: "the file was damaged in a copy, or something else was appended to it",
    hint: "copy the file again; gzip -t says whether it is intact",
    cause,
  });
}
