/**
 * The report of a sweep as a document.
 *
 * @module
 */
export {
  renderSweepMarkdown,
  renderSweepTerminal,
  type SweepOptions,
  type TerminalSweepOptions,
} from "./document.ts";
export { ownConfig } from "./first-screen.ts";
export type { RowChoice } from "./rows.ts";
