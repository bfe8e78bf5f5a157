import {
  formatId,
  formatNumber,
  formatProbability,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import type { TokenOccurrence } from "../../../../src/results/view.ts";
import { navigate } from "../../state/url.ts";
import { MoveLink } from "../../ui/place-link.tsx";
import { type TableColumn, type TableSort, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { quietText, visibleText } from "./visible-text.ts";

/** The most divergent tokens, one by one. */
export function Occurrences({
  items,
  sort,
  onSort,
}: {
  readonly items: readonly TokenOccurrence[];
  readonly sort: TableSort | undefined;
  readonly onSort: (key: string) => void;
}) {
  return (
    <VirtualTable
      label="Most divergent tokens"
      noun="token"
      columns={COLUMNS}
      count={items.length}
      row={(at) => items[at]!}
      sort={sort}
      onSort={onSort}
      onOpen={({ sequence, token }) => navigate({ view: "sequence", sequence, token })}
    />
  );
}

const COLUMNS: readonly TableColumn<TokenOccurrence>[] = [
  {
    key: "handle",
    title: "Place",
    help: "step, rank, sequence, response token; the link goes to the text",
    width: 150,
    cell: ({ handle, sequence, token }) => (
      <MoveLink move={{ view: "sequence", sequence, token }} text={handle} />
    ),
  },
  figure("size", "|Δ|", "distance between the two log-probs, nats", ({ delta }) =>
    formatNumber(Math.abs(delta)),
  ),
  {
    key: "text",
    title: "Token in its context",
    help: "spaces in the token are dots; sorts by token",
    width: 450,
    sortable: true,
    cell: Context,
    cellClass: () => "context",
  },
  figure("delta", "Δ", "log p_trainer − log p_rollout, nats", ({ delta }) => formatSigned(delta)),
  figure("rollout", "p rollout", "probability under the rollout policy", ({ rollout_logprob }) =>
    formatProbability(Math.exp(rollout_logprob)),
  ),
  figure("trainer", "p trainer", "probability under the trainer policy", ({ trainer_logprob }) =>
    formatProbability(Math.exp(trainer_logprob)),
  ),
  figure("turn", "turn", "turn of its sequence", ({ turn }) => formatId(turn)),
  figure("step", "step", "training step", ({ step }) => formatId(step)),
  {
    key: "correct",
    title: "answer",
    help: "whether its sequence is right",
    width: 80,
    sortable: true,
    cell: ({ correct }) => (correct === null ? "–" : correct > 0 ? "right" : "wrong"),
    cellClass: ({ correct }) => (correct === null ? undefined : correct > 0 ? "is-right" : "is-wrong"),
  },
];

function Context({ text, before, after, token_id }: TokenOccurrence) {
  return (
    <span class="token-context">
      <bdi class="before">{quietText(before ?? "")}</bdi>
      <mark title={`token ${token_id}`}>
        <bdi>{text === null ? `#${token_id}` : visibleText(text)}</bdi>
      </mark>
      <bdi class="after">{quietText(after ?? "")}</bdi>
    </span>
  );
}

function figure(
  key: string,
  title: string,
  help: string,
  cell: (item: TokenOccurrence) => string,
): TableColumn<TokenOccurrence> {
  return { key, title, help, width: 88, align: "end", sortable: true, cell };
}
