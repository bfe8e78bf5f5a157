/**
 * Settings under names that other releases of the trainer take.
 *
 * @module
 */
import type { LintFinding, LintSeverity } from "../../results/lint.ts";
import { type Entry, endsWith, normalizedPath, placeOf } from "../shared/config-entry.ts";
import type { ConfigView, OtherNames } from "../shared/dialect.ts";
import { isBefore, writeSince } from "../shared/release.ts";
import { type Judgement, subject } from "./judge.ts";

const SEVERITY: Readonly<Record<OtherNames["effect"], LintSeverity>> = {
  refused: "error",
  ignored: "error",
  honored: "warning",
};

export interface NamesOfOthers {
  readonly findings: readonly LintFinding[];
  /** The entries with such names. */
  readonly entries: ReadonlySet<Entry>;
  /** Whether the trainer stops at one of them. */
  readonly refused: boolean;
}

/** What the judged release makes of names that it does not have. */
export function namesOfOthers(view: ConfigView, judgement: Judgement): NamesOfOthers {
  const entries = new Set<Entry>();
  const findings: LintFinding[] = [];
  let refused = false;
  for (const group of judgement.dialect.otherNames ?? [])
    for (const [name, instead] of Object.entries(group.names)) {
      const entry = view.get(name);
      if (entry === undefined) continue;
      entries.add(entry);
      findings.push(nameFinding(entry, instead, group, judgement));
      refused ||= group.effect === "refused" && !entry.key.startsWith("+") && !isTaken(group, judgement);
    }
  return { findings, entries, refused };
}

/** Whether the key is one of these names, written or not. */
export function isOtherName(entry: Entry, groups: readonly OtherNames[] = []): boolean {
  return groups.some(({ names }) => Object.keys(names).some((name) => endsWith(entry, normalizedPath(name))));
}

/** A release that one dialect stands for with others may come before a name went, or after it came. */
function isTaken({ until, from }: OtherNames, { given }: Judgement): boolean {
  if (given === undefined) return false;
  return (
    (until !== undefined && isBefore(given, until) === true) ||
    (from !== undefined && isBefore(given, from) === false)
  );
}

function nameFinding(entry: Entry, instead: string, group: OtherNames, judgement: Judgement): LintFinding {
  const { dialect, judged } = judgement;
  const { until, from, effect, why, source } = group;
  const place = placeOf(entry);
  if (isTaken(group, judgement))
    return {
      severity: "note",
      code: "other-release",
      ...place,
      message: `${dialect.title} ${judged.release} takes ${entry.key}, but its meaning there is not known here`,
      source,
    };
  const when = from
    ? `came with ${writeSince(from)}`
    : `is a name from ${until ? `before ${writeSince(until)}` : "an earlier version"}`;
  return {
    severity: SEVERITY[effect],
    code: from ? "later-name" : "old-name",
    ...place,
    message:
      effect === "honored"
        ? `${entry.key} ${when}`
        : `${entry.key} ${when}: ${subject(dialect, judged)} does not take it`,
    why:
      judged.from === undefined && effect !== "honored"
        ? `${why}; --trainer-version says if yours is another`
        : why,
    source,
    instead,
  };
}
