/**
 * `torch.save` files.
 *
 * @module
 */
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeDocument } from "../../io/columns.ts";
import type { PickleOptions } from "../shared/pickle.ts";

/** See `openTorch` in torch.ts. */
export async function openTorch(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  return (await import("./torch.ts")).openTorch(source, options);
}
