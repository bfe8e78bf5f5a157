import { addCondition, parseFilter } from "../../../../src/analyses/filter/index.ts";
import {
  formatCount,
  formatNumber,
  formatShare,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { TokenGroup } from "../../../../src/results/view.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { type TableColumn, type TableSort, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import type { GroupList } from "./choose.ts";
import { visibleText } from "./visible-text.ts";

/** Tokens grouped by identity or by position. */
export function Groups({
  list,
  noun,
  items,
  whole,
  sort,
  onSort,
}: {
  readonly list: GroupList;
  readonly noun: string;
  readonly items: readonly TokenGroup[];
  /** Describes all tokens in the groups. */
  readonly whole: string;
  readonly sort: TableSort | undefined;
  readonly onSort: (key: string) => void;
}) {
  const most = Math.max(...items.map(({ share_of_k3 }) => share_of_k3));
  return (
    <VirtualTable
      label={`Tokens by ${list}`}
      noun={noun}
      columns={columnsFor(list, whole, most)}
      count={items.length}
      row={(at) => items[at]!}
      sort={sort}
      onSort={onSort}
      onOpen={({ worst }) => worst && navigate({ view: "sequence", ...worst })}
    />
  );
}

const TITLES: Readonly<Record<GroupList, string>> = {
  token: "Token",
  class: "Class",
  position: "Part of the response",
  turn: "Turn",
};

function columnsFor(list: GroupList, whole: string, most: number): TableColumn<TokenGroup>[] {
  return [
    {
      key: "label",
      title: TITLES[list],
      width: 220,
      sortable: true,
      cell: ({ label }) =>
        list === "token" ? (
          <mark>
            <bdi>{visibleText(label)}</bdi>
          </mark>
        ) : (
          label
        ),
    },
    {
      ...figure("tokens", "tokens", `of ${whole}; the link lists the most divergent`, ({ tokens }) =>
        formatCount(tokens),
      ),
      cell: ({ term, tokens }) =>
        term === null ? formatCount(tokens) : <a href={hrefWith(term)}>{formatCount(tokens)}</a>,
    },
    figure("mean", RUN_METRICS.delta_mean.label, "nats", ({ delta_mean }) => formatSigned(delta_mean)),
    figure("abs", RUN_METRICS.delta_abs_mean.label, "nats", ({ delta_abs_mean }) =>
      formatNumber(delta_abs_mean),
    ),
    {
      ...figure(
        "worst",
        RUN_METRICS.delta_abs_max.label,
        "nats; the link goes to the text",
        ({ delta_abs_max }) => formatNumber(delta_abs_max),
      ),
      cell: ({ delta_abs_max, worst }) =>
        worst === null ? (
          formatNumber(delta_abs_max)
        ) : (
          <a href={makeHref({ view: "sequence", ...worst })} title="show in the text">
            {formatNumber(delta_abs_max)}
          </a>
        ),
    },
    {
      key: "k3",
      title: "share of k3",
      help: `of Σk3 of ${whole}`,
      width: 220,
      sortable: true,
      cell: ({ share_of_k3 }) => (
        <span class="share">
          <i style={{ inlineSize: `${most > 0 ? (share_of_k3 / most) * 100 : 0}px` }} />{" "}
          {formatShare(share_of_k3)}
        </span>
      ),
    },
  ];
}

/** The list of single tokens under the current filter and this term. */
function hrefWith(term: string): string {
  const filter = addCondition(parseFilter(route.value.params.filter ?? ""), term);
  return makeHref({
    params: { by: undefined, find: undefined, "tokens-sort": undefined, filter },
  });
}

function figure(
  key: string,
  title: string,
  help: string,
  cell: (group: TokenGroup) => string,
): TableColumn<TokenGroup> {
  return { key, title, help, width: 104, align: "end", sortable: true, cell };
}
