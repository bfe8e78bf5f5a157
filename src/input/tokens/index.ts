/**
 * Token ids to text and back, from the files that come with a model. For Node.
 *
 * @module
 */
export { compareTokenizers } from "./compare-tokenizers.ts";
export { findTokenizer } from "./find-tokenizer.ts";
export { openTokenizer } from "./open-tokenizer.ts";
export type { TokenDecoder } from "./token-decoder.ts";
export { TokenTexts } from "./token-texts.ts";
