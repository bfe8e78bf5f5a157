export type { Document } from "./document.ts";
export { contextColumn, figureColumn, makeTable, type Table, textColumn } from "./table.ts";
