export {
  anchor,
  type Block,
  type Document,
  type Entry,
  filledSections,
  isFilled,
  leadBlocks,
  type Picture,
  type Section,
  tableSections,
} from "./document.ts";
export { findingEntries } from "./findings.ts";
export type { Style, Surface } from "./surface.ts";
export {
  type ColumnOptions,
  figureColumn,
  makeTable,
  shownCell,
  type Table,
  type TableColumn,
  textColumn,
} from "./table.ts";
export { verdictWord } from "./verdict-word.ts";
