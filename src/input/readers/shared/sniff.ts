import type { ByteSource } from "../../io/byte-source.ts";
import { openZip } from "../../io/zip.ts";

export { isZip } from "../../io/zip.ts";

/** A pickle of protocol 2 to 5: the PROTO opcode and its number. Legacy torch files are also pickles. */
export function isPickle(head: Uint8Array): boolean {
  return head[0] === 0x80 && head[1]! >= 2 && head[1]! <= 5;
}

/**
 * Recognizes a zip archive by the names in it: `torch` if there is a `data.pkl` inside one folder, `npz` if there is
 * an `.npy`.
 *
 * @throws FormatError if the archive's directory cannot be read
 */
export async function zipKind(source: ByteSource): Promise<"npz" | "torch" | "other"> {
  const { members } = await openZip(source);
  const names = [...members.keys()];
  if (names.some((name) => /^[^/]+\/data\.pkl$/.test(name))) return "torch";
  return names.some((name) => name.endsWith(".npy")) ? "npz" : "other";
}
