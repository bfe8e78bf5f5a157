import type { LintFinding } from "../../results/lint.ts";
import { type Entry, placeOf } from "../shared/config-entry.ts";
import type { ConfigView, NamedDialect } from "../shared/dialect.ts";
import type { Preset } from "../shared/preset.ts";
import { isCommon, listSettings } from "./recognise.ts";
import { findSetting } from "./view.ts";

/**
 * Settings that only another trainer has, in a config that is judged as this one's: one note for each such trainer.
 *
 * @param found the entries that are settings here
 */
export function foreignKeys(
  view: ConfigView,
  dialect: NamedDialect,
  dialects: readonly NamedDialect[],
  presets: readonly Preset[],
  found: ReadonlySet<Entry>,
): LintFinding[] {
  const own = new Set([
    ...dialect.knownKeys,
    ...[dialect, ...dialect.earlier].flatMap((one) => listSettings(one, view, presets)),
  ]);
  return dialects.flatMap((other) => {
    if (other.name === dialect.name || other.inside !== undefined || dialect.inside === other.name) return [];
    const entries = listSettings(other, view, presets).flatMap((name) => {
      if (own.has(name) || isCommon(name)) return [];
      const entry = findSetting(view.document, other, name);
      if (entry === undefined || found.has(entry) || isShared(name, other, dialects, view, presets))
        return [];
      return [entry];
    });
    const [first] = entries;
    if (first === undefined) return [];
    const keys = entries.map(({ key }) => key).join(", ");
    return [
      {
        severity: "note" as const,
        code: "other-trainers-key",
        ...placeOf(first),
        message: `${keys} ${entries.length === 1 ? "is" : "are"} of ${other.title}, but the config is judged as ${dialect.title}'s, which does not read ${entries.length === 1 ? "it" : "them"}`,
        instead: `--preset ${other.name} if it is ${other.title}'s`,
      },
    ];
  });
}

/** A name that a third trainer has tells nothing. */
function isShared(
  name: string,
  other: NamedDialect,
  dialects: readonly NamedDialect[],
  view: ConfigView,
  presets: readonly Preset[],
): boolean {
  return dialects.some(
    (third) =>
      third.name !== other.name &&
      third.inside === undefined &&
      listSettings(third, view, presets).includes(name),
  );
}
