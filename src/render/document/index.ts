export {
  anchor,
  type Block,
  type Document,
  type Entry,
  filledSections,
  isFilled,
  leadBlocks,
  type Medium,
  type Picture,
  type Section,
  type TableBlock,
  tableSections,
} from "./document.ts";
export { findingEntries } from "./findings.ts";
export { shownRows, unfoldedRows, withRows } from "./rows.ts";
export type { Style, Surface } from "./surface.ts";
export {
  type ColumnOptions,
  contextColumn,
  figureColumn,
  makeTable,
  NEEDED,
  shownCell,
  type Table,
  type TableColumn,
  textColumn,
} from "./table.ts";
export { verdictWord } from "./verdict-word.ts";
