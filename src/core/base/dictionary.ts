/**
 * A record whose keys come from files or flags. It has no prototype, so `constructor` is absent until it is set, and
 * `__proto__` is an ordinary key.
 */
export function dictionary<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const made: Record<string, T> = Object.create(null);
  for (const [name, value] of entries) made[name] = value;
  return made;
}
