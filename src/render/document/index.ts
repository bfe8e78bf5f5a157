export {
  type ColumnOptions,
  figureColumn,
  makeTable,
  shownCell,
  type Table,
  type TableColumn,
  textColumn,
} from "./table.ts";
