import { parseFilter } from "../filter/filter.ts";

/** What is known about a token before it is sampled: selecting by it leaves the identities valid. */
const KNOWN_BEFORE: ReadonlySet<string> = new Set(["step", "rank", "env", "turn", "pos"]);

/**
 * Why identities of sampled tokens need not hold for what was read: a filter selected tokens by what was sampled, or by
 * its consequences.
 *
 * @param flags of the command line, verbatim
 */
export function selectionBy(flags: readonly string[]): string | undefined {
  const at = flags.indexOf("--filter");
  const filter = at < 0 ? undefined : flags[at + 1];
  if (filter === undefined) return undefined;
  const chosen = parseFilter(filter).terms.some(({ field }) => !KNOWN_BEFORE.has(field?.name ?? ""));
  return chosen ? `--filter '${filter}' selects by the sampled tokens` : undefined;
}
