import { LimitError, UnsupportedError } from "../../core/base/index.ts";
import type { ByteSource } from "./byte-source.ts";
import { MAX_READ_BYTES } from "./limits.ts";
import type { ZipArchive, ZipMember } from "./zip.ts";
import { checkSpan, runningChecksum } from "./zip-checks.ts";
import { deflatedMember } from "./zip-deflated.ts";
import { findData } from "./zip-header.ts";

/**
 * A member as a byte source of its own.
 *
 * Stored members are read at any offset, straight from the archive. Deflated ones are inflated from front to back with
 * bounded memory; a slice that goes backwards starts again at the front, which works but is slow. The checksum is
 * compared once every byte has been read in order.
 *
 * @throws UnsupportedError if the member has another compression method
 */
export function openMember(zip: ZipArchive, member: ZipMember): ByteSource {
  if (member.method === "stored") return storedMember(zip, member);
  if (member.method === "deflated") return deflatedMember(zip, member);
  throw new UnsupportedError(
    `zip member is compressed by method ${member.method}; stored (0) and deflate (8) are read`,
    {
      at: { file: zip.source.name, entry: member.name },
      hint: "unpack the archive and zip it again: unzip, then zip -r",
    },
  );
}

/** All bytes of a member, checked against its checksum. */
export async function readMember(zip: ZipArchive, member: ZipMember): Promise<Uint8Array> {
  if (member.byteLength > MAX_READ_BYTES) {
    throw new LimitError(
      `zip member has ${member.byteLength} bytes; at most ${MAX_READ_BYTES} are read at once`,
      {
        needed: member.byteLength,
        limit: MAX_READ_BYTES,
        at: { file: zip.source.name, entry: member.name },
      },
    );
  }
  const source = openMember(zip, member);
  try {
    return await source.slice(0, source.byteLength);
  } finally {
    await source.close();
  }
}

function storedMember(zip: ZipArchive, member: ZipMember): ByteSource {
  const checksum = runningChecksum(zip, member);
  let dataStart: Promise<number> | undefined;
  return {
    name: zip.source.name,
    byteLength: member.byteLength,
    slice: async (start, end, allocate) => {
      checkSpan(zip, member, start, end);
      dataStart ??= findData(zip, member);
      const base = await dataStart;
      const bytes = await zip.source.slice(base + start, base + end, allocate);
      checksum(bytes, start);
      return bytes;
    },
    close: async () => {},
  };
}
