import type { LintFinding } from "../../results/lint.ts";
import type { ConfigDocument, Entry } from "../shared/config-entry.ts";

/** Whether an entry names another config as a base: hydra's `defaults`, `--config FILE`. */
export function isInclude({ path, file }: Entry): boolean {
  if (file !== undefined) return false;
  return (
    (path[0] === "defaults" && (path.length <= 3 || path[2]?.includes("@") === true)) ||
    (path.length === 1 && /^config(_(path|name|file))?$/.test(path[0]!))
  );
}

/** The first entry that names another config. */
export function inheritsFrom({ entries }: ConfigDocument): Entry | undefined {
  return entries.find(isInclude);
}

/** The finding as a note, because the other config may have this setting. */
export function demote(finding: LintFinding, setting: string, from: Entry): LintFinding {
  if (finding.severity === "note") return finding;
  return {
    ...finding,
    severity: "note",
    why: `unless ${from.key} (line ${from.line}), which is not read, sets ${setting}`,
  };
}

/** Downgrades a finding to a note if it names a setting that the other config may have. */
export function demoteInherited(
  findings: readonly LintFinding[],
  parameters: readonly string[],
  found: ReadonlyMap<string, Entry>,
  from: Entry,
): LintFinding[] {
  const absent = parameters.filter((name) => !found.has(name));
  return findings.map((finding) => {
    const rests = absent.find((name) => finding.message.includes(name) && !finding.key?.endsWith(name));
    return rests === undefined ? finding : demote(finding, rests, from);
  });
}
