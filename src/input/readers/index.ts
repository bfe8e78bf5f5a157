/**
 * Readers without the additions of ingest: from the bytes of one file to named values, as a tree of arrays that stay
 * in the file until their rows are requested, or as rows. Readers do not know what a name means.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isTensor, openFile } from "logratio/node";
 * import { openNpz } from "logratio/internal/input/readers";
 *
 * const document = await openNpz(await openFile("examples/demo/stale/step_0010.npz"));
 * const logprobs = document.root.rollout_log_probs;
 * assert(isTensor(logprobs));
 * const [rows = 0, width = 0] = logprobs.shape;
 * const first = await logprobs.readRows(0, 1); // `[width]`, nats
 * assert(rows > 0 && first.length === width);
 * await document.close();
 * ```
 *
 * A document owns its source and closes it; if opening throws, the caller still owns the source. Errors carry a
 * `_tag`: `FormatError` for bytes that are damaged or have another format, `LimitError`, `UnsupportedError`,
 * `EmptyInputError`. To have the reader picked by content, use `openDocument` of `logratio/node`.
 *
 * @module
 */

export { openJsonl } from "./json/rows.ts";
export { openJson } from "./json/tree.ts";
export { isMemmapMeta, MEMMAP_META, openMemmap } from "./memmap/memmap.ts";
export { openNpy, openNpz } from "./npz/npz.ts";
export {
  type ColumnBatch,
  type ColumnData,
  type ColumnSpec,
  openParquet,
  type ScalarType,
  writeParquet,
} from "./parquet/index.ts";
export { openSafetensors } from "./safetensors/safetensors.ts";
export { decodeElements } from "./shared/decode.ts";
export type { FixedDType } from "./shared/dtypes.ts";
export { isPickle, isZip, zipKind } from "./shared/sniff.ts";
export { rowMajorStrides } from "./shared/strides.ts";
export { tensorOver } from "./shared/tensor.ts";
export { WRITTEN_BYTES, type WrittenArray } from "./shared/written-array.ts";
export { openTorch } from "./torch/torch.ts";
