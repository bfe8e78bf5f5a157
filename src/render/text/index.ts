export * from "../../core/text/index.ts";
export { csvLine } from "./csv.ts";
export { oneLine } from "./one-line.ts";
export { printable, visibleData } from "./printable.ts";
