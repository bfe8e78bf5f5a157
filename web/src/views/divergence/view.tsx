import { useId, useMemo } from "preact/hooks";
import { parseFilter } from "../../../../src/analyses/filter/index.ts";
import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { MatchingTokens, RunInfo, TopTokens } from "../../../../src/results/index.ts";
import { useKeys } from "../../state/keys.ts";
import { topTokens } from "../../state/loaded.ts";
import { useMatchingTokens } from "../../state/matches.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { flatRows, type Row } from "../../ui/export.ts";
import { FilterBox } from "../../ui/filter-box.tsx";

import { TakeAway } from "../../ui/virtual-table/take-away.tsx";
import type { TableSort } from "../../ui/virtual-table/virtual-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import {
  GROUP_ORDERS,
  groupsWith,
  LISTS,
  OCCURRENCE_ORDERS,
  occurrencesWith,
  ordered,
  selectGroups,
} from "./choose.ts";
import { Groups } from "./groups.tsx";
import { Occurrences } from "./occurrences.tsx";
import "./style.css";

/** The most divergent tokens of the whole run: `by`, `find` and `tokens-sort` of the address. */
export function TokensView({ info }: ViewProps) {
  return <WhenLoaded of={topTokens()}>{(top) => <Tokens info={info} top={top} />}</WhenLoaded>;
}

function Tokens({ info, top }: { readonly info: RunInfo; readonly top: TopTokens }) {
  const id = useId();
  const { by, find = "", filter, steps, "tokens-sort": sort } = route.value.params;
  const list = LISTS.find(({ name }) => name === by) ?? LISTS[0];
  const isFiltered = list.name === "occurrence";
  const toFind = { describe: "find tokens", run: () => document.getElementById(id)?.focus() };
  useKeys(isFiltered ? {} : { "/": toFind });
  const parsed = useMemo(() => parseFilter(filter ?? ""), [filter]);
  const { found, busy, refusal } = useMatchingTokens(parsed, steps, info);
  const tableSort: TableSort | undefined =
    sort === undefined ? undefined : { key: sort.replace(/^-/, ""), descending: sort.startsWith("-") };
  const onSort = (key: string): void => {
    const textual = key === "label" || key === "text";
    const descending = tableSort?.key === key ? !tableSort.descending : !textual;
    navigate({ params: { "tokens-sort": `${descending ? "-" : ""}${key}` } });
  };
  const name = list.name;
  const furthest = found?.occurrences ?? top.occurrences;
  const all = name === "occurrence" ? furthest : selectGroups(top, name);
  const occurrences = ordered(occurrencesWith(furthest, find), OCCURRENCE_ORDERS, sort);
  const groups =
    name === "occurrence" ? [] : ordered(groupsWith(selectGroups(top, name), find), GROUP_ORDERS, sort);
  const shown = name === "occurrence" ? occurrences : groups;
  return (
    <div class="tokens-view">
      <h1>Most divergent tokens</h1>
      <div class="controls">
        {isFiltered && (
          <FilterBox filter={parsed} what="tokens">
            {refusal !== undefined && <p>{refusal}</p>}
          </FilterBox>
        )}
        <nav class="pills" aria-label="Put together">
          {LISTS.map(({ name: other, title }) => (
            <a
              key={other}
              href={makeHref({
                params: { by: other === "occurrence" ? undefined : other, "tokens-sort": undefined },
              })}
              aria-current={other === list.name ? "true" : undefined}
            >
              {title}{" "}
              <small>
                {formatCount(
                  other === "occurrence" ? top.occurrences.length : selectGroups(top, other).length,
                )}
              </small>
            </a>
          ))}
        </nav>
        <label class="find">
          Find{" "}
          <input
            id={id}
            type="search"
            value={find}
            spellcheck={false}
            placeholder={list.name === "occurrence" ? "token, context, place, #id" : list.noun}
            onInput={({ currentTarget: { value } }) =>
              navigate({ params: { find: value === "" ? undefined : value } }, { replace: true })
            }
          />
        </label>
        <TakeAway what={`tokens by ${list.name}`} rows={() => buildRows(shown)} />
        <p class="counts" role="status">
          <strong>{formatCount(shown.length)}</strong> of {formatCount(all.length)}
          {isFiltered && (busy ? <span class="loading"> · looking through the tokens …</span> : whose(found))}
          {!isFiltered && (steps ?? filter) !== undefined && WHOLE_RUN}
        </p>
      </div>
      <div class="list">
        {shown.length === 0 ? (
          <p class="nothing" role="status">
            {found !== undefined && all.length === 0
              ? "No matching tokens."
              : all.length === 0
                ? EMPTY
                : `Nothing has "${find}" in it.`}
          </p>
        ) : name === "occurrence" ? (
          <Occurrences
            items={occurrences}
            sort={tableSort ?? { key: "size", descending: true }}
            onSort={onSort}
          />
        ) : (
          <Groups list={name} noun={list.noun} items={groups} sort={tableSort} onSort={onSort} />
        )}
      </div>
    </div>
  );
}

function whose(found: MatchingTokens | undefined): string {
  if (found === undefined) return ", the largest |Δ| of the run";
  return `, the largest |Δ| of the ${formatCount(found.tokens)} in ${formatCounted(found.sequences, "sequence")} that match`;
}

/** Groups are summed when the run is prepared: steps and filters that are chosen later do not narrow them. */
const WHOLE_RUN = " of the whole run; groups ignore the chosen steps and the filter";

const EMPTY =
  "There is nothing here: no token has both log-probs, or nothing is known to put tokens together by.";

function buildRows(
  items: readonly (TopTokens["occurrences"][number] | TopTokens["by_token"][number])[],
): Row[] {
  const places = items.map((item) =>
    "worst" in item && item.worst !== null
      ? { worst_sequence: item.worst.sequence, worst_token: item.worst.token }
      : {},
  );
  return flatRows(items.map(({ ...item }, at) => ({ ...item, worst: undefined, ...places[at] })));
}
