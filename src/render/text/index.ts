export * from "../../core/text/index.ts";
export { csvLine } from "./csv.ts";
export { printable, visibleData } from "./printable.ts";
