import type { LintFinding } from "../../results/lint.ts";
import {
  type ConfigDocument,
  type Entry,
  endsWith,
  normalizedPath,
  placeOf,
} from "../shared/config-entry.ts";
import type { NamedDialect } from "../shared/dialect.ts";
import { type Judgement, subject } from "./judge.ts";
import { isOtherName } from "./other-names.ts";
import { isCallTo, settingPaths } from "./view.ts";

/**
 * Keys that are one or two letters away from a setting, and keys of the trainer's own section that it does not have.
 */
export function misspeltKeys(
  document: ConfigDocument,
  { dialect, judged }: Judgement,
  parameters: readonly string[],
  found: ReadonlySet<Entry>,
): LintFinding[] {
  const known = [
    ...new Set([...parameters.map((name) => name.split(".").at(-1) ?? name), ...dialect.knownKeys]),
  ];
  const { effect, source } = dialect.unknownKeys;
  const ownPlaces = listParents(dialect, parameters, OWN);
  const anyPlaces = listParents(dialect, parameters, ANY);
  return document.entries.flatMap((entry) => {
    const name = entry.path.at(-1) ?? "";
    if (found.has(entry) || known.includes(name) || /^\d*$/.test(name) || isRemedy(entry, dialect)) return [];
    if (isOtherName(entry, dialect.otherNames)) return [];
    const own = isCallTo(document, dialect) || isBelow(entry, ownPlaces);
    const beside = own || isBelow(entry, anyPlaces);
    // On a command line, a similar name without a section is more often another setting than a typo.
    const near = beside
      ? closest(name, known)
      : isBare(entry, dialect)
        ? closest(name, known, "bare")
        : undefined;
    const closed = dialect.closedCallees?.includes(document.callee ?? "") === true;
    if (near === undefined && !closed && (!own || document.callee !== undefined)) return [];
    return [
      {
        severity: near === undefined && !closed ? ("warning" as const) : ("error" as const),
        code: near === undefined ? "unknown-key" : "misspelt",
        ...placeOf(entry),
        message: `${dialect.title} has no ${entry.key}${near === undefined ? "" : `; ${near} is probably meant`}`,
        why:
          effect === "refused"
            ? `${subject(dialect, judged)} stops at an unknown key`
            : `${subject(dialect, judged)} accepts the key and ignores it`,
        source,
        ...(near !== undefined && { instead: entry.key.replace(/[^.]*$/, dashes(entry.key, near)) }),
      },
    ];
  });
}

/** Whether the doctor recommends this key: the linter must not call it a typo. */
function isRemedy(entry: Entry, { advised }: NamedDialect): boolean {
  return advised.some((key) => {
    const known = normalizedPath(key);
    return endsWith(entry, known) || endsWith({ ...entry, path: known }, entry.path);
  });
}

/** The paths under which the settings of some of the trainer's sections are. */
function listParents(dialect: NamedDialect, parameters: readonly string[], which: RegExp): string[][] {
  const sections = dialect.sections.filter((section) => which.test(section));
  return parameters.flatMap((name) =>
    settingPaths({ ...dialect, sections }, name).flatMap((path) =>
      path.length > 1 ? [path.slice(0, -1)] : [],
    ),
  );
}

/** Whether the key is directly in one of these places, next to the trainer's settings. */
function isBelow(entry: Entry, places: readonly string[][]): boolean {
  const parent = { ...entry, path: entry.path.slice(0, -1) };
  return places.some((path) => endsWith(parent, path));
}

function isBare({ path }: Entry, { sections }: NamedDialect): boolean {
  return path.length === 1 && sections.includes("");
}

const ANY = /./;
/**
 * Sections that hold nothing but the correction (prime-rl's `loss` is one); `actor`, `loss_fn` or `grpo` hold many
 * other keys.
 */
const OWN =
  /^((trainer\.)?loss|rollout_correction|rollout_is|off_policy_correction|rejection_sampling|train_infer_correction)$/;

function dashes(key: string, name: string): string {
  return key.startsWith("--") && !key.includes("_")
    ? `--${name.replaceAll("_", "-")}`
    : key.startsWith("--") && !key.includes(".")
      ? `--${name}`
      : name;
}

/** The nearest known name within two edits (one if the name is short). */
function closest(name: string, known: readonly string[], place?: "bare"): string | undefined {
  const most = name.length < (place === "bare" ? 12 : 6) ? 1 : 2;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > most || candidate[0] !== name[0]) continue;
    const distance = editDistance(name, candidate);
    if (distance <= most && (best === undefined || distance < best.distance))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** Damerau–Levenshtein with adjacent swaps (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
