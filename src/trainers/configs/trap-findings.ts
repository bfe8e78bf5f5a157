import type { LintFinding } from "../../results/index.ts";
import type { Dialect, LintContext, Preset } from "../shared/index.ts";

/** The preset's traps, with a severity and the line of their setting. */
export function trapFindings(preset: Preset, dialect: Dialect, context: LintContext): LintFinding[] {
  return preset.traps(context.settings).flatMap((trap) => {
    const grade = dialect.traps.find(({ match }) => match.test(trap));
    const match = grade?.match.exec(trap);
    const severity =
      typeof grade?.severity === "function" && match ? grade.severity(match) : (grade?.severity ?? "note");
    if (typeof severity === "function" || severity === "drop") return [];
    const named = [...context.found.keys()]
      .filter((name) => trap.includes(name))
      .sort((a, b) => b.length - a.length);
    const setting = grade?.setting ?? named[0];
    const entry = context.found.get(setting ?? "");
    return [
      {
        severity,
        code: grade?.code ?? "trap",
        ...(entry && { key: entry.key, line: entry.line }),
        message: trap.replace(/\.$/, ""),
        source: preset.source,
        ...(grade?.instead !== undefined && { instead: grade.instead }),
      },
    ];
  });
}
