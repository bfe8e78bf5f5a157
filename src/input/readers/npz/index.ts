/**
 * NumPy's `.npy` and `.npz`.
 *
 * @module
 */
export { isNpy, readNpyHeader } from "./npy-header.ts";
export { openNpy, openNpz } from "./npz.ts";
export { writeNpz } from "./write.ts";
