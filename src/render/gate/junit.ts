import type { GateCheck, GateReport } from "../../results/gate.ts";
import { describeCheck, failsGate, OUTCOME_WORDS } from "./words.ts";

/**
 * A JUnit report as Jenkins, GitLab and GitHub's test reporters read it: a test case for each check, `failure` with the
 * outcome as its type, `skipped` for an undecidable check that is allowed.
 */
export function renderGateJunit(report: GateReport): string {
  const { checks, run } = report;
  const failed = checks.filter((check) => failsGate(check, report)).length;
  const open = checks.filter(({ outcome }) => outcome === "undecidable").length;
  const skipped = report.allow_undecidable ? open : 0;
  const counts = `tests="${checks.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="logratio gate" ${counts}>`,
    `  <testsuite name="${escapeXml(run)}" ${counts}>`,
    ...checks.map((check) => writeCase(check, report)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function writeCase(check: GateCheck, report: GateReport): string {
  const { metric, kind, condition, outcome, reason } = check;
  const name = escapeXml(condition ?? metric);
  const head = `    <testcase classname="logratio.gate.${kind}" name="${name}"`;
  const text = escapeXml(describeCheck(check));
  if (failsGate(check, report))
    return `${head}>\n      <failure type="${OUTCOME_WORDS[outcome]}" message="${escapeXml(reason)}">${text}</failure>\n    </testcase>`;
  if (outcome === "undecidable") return `${head}>\n      <skipped message="${text}"/>\n    </testcase>`;
  return `${head}/>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/**
 * Characters that XML 1.0 cannot represent (most control characters, lone surrogates) become the replacement character.
 */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[&<>"'\t\n\r]/g, (letter) => ENTITIES[letter]!)
    .replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}
