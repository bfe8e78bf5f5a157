import {
  byScope,
  type Filter,
  joinFilters,
  needsTokens,
  parseFilter,
  understoodText,
} from "../../../src/analyses/filter/index.ts";
import type { MatchingGroups, MatchingTokens, RunInfo } from "../../../src/results/view.ts";
import type { TokenMatches } from "../../../src/results/wire/matches.ts";
import { client } from "../api/client.ts";
import { useAnswer } from "./answers.ts";

export interface Matches {
  /** Undefined while the filter has no terms on tokens, or until the first answer. */
  readonly found: TokenMatches | undefined;
  /** The answer to the current filter is pending. */
  readonly busy: boolean;
  /** Why the filter's terms on tokens are not applied. */
  readonly refusal: string | undefined;
}

/** What the server finds for a filter with terms on tokens. */
export function useMatches(filter: Filter, info: RunInfo): Matches {
  const question = tokenQuestion(filter, info);
  const { loaded, busy } = useAnswer(question && `${info.version} ${question}`, (signal) =>
    client.match(question!, signal),
  );
  return {
    found: loaded?.state === "ready" ? loaded.value : undefined,
    busy,
    refusal:
      loaded?.state === "failed" ? `${loaded.message.trim()}; ${NOT_USED}` : bundleRefusal(filter, info),
  };
}

export interface MatchingList extends Omit<Matches, "found"> {
  readonly found: MatchingTokens | MatchingGroups | undefined;
}

/**
 * The tokens that match a filter and steps (`10..30`): the most divergent ones, or groups; `found` is undefined without
 * a filter and steps.
 */
export function useMatchingTokens(
  list: "tokens" | "groups",
  filter: Filter,
  steps: string | undefined,
  info: RunInfo,
): MatchingList {
  const within = steps === undefined ? "" : understoodText(parseFilter(`step:${steps}`));
  const question = joinFilters(understoodText(filter), within);
  const { loaded, busy } = useAnswer(
    question === "" || info.bundled ? undefined : `${info.version} ${list} ${question}`,
    (signal): Promise<MatchingTokens | MatchingGroups> =>
      list === "tokens" ? client.matchTokens(question, signal) : client.matchGroups(question, signal),
  );
  const refused = loaded?.state === "failed" ? loaded.message.trim() : info.bundled && question && FILES;
  return {
    found: loaded?.state === "ready" ? loaded.value : undefined,
    busy,
    refusal: refused ? `${refused}; the filter is not used` : undefined,
  };
}

/** The question to the server; undefined if the table of sequences suffices, and in a bundle. */
function tokenQuestion(filter: Filter, { bundled }: RunInfo): string | undefined {
  return bundled || byScope(filter.terms).token.length === 0 ? undefined : understoodText(filter);
}

const FILES = "a bundle cannot search tokens; logratio view of the run can";
/** The table has the largest |Δ| of each sequence, so `abs>0.1` excludes some even without looking at tokens. */
const NOT_USED = "conditions on tokens are only checked against the largest |Δ| of each sequence";

export function bundleRefusal(filter: Filter, { bundled }: Pick<RunInfo, "bundled">): string | undefined {
  return bundled && needsTokens(filter.alternatives) ? `${FILES}; ${NOT_USED}` : undefined;
}
