import type { LintedConfig, LintFinding } from "../../results/lint.ts";
import type { Entry } from "../shared/config-entry.ts";

/**
 * Findings about the file as a whole.
 *
 * @param missing the includes that could not be read
 */
export function fileFindings(missing: readonly Entry[], configs: readonly LintedConfig[]): LintFinding[] {
  const trainers = [...new Set(configs.map(({ title }) => title))];
  return [
    ...(configs.length > 1
      ? [
          {
            severity: "note" as const,
            code: "several-configs",
            message: `${configs.length} configs in one file (lines ${configs.map(({ line }) => line).join(", ")}), of ${trainers.join(" and ")}; each is read on its own`,
          },
        ]
      : []),
    ...missing.map((entry) => ({
      severity: "note" as const,
      code: "inherits",
      key: entry.key,
      line: entry.line,
      message: `values also come from ${entry.text === "" ? entry.key : entry.text}, which is not read`,
      why: "what is shown as a default here may be set there",
      instead: "lint the resolved config: verl and NeMo-RL print it when a run starts",
    })),
  ];
}
