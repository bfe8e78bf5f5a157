import { FormatError } from "../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_DAMAGED } from "./advice.ts";
import { crc32 } from "./crc32.ts";
import type { ZipArchive, ZipMember } from "./zip.ts";

/** Sums reads while they are in order from byte 0, and compares after the last byte. */
export function runningChecksum(
  zip: ZipArchive,
  member: ZipMember,
): (bytes: Uint8Array, start: number) => void {
  let next = 0;
  let sum = 0;
  return (bytes, start) => {
    if (member.crc32 === 0 || bytes.length === 0) return;
    if (start === 0) {
      next = 0;
      sum = 0;
    }
    if (start !== next) return;
    sum = crc32(bytes, sum);
    next += bytes.length;
    if (next !== member.byteLength || sum === member.crc32) return;
    throw new FormatError(
      `zip member does not match its checksum: the directory says ${hex(member.crc32)}, the bytes give ${hex(sum)}`,
      {
        at: { file: zip.source.name, entry: member.name, offset: member.headerOffset },
        likely: LIKELY_DAMAGED,
        hint: HINT_WRITE_AGAIN,
      },
    );
  };
}

export function checkSpan(zip: ZipArchive, member: ZipMember, start: number, end: number): void {
  if (start >= 0 && start <= end && end <= member.byteLength) return;
  throw new FormatError(`bytes ${start} to ${end} were requested, but the member has ${member.byteLength}`, {
    at: { file: zip.source.name, entry: member.name },
    likely: LIKELY_DAMAGED,
  });
}

export function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}
