import { useMemo } from "preact/hooks";
import { parseFilter } from "../../../../src/analyses/filter/index.ts";
import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo, TopTokens } from "../../../../src/results/view.ts";
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
  type ListName,
  OCCURRENCE_ORDERS,
  occurrencesWith,
  ordered,
  selectGroups,
} from "./choose.ts";
import { Groups } from "./groups.tsx";
import { Occurrences } from "./occurrences.tsx";
import "./style.css";

/**
 * The most divergent tokens of the run, or of chosen steps and a filter; the address has `by`, `find`, `tokens-sort`.
 */
export function TokensView({ info }: ViewProps) {
  return <WhenLoaded of={topTokens()}>{(top) => <Tokens info={info} top={top} />}</WhenLoaded>;
}

function Tokens({ info, top }: { readonly info: RunInfo; readonly top: TopTokens }) {
  const chosen = useChosen(info, top);
  const { list, name, parsed, refusal, occurrences, groups, shown, counts } = chosen;
  const tableSort = readSort(route.value.params["tokens-sort"]);
  const onSort = (key: string): void => navigate({ params: { "tokens-sort": sortBy(key, tableSort) } });
  return (
    <div class="tokens-view">
      <h1>Most divergent tokens</h1>
      <div class="controls">
        <FilterBox filter={parsed} what="tokens">
          {refusal !== undefined && <p>{refusal}</p>}
        </FilterBox>
        <Lists counts={counts} current={name} />
        <Find isOfPlaces={name === "occurrence"} noun={list.noun} />
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
          <Groups
            list={name}
            noun={list.noun}
            items={groups}
            whole={chosen.whole}
            sort={tableSort}
            onSort={onSort}
          />
        )}
      </div>
    </div>
  );
}

type Chosen = ReturnType<typeof useChosen>;

/** What the address asks for: single tokens or groups, among those that match filter and steps. */
function useChosen(info: RunInfo, top: TopTokens) {
  const { by, find = "", filter, steps, "tokens-sort": sort } = route.value.params;
  const list = LISTS.find((each) => each.name === by) ?? LISTS[0];
  const { name } = list;
  const parsed = useMemo(() => parseFilter(filter ?? ""), [filter]);
  const kind = name === "occurrence" ? "tokens" : "groups";
  const { found, busy, refusal } = useMatchingTokens(kind, parsed, steps, info);
  const places = found && "occurrences" in found ? found : undefined;
  const sums = found && "by_token" in found ? found : undefined;
  const furthest = places?.occurrences ?? top.occurrences;
  const all = name === "occurrence" ? furthest : selectGroups(sums ?? top, name);
  const occurrences = ordered(occurrencesWith(furthest, find), OCCURRENCE_ORDERS, sort);
  const groups =
    name === "occurrence"
      ? []
      : ordered(groupsWith(selectGroups(sums ?? top, name), find), GROUP_ORDERS, sort);
  const isNarrowed = (steps ?? filter) !== undefined;
  const isWhole = (name === "occurrence" ? places : sums) === undefined;
  return {
    list,
    name,
    parsed,
    find,
    found,
    busy,
    refusal,
    all,
    occurrences,
    groups,
    shown: name === "occurrence" ? occurrences : groups,
    /** What the groups' figures are computed over. */
    whole: isWhole ? "the run" : "the matching tokens",
    isWholeUnasked: isNarrowed && isWhole,
    counts: countLists(isNarrowed ? { ...sums, ...places } : top),
  };
}

/** Lengths of the loaded lists: groups come with one answer, occurrences with another. */
function countLists(known: Partial<TopTokens>): Partial<Record<ListName, number>> {
  const { occurrences, by_token: token, by_class: classes, by_position: position, by_turn: turn } = known;
  const lists = { occurrence: occurrences, token, class: classes, position, turn };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, list]) => (list === undefined ? [] : [[name, list.length]])),
  );
}

function readSort(sort: string | undefined): TableSort | undefined {
  return sort === undefined ? undefined : { key: sort.replace(/^-/, ""), descending: sort.startsWith("-") };
}

/** The sort parameter: figures start descending, texts ascending. */
function sortBy(key: string, now: TableSort | undefined): string {
  const isTextual = key === "label" || key === "text";
  const descending = now?.key === key ? !now.descending : !isTextual;
  return `${descending ? "-" : ""}${key}`;
}

function Lists({ counts, current }: { readonly counts: Chosen["counts"]; readonly current: ListName }) {
  return (
    <nav class="pills" aria-label="Group by">
      {LISTS.map(({ name, title }) => (
        <a
          key={name}
          href={makeHref({
            params: { by: name === "occurrence" ? undefined : name, "tokens-sort": undefined },
          })}
          aria-current={name === current ? "true" : undefined}
        >
          {title} {counts[name] !== undefined && <small>{formatCount(counts[name])}</small>}
        </a>
      ))}
    </nav>
  );
}

function Find({ noun, isOfPlaces }: { readonly noun: string; readonly isOfPlaces: boolean }) {
  const { find = "" } = route.value.params;
  return (
    <label class="find">
      Find{" "}
      <input
        type="search"
        value={find}
        spellcheck={false}
        placeholder={isOfPlaces ? "token, context, place, #id" : noun}
        onInput={({ currentTarget: { value } }) =>
          navigate({ params: { find: value === "" ? undefined : value } }, { replace: true })
        }
      />
    </label>
  );
}

function Counts({ name, shown, all, busy, found, isWholeUnasked }: Chosen) {
  return (
    <p class="counts" role="status">
      <strong>{formatCount(shown.length)}</strong> of {formatCount(all.length)}
      {busy ? (
        <span class="loading"> · searching the tokens …</span>
      ) : isWholeUnasked ? (
        WHOLE_RUN
      ) : (
        describeSource(name, found)
      )}
    </p>
  );
}

function Nothing({ all, found, find }: Chosen) {
  const isEmpty = all.length === 0;
  return (
    <p class="nothing" role="status">
      {!isEmpty ? `Nothing contains "${find}".` : found !== undefined ? "No matching tokens." : EMPTY}
    </p>
  );
}

function describeSource(name: ListName, found: Chosen["found"]): string {
  const what = name === "occurrence" ? "the largest |Δ| of " : "";
  if (found === undefined) return what && `, ${what}the run`;
  return `, ${what || "of "}the ${formatCount(found.tokens)} in ${formatCounted(found.sequences, "sequence")} that match`;
}

/**
 * Shown if a bundle cannot apply the choice or the filter is refused: figures must not silently change their meaning.
 */
const WHOLE_RUN = " of the whole run";

const EMPTY = "Nothing to list: no token has both log-probs, or nothing is known to group tokens by.";

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
