import { FormatError } from "../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "./advice.ts";
import { LOCAL_HEADER_BYTES, type ZipArchive, type ZipMember } from "./zip.ts";
import { hex } from "./zip-checks.ts";

/** Where a member's bytes start: its local header has the lengths of its own name and padding. */
export async function findData(zip: ZipArchive, member: ZipMember): Promise<number> {
  const { source } = zip;
  const at = { file: source.name, entry: member.name, offset: member.headerOffset };
  const headerEnd = member.headerOffset + LOCAL_HEADER_BYTES;
  if (headerEnd > source.byteLength) {
    throw new FormatError(
      `zip member has no header: it would end at byte ${headerEnd}, the file has ${source.byteLength}`,
      {
        at,
        likely: LIKELY_CUT_OFF,
        hint: HINT_WRITE_AGAIN,
      },
    );
  }
  // The name is read as well: a different length than in the directory means a different name.
  const nameEnd = Math.min(headerEnd + member.storedName.length, source.byteLength);
  const bytes = await source.slice(member.headerOffset, nameEnd);
  const header = new DataView(bytes.buffer, bytes.byteOffset, LOCAL_HEADER_BYTES);
  const signature = header.getUint32(0, true);
  if (signature !== 0x04034b50) {
    throw new FormatError(`zip member has no header: found ${hex(signature)}, expected 0x04034b50`, {
      at,
      likely: LIKELY_DAMAGED,
      hint: HINT_WRITE_AGAIN,
    });
  }
  compareHeaders(zip, member, header, bytes.subarray(LOCAL_HEADER_BYTES));
  const dataStart = headerEnd + header.getUint16(26, true) + header.getUint16(28, true);
  const dataEnd = dataStart + member.compressedLength;
  if (dataEnd > source.byteLength) {
    throw new FormatError(
      `zip member is cut off: it ends at byte ${dataEnd}, the file has ${source.byteLength}`,
      {
        at,
        likely: LIKELY_CUT_OFF,
        hint: HINT_WRITE_AGAIN,
      },
    );
  }
  return dataStart;
}

/** zip64's marker for a size that does not fit into 32 bits; the size is then in an extra field. */
const ZIP64 = 0xffffffff;

/**
 * Checks that a member's own header agrees with the directory. If one of the two was changed, programs that trust one
 * or the other would read different data.
 */
function compareHeaders(zip: ZipArchive, member: ZipMember, header: DataView, name: Uint8Array): void {
  const at = { file: zip.source.name, entry: member.name, offset: member.headerOffset };
  const disagree = (what: string, own: unknown, directory: unknown): FormatError =>
    new FormatError(
      `zip member contradicts the archive's directory: ${what} is ${own} in its own header, ${directory} in the directory`,
      { at, likely: LIKELY_CRAFTED, hint: HINT_WRITE_AGAIN },
    );
  const flags = header.getUint16(6, true);
  if ((flags & 1) !== 0) throw disagree("the encryption flag", 1, 0);
  const method = header.getUint16(8, true);
  const listed = member.method === "stored" ? 0 : member.method === "deflated" ? 8 : member.method;
  if (method !== listed) throw disagree("the compression method", method, listed);
  const nameLength = header.getUint16(26, true);
  if (nameLength !== member.storedName.length) {
    throw disagree("the length of the name", nameLength, member.storedName.length);
  }
  if (!Buffer.from(name).equals(member.storedName)) {
    throw disagree(
      "the name",
      JSON.stringify(Buffer.from(name).toString("utf8")),
      JSON.stringify(member.name),
    );
  }
  const sizes = [
    ["the checksum", header.getUint32(14, true), member.crc32],
    ["the compressed size", header.getUint32(18, true), member.compressedLength],
    ["the size", header.getUint32(22, true), member.byteLength],
  ] as const;
  for (const [what, own, directory] of sizes) {
    // Streaming writers leave zeros here and put the numbers after the data.
    const open = ((flags & 8) !== 0 || member.hasDescriptor) && own === 0;
    const isSize = what !== "the checksum";
    if (own !== directory && !open && !(isSize && own === ZIP64)) throw disagree(what, own, directory);
  }
}
