import type { LintFinding } from "../../results/lint.ts";
import { type Entry, placeOf } from "../shared/config-entry.ts";
import type { LintContext } from "../shared/dialect.ts";
import type { Preset } from "../shared/preset.ts";
import { demote } from "./inherits.ts";

/**
 * The preset's traps as findings, each at the line of its setting if the config has it.
 *
 * @param from The entry that names another config, which may have the settings that are not written here.
 */
export function trapFindings(
  preset: Preset,
  { settings, found }: Pick<LintContext, "settings" | "found">,
  from?: Entry,
): LintFinding[] {
  return preset.traps(settings).flatMap(({ says, severity = "note", code = "trap", setting = [] }) => {
    if (severity === "drop") return [];
    const names = [setting].flat();
    const entry = names.flatMap((name) => found.get(name) ?? [])[0];
    const absent = names.find((name) => !found.has(name));
    const finding: LintFinding = {
      severity,
      code,
      ...(entry && placeOf(entry)),
      message: says,
      source: preset.source,
    };
    return from && absent !== undefined ? demote(finding, absent, from) : finding;
  });
}
