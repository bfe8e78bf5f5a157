/**
 * Memory-mapped TensorDicts: a directory with a `meta.json` and the bytes of each tensor in `NAME.memmap`
 * (`TensorDict.memmap`, tensordict 0.15.3).
 *
 * @module
 */
export { isMemmapMeta, MEMMAP_META, openMemmap } from "./memmap.ts";
