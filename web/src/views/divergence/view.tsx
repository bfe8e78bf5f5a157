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
  const chosen = useChosen(info, top);
  const { list, name, parsed, refusal, occurrences, groups, shown } = chosen;
  const tableSort = readSort(route.value.params["tokens-sort"]);
  const onSort = (key: string): void => navigate({ params: { "tokens-sort": sortBy(key, tableSort) } });
  const isFiltered = name === "occurrence";
  return (
    <div class="tokens-view">
      <h1>Most divergent tokens</h1>
      <div class="controls">
        {isFiltered && (
          <FilterBox filter={parsed} what="tokens">
            {refusal !== undefined && <p>{refusal}</p>}
          </FilterBox>
        )}
        <Lists top={top} current={name} />
        <Find noun={list.noun} isFiltered={isFiltered} />
        <TakeAway what={`tokens by ${name}`} rows={() => buildRows(shown)} />
        <Counts {...chosen} />
      </div>
      <div class="list">
        {shown.length === 0 ? (
          <Nothing {...chosen} />
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

type Chosen = ReturnType<typeof useChosen>;

/** What the address asks for: single tokens, those that filter and steps leave, or groups, which are of the whole run. */
function useChosen(info: RunInfo, top: TopTokens) {
  const { by, find = "", filter, steps, "tokens-sort": sort } = route.value.params;
  const list = LISTS.find((each) => each.name === by) ?? LISTS[0];
  const { name } = list;
  const parsed = useMemo(() => parseFilter(filter ?? ""), [filter]);
  const { found, busy, refusal } = useMatchingTokens(parsed, steps, info);
  const furthest = found?.occurrences ?? top.occurrences;
  const all = name === "occurrence" ? furthest : selectGroups(top, name);
  const occurrences = ordered(occurrencesWith(furthest, find), OCCURRENCE_ORDERS, sort);
  const groups =
    name === "occurrence" ? [] : ordered(groupsWith(selectGroups(top, name), find), GROUP_ORDERS, sort);
  const shown = name === "occurrence" ? occurrences : groups;
  const isNarrowed = (steps ?? filter) !== undefined;
  return { list, name, parsed, find, found, busy, refusal, all, occurrences, groups, shown, isNarrowed };
}

function readSort(sort: string | undefined): TableSort | undefined {
  return sort === undefined ? undefined : { key: sort.replace(/^-/, ""), descending: sort.startsWith("-") };
}

/** As the address has it: figures begin with the largest, texts with the first. */
function sortBy(key: string, now: TableSort | undefined): string {
  const isTextual = key === "label" || key === "text";
  const descending = now?.key === key ? !now.descending : !isTextual;
  return `${descending ? "-" : ""}${key}`;
}

function Lists({ top, current }: { readonly top: TopTokens; readonly current: Chosen["name"] }) {
  return (
    <nav class="pills" aria-label="Put together">
      {LISTS.map(({ name, title }) => (
        <a
          key={name}
          href={makeHref({
            params: { by: name === "occurrence" ? undefined : name, "tokens-sort": undefined },
          })}
          aria-current={name === current ? "true" : undefined}
        >
          {title}{" "}
          <small>
            {formatCount(name === "occurrence" ? top.occurrences.length : selectGroups(top, name).length)}
          </small>
        </a>
      ))}
    </nav>
  );
}

function Find({ noun, isFiltered }: { readonly noun: string; readonly isFiltered: boolean }) {
  const id = useId();
  const { find = "" } = route.value.params;
  const toFind = { describe: "find tokens", run: () => document.getElementById(id)?.focus() };
  // Where there is a filter box, the key is its.
  useKeys(isFiltered ? {} : { "/": toFind });
  return (
    <label class="find">
      Find{" "}
      <input
        id={id}
        type="search"
        value={find}
        spellcheck={false}
        placeholder={isFiltered ? "token, context, place, #id" : noun}
        onInput={({ currentTarget: { value } }) =>
          navigate({ params: { find: value === "" ? undefined : value } }, { replace: true })
        }
      />
    </label>
  );
}

function Counts({ name, shown, all, busy, found, isNarrowed }: Chosen) {
  const isFiltered = name === "occurrence";
  return (
    <p class="counts" role="status">
      <strong>{formatCount(shown.length)}</strong> of {formatCount(all.length)}
      {isFiltered && (busy ? <span class="loading"> · looking through the tokens …</span> : whose(found))}
      {!isFiltered && isNarrowed && WHOLE_RUN}
    </p>
  );
}

function Nothing({ all, found, find }: Chosen) {
  const isEmpty = all.length === 0;
  return (
    <p class="nothing" role="status">
      {!isEmpty ? `Nothing has "${find}" in it.` : found !== undefined ? "No matching tokens." : EMPTY}
    </p>
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
