/**
 * Names of runs are foreign text: a folder's name consists of letters, digits, `.`, `_` and `-`, and of `~` with two
 * hexadecimal digits for every other byte, so no name is a path, a hidden file, or an ambiguous address.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";

/** Bytes of UTF-8; encoded, a name is at most three times as long, and file systems accept 255. */
const MOST_NAME_BYTES = 80;
const PLAIN = /^[A-Za-z0-9._-]$/;

/** @throws UsageError for an empty name, or one that is too long */
export function folderName(run: string): string {
  const bytes = Buffer.from(run);
  if (bytes.length === 0) throw new UsageError("the run has no name", { hint: "add run=NAME" });
  if (bytes.length > MOST_NAME_BYTES)
    throw new UsageError(
      `the run's name has ${bytes.length} bytes of UTF-8; at most ${MOST_NAME_BYTES} are accepted`,
    );
  const encoded = Array.from(bytes, (byte, at) => {
    const letter = String.fromCharCode(byte);
    const isHidden = letter === "." && at === 0;
    return PLAIN.test(letter) && !isHidden ? letter : `~${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  return encoded.join("");
}

/** The run's name, from a folder name made by `folderName`; undefined for other folders. */
export function runNameFromFolder(folder: string): string | undefined {
  const bytes: number[] = [];
  for (const [part, , hex] of folder.matchAll(/([A-Za-z0-9._-])|~([0-9A-F]{2})|./gs)) {
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(part.charCodeAt(0));
  }
  try {
    const name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    return folderName(name) === folder ? name : undefined;
  } catch {
    return undefined;
  }
}
