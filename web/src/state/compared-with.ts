/**
 * Which of the compared runs is shown: `with=fp8` in the address, or else the first.
 *
 * @module
 */
import type { RunInfo } from "../../../src/results/view.ts";
import { param } from "./url.ts";

const withParam = param("with", "");

/** Its place in `RunInfo.compared`; undefined without compared runs, or if none has that name. */
export function comparedWith(
  { compared }: Pick<RunInfo, "compared">,
  name = withParam.value,
): number | undefined {
  const at = name === "" ? 0 : compared.indexOf(name);
  return at >= 0 && at < compared.length ? at : undefined;
}

/** The parameter that names the run at a place; the first needs none. */
export function nameComparedWith({ compared }: Pick<RunInfo, "compared">, at: number): string | undefined {
  return at === 0 ? undefined : compared[at];
}
