/**
 * The table of fields of sequences and of tokens. The page shows it as help and describes the columns of its sequence
 * list with it.
 *
 * @module
 */
import type { Field } from "./field.ts";
import { SEQUENCE_FIELDS } from "./sequence-fields.ts";
import { TOKEN_FIELDS } from "./token-fields.ts";

export const FIELDS: readonly Field[] = [...TOKEN_FIELDS, ...SEQUENCE_FIELDS];

const BY_NAME = new Map(
  FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => [name, field])),
);

export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** The field that was probably meant. */
export function nearestField(name: string): Field | undefined {
  const near = nearestName(name, [...BY_NAME.keys()]);
  return near === undefined ? undefined : BY_NAME.get(near);
}

/** The name that was probably meant: one with this prefix, else the one with the fewest edits, if they are few. */
export function nearestName<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
  const wanted = name.toLowerCase();
  let best: { readonly known: Name; readonly distance: number } | undefined;
  for (const known of names) {
    const begun =
      (wanted.length > 1 && known.startsWith(wanted)) || (known.length > 2 && wanted.startsWith(known));
    const distance = begun ? 0.5 : editDistance(wanted, known);
    if (distance <= Math.max(1, Math.min(3, wanted.length / 2)) && distance < (best?.distance ?? Infinity))
      best = { known, distance };
  }
  return best?.known;
}

/** Levenshtein distance, in two rows. */
function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    last = row;
  }
  return last[b.length]!;
}
