/** Names that nobody reads: UUIDs, and digests of 16 digits or more. */
const OPAQUE = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,})$/i;
const LEAST = 6;

const known = new WeakMap<readonly string[], readonly string[]>();

/**
 * Names as lists show them. An opaque name is cut to its first characters, enough to distinguish all names of the run,
 * as git does with commits. A name is shortened in the same way everywhere in a run, and filters accept the short form.
 */
export function shortNames(values: readonly string[]): readonly string[] {
  const before = known.get(values);
  if (before !== undefined) return before;
  const opaque = values.filter((name) => OPAQUE.test(name)).sort();
  let length = LEAST;
  for (let at = 1; at < opaque.length; at++)
    length = Math.max(length, sharedCharacters(opaque[at - 1]!, opaque[at]!) + 1);
  const short = values.map((name) => (OPAQUE.test(name) ? name.slice(0, length).replace(/-$/, "") : name));
  known.set(values, short);
  return short;
}

function sharedCharacters(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
