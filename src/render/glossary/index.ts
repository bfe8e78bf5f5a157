/**
 * What the field's terms mean, in one sentence each, for readers who meet them in a heading.
 *
 * Belongs here: the glossary of `docs/style.md`, and how a text is searched for its terms. Does not: what the figures of
 * one verb are called (`render/VERB`).
 *
 * @module
 */

export { buildGlossary } from "./build-glossary.ts";
