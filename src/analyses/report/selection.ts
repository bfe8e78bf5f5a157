import { parseFilter } from "../filter/filter.ts";

/** What is known of a token before it is sampled: choosing by it leaves the identities as they are. */
const KNOWN_BEFORE: ReadonlySet<string> = new Set(["step", "rank", "env", "turn", "pos"]);

/**
 * Why identities of sampled tokens need not hold of what was read: a filter chose among the tokens by what was sampled,
 * or by what came of it.
 *
 * @param flags of the command line, word by word
 */
export function selectionBy(flags: readonly string[]): string | undefined {
  const at = flags.indexOf("--filter");
  const filter = at < 0 ? undefined : flags[at + 1];
  if (filter === undefined) return undefined;
  const chosen = parseFilter(filter).terms.some(({ field }) => !KNOWN_BEFORE.has(field?.name ?? ""));
  return chosen ? `--filter '${filter}' selects by the sampled tokens` : undefined;
}
