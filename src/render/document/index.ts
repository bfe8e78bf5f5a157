export type { Block, Document, Picture, Section } from "./document.ts";
export { findingEntries } from "./findings.ts";
export { unfoldedRows, withRows } from "./rows.ts";
export type { Style, Surface } from "./surface.ts";
export {
  type ColumnOptions,
  contextColumn,
  figureColumn,
  makeTable,
  type Table,
  type TableColumn,
  textColumn,
} from "./table.ts";
