/**
 * The health of a run in words, tables and pictures.
 *
 * @module
 */

export { besideSection, sayBeside } from "./beside.ts";
export { healthPicture } from "./pictures.ts";
export { healthTable } from "./tables.ts";
export { describeCheck, describeLimit, HEALTH_TITLES, type HealthCheck, OUTCOMES } from "./words.ts";
