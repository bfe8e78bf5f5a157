/**
 * The health of a run in words, tables and pictures.
 *
 * @module
 */

export { buildHealthDocument, type HealthLinks } from "./document.ts";
export type { HealthCheck } from "./words.ts";
