/**
 * What a sweep's report says.
 *
 * @module
 */
export {
  buildSweepDocument,
  renderSweepMarkdown,
  renderSweepTerminal,
  type SweepOptions,
} from "./document.ts";
export type { RowChoice } from "./rows.ts";
