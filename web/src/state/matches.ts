import {
  byScope,
  type Filter,
  joinFilters,
  needsTokens,
  parseFilter,
  understoodText,
} from "../../../src/analyses/filter/index.ts";
import type { MatchingGroups, MatchingTokens, RunInfo } from "../../../src/results/index.ts";
import type { TokenMatches } from "../../../src/results/wire/index.ts";
import { client } from "../api/client.ts";
import { useAnswer } from "./answers.ts";

export interface Matches {
  /** Undefined while nothing is asked of tokens, or the first answer has not come. */
  readonly found: TokenMatches | undefined;
  /** The answer to the filter as it is now is still to come. */
  readonly busy: boolean;
  /** Why tokens cannot be asked, though the filter is about them. */
  readonly refusal: string | undefined;
}

/** What the server finds of a filter that is about tokens. */
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
 * The tokens that a filter and steps (`10..30`) leave: the furthest apart, or put together by what they are; `found` is
 * undefined without any of them.
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

/** What the server is asked; undefined where the table of sequences says all, or nobody can be asked. */
function tokenQuestion(filter: Filter, { bundled }: RunInfo): string | undefined {
  return bundled || byScope(filter.terms).token.length === 0 ? undefined : understoodText(filter);
}

const FILES = "a bundle cannot look through tokens, as logratio view of the run itself does";
/** The table has the largest |Δ| of each sequence, so `abs>0.1` leaves some out even where nobody looks at tokens. */
const NOT_USED = "of what is asked of tokens, only what the largest |Δ| of each sequence tells is used";

export function bundleRefusal(filter: Filter, { bundled }: Pick<RunInfo, "bundled">): string | undefined {
  return bundled && needsTokens(filter.alternatives) ? `${FILES}; ${NOT_USED}` : undefined;
}
