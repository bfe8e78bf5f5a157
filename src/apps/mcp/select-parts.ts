import { UsageError } from "../../core/base/index.ts";

/** A result as an agent gets it: what was requested, and what else there is. */
export interface Selection {
  readonly result: Readonly<Record<string, unknown>>;
  /** Members that were not sent, with their size in characters of JSON. */
  readonly not_sent: Readonly<Record<string, number>>;
  /** Lists that were cut, by their place, with how many entries they have. */
  readonly cut: Readonly<Record<string, number>>;
}

export interface Wanted {
  /** Members to send; without them all but `heavy`. */
  readonly parts: readonly string[] | undefined;
  readonly heavy: readonly string[];
  /** Entries kept of each list. */
  readonly rows: number;
}

/**
 * Picks members of a result and cuts their lists: a whole report has 70 kB and more, which fills an agent's context
 * with bins of histograms. What is left out is named, so that it can be requested.
 *
 * @throws UsageError when a part is not in the result
 */
export function selectParts(whole: Readonly<Record<string, unknown>>, wanted: Wanted): Selection {
  const { parts, heavy, rows } = wanted;
  const unknown = (parts ?? []).filter((part) => !Object.hasOwn(whole, part));
  if (unknown.length > 0) {
    throw new UsageError(`there is no part ${unknown.join(", ")} in this result`, {
      hint: `one of ${Object.keys(whole).join(", ")}`,
    });
  }
  const isSent = (name: string): boolean =>
    parts === undefined ? !heavy.includes(name) : parts.includes(name);
  const result: Record<string, unknown> = {};
  const notSent: Record<string, number> = {};
  const cut: Record<string, number> = {};
  for (const [name, value] of Object.entries(whole)) {
    if (isSent(name)) result[name] = cutLists(value, rows, name, cut);
    else if (!isEmpty(value)) notSent[name] = JSON.stringify(value).length;
  }
  return { result, not_sent: notSent, cut };
}

/** The value with at most `rows` entries in each list; adds the lists that were longer to `cut`. */
function cutLists(value: unknown, rows: number, place: string, cut: Record<string, number>): unknown {
  if (Array.isArray(value)) {
    if (value.length > rows) cut[place] = value.length;
    return value.slice(0, rows).map((entry, i) => cutLists(entry, rows, `${place}[${i}]`, cut));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cutLists(member, rows, `${place}.${name}`, cut)]),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
