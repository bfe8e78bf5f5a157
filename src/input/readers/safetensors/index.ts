/**
 * Hugging Face's `.safetensors`.
 *
 * @module
 */
export { isSafetensors, openSafetensors } from "./safetensors.ts";
export { writeSafetensors } from "./write.ts";
