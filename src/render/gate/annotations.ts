import type { GateReport } from "../../results/gate.ts";
import { describeCheck, failsGate } from "./words.ts";

/**
 * Workflow commands that GitHub shows beside the lines of the baseline's file: an error for each check that fails, a
 * warning for each undecidable one that is allowed. Escaped as actions/toolkit does it (packages/core/src/command.ts).
 */
export function renderGitHubAnnotations(report: GateReport): string {
  return report.checks
    .filter(({ outcome }) => outcome !== "pass")
    .map((check) => {
      const file = check.line === null ? null : (report.baseline?.file ?? null);
      const properties = [
        ...(file === null ? [] : [`file=${escapeProperty(file)}`, `line=${check.line}`]),
        `title=${escapeProperty(`logratio gate: ${check.metric}`)}`,
      ];
      const word = failsGate(check, report) ? "error" : "warning";
      return `::${word} ${properties.join(",")}::${escapeData(describeCheck(check))}\n`;
    })
    .join("");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
