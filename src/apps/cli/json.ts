import { resultJson, UsageError } from "../../core/base/index.ts";
import { visibleData } from "../../render/text/index.ts";

/** JSON for standard output: one object on one or more lines, with nothing that could control a terminal. */
export function toJson(value: unknown, indent?: number): string {
  const text = `${resultJson(value, indent)}\n`;
  return process.stdout.isTTY === true ? visibleData(text) : text;
}

/** @throws UsageError if the result is requested in two forms: both would go to stdout. */
export function refuseTwoForms(options: { readonly json?: boolean; readonly markdown?: boolean }): void {
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown cannot be combined", { hint: "choose one" });
}
