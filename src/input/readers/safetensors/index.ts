/**
 * Hugging Face's `.safetensors`.
 *
 * @module
 */
import type { FileHandle } from "node:fs/promises";
import type { WrittenArray } from "../shared/written-array.ts";

export { isSafetensors, openSafetensors } from "./safetensors.ts";

/** See `writeSafetensors` in write.ts. */
export async function writeSafetensors(target: FileHandle, arrays: readonly WrittenArray[]): Promise<void> {
  await (await import("./write.ts")).writeSafetensors(target, arrays);
}
