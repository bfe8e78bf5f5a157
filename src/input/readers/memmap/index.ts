/**
 * Memory-mapped TensorDicts: a folder of plain files with a description.
 *
 * @module
 */
export { isMemmapMeta, MEMMAP_META, openMemmap } from "./memmap.ts";
