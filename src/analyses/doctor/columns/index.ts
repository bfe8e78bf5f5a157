/**
 * Which of the columns that decide causes a run has, and what cannot be tested without the others. Judges nothing.
 *
 * @module
 */
export { ColumnsSeen } from "./columns-seen.ts";
