/**
 * The report of a sweep as a document.
 *
 * @module
 */
export {
  buildSweepDocument,
  renderSweepMarkdown,
  renderSweepTerminal,
  type SweepOptions,
  type TerminalSweepOptions,
} from "./document.ts";
export type { RowChoice } from "./rows.ts";
