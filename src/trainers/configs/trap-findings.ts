import type { LintFinding } from "../../results/index.ts";
import type { LintContext, Preset } from "../shared/index.ts";

/** The preset's traps as findings, each at the line of its setting where the config writes that. */
export function trapFindings(preset: Preset, { settings, found }: LintContext): LintFinding[] {
  return preset.traps(settings).flatMap(({ says, severity = "note", code = "trap", setting = [] }) => {
    if (severity === "drop") return [];
    const entry = [setting].flat().flatMap((name) => found.get(name) ?? [])[0];
    return [
      {
        severity,
        code,
        ...(entry && { key: entry.key, line: entry.line }),
        message: says,
        source: preset.source,
      },
    ];
  });
}
