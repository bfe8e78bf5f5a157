import type { LintedConfig, LintFinding } from "../../results/lint.ts";
import type { ConfigDocument } from "../shared/config-entry.ts";
import { inheritsFrom } from "./inherits.ts";

/** Findings about the file as a whole. */
export function fileFindings(
  documents: readonly ConfigDocument[],
  configs: readonly LintedConfig[],
): LintFinding[] {
  const inherits = documents.flatMap((document) => inheritsFrom(document) ?? []);
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
    ...inherits.map((entry) => ({
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
