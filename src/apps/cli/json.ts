import { resultJson } from "../../core/base/index.ts";

/** JSON for standard output: one object on one or more lines. */
export function toJson(value: unknown, indent?: number): string {
  return `${resultJson(value, indent)}\n`;
}
