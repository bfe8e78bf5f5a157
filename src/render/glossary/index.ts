/**
 * What the field's terms mean, in one sentence each, for readers who meet them in a heading.
 *
 * The glossary of `docs/style.md`, and the search for its terms in a text, belong here; the names of one verb's figures
 * do not (`render/VERB`).
 *
 * @module
 */

export { buildGlossary } from "./build-glossary.ts";
