/**
 * NumPy's `.npy` and `.npz`.
 *
 * @module
 */
import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeDocument } from "../../io/columns.ts";
import type { PickleOptions } from "../shared/pickle.ts";
import type { WrittenArray } from "../shared/written-array.ts";

export { isNpy, readNpyHeader } from "./npy-header.ts";

/** See `openNpy` in npz.ts. */
export async function openNpy(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  return (await import("./npz.ts")).openNpy(source, options);
}

/** See `openNpz` in npz.ts. */
export async function openNpz(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  return (await import("./npz.ts")).openNpz(source, options);
}

/** See `writeNpz` in write.ts. */
export async function writeNpz(target: FileHandle, arrays: readonly WrittenArray[]): Promise<void> {
  await (await import("./write.ts")).writeNpz(target, arrays);
}
