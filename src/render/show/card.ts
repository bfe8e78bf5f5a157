import {
  formatId,
  formatNearOne,
  formatNumber,
  formatPair,
  formatProbability,
  formatSigned,
  MISSING,
} from "../../core/text/index.ts";
import type { ShowCandidate, ShowCard, ShowMetric, ShowReport, ShowShare } from "../../results/show.ts";
import type { Block } from "../document/document.ts";
import { makeTable, type Table, type TableColumn, textColumn } from "../document/table.ts";
import { showValue } from "./levels.ts";

/** Longer texts of a token are cut to fit a line. */
const MOST_TEXT = 40;
const MOST_BYTES = 16;

/** Everything about one token. */
export function cardBlocks(card: ShowCard, { metric, policies }: ShowReport): Block[] {
  const values = policies === undefined ? valuesTable(card) : withoutAbsent(valuesTable(card));
  return [
    { kind: "text", text: placeParts(card).join(" · ") },
    { kind: "table", table: values },
    { kind: "text", text: otherParts(card, metric).join(" · ") },
    card.alternatives === null
      ? { kind: "text", text: "no alternatives: the input has no top-k lists for this token", muted: true }
      : { kind: "table", table: alternativesTable(card) },
  ];
}

/** A token's text between quotation marks, on one line. */
export function quoted({ text, kind }: { readonly text: string | null; readonly kind?: string }): string {
  if (text === null) return "";
  if (kind === "id") return text;
  const characters = [...text.slice(0, 2 * MOST_TEXT)];
  const rest = text.length - characters.slice(0, MOST_TEXT).join("").length;
  return `${JSON.stringify(characters.slice(0, MOST_TEXT).join(""))}${rest > 0 ? ` +${rest}` : ""}`;
}

function placeParts(card: ShowCard): string[] {
  const bytes = card.bytes.split(" ").filter((byte) => byte !== "");
  const more = bytes.length > MOST_BYTES ? ` … (${bytes.length})` : "";
  return [
    `id ${formatId(card.id)}`,
    bytes.length === 0 ? "no bytes of its own" : `bytes ${bytes.slice(0, MOST_BYTES).join(" ")}${more}`,
    card.turn === null
      ? "not sampled by the policy, so left out of all figures"
      : `turn ${card.turn}, its token ${card.turn_token}`,
    ...(card.weight_version === null ? [] : [`weights ${card.weight_version}`]),
  ];
}

function valuesTable(card: ShowCard): Table {
  const rows: [string, string, string, string][] = [];
  const pair = (
    name: string,
    rollout: number | null,
    trainer: number | null,
    difference: number | null,
    [left, right] = formatPair(rollout, trainer),
  ): void => {
    rows.push([name, left, right, formatSigned(difference)]);
  };
  pair("log p", card.rollout_logprob, card.trainer_logprob, card.delta);
  const both = [card.rollout_probability, card.trainer_probability] as const;
  pair("p", ...both, card.probability_difference, [formatProbability(both[0]), formatProbability(both[1])]);
  const { rollout_entropy: rollout, trainer_entropy: trainer } = card;
  if (rollout !== null || trainer !== null) {
    pair("entropy", rollout, trainer, rollout === null || trainer === null ? null : trainer - rollout);
  }
  for (const [name, logprob] of Object.entries(card.policy_logprobs)) {
    const apart = logprob === null || card.trainer_logprob === null ? null : card.trainer_logprob - logprob;
    rows.push([`log p ${name}`, formatNumber(logprob), "", `${formatSigned(apart)} (trainer − ${name})`]);
  }
  return alignedTable("values", "", rows, [
    ["", "left"],
    ["rollout", "right"],
    ["trainer", "right"],
    ["trainer − rollout", "left"],
  ]);
}

/** With one policy, the other's column and the difference are empty and left out. */
function withoutAbsent(table: Table): Table {
  const isAbsent = ({ header, cells }: TableColumn): boolean =>
    header !== "" && cells.every((cell) => cell === "" || cell.startsWith(MISSING));
  return { ...table, columns: table.columns.filter((column) => !isAbsent(column)) };
}

function otherParts(card: ShowCard, metric: ShowMetric): string[] {
  const isShown = new Set(["delta", "rho", "k3", "dp", "logp", "trainer"]).has(metric.name);
  return [
    ...(card.rho === null ? [] : [`ρ ${formatNearOne(card.rho)}`]),
    ...(card.k3 === null ? [] : [`k3 ${formatNumber(card.k3)}`]),
    ...(card.advantage === null ? [] : [`advantage ${formatSigned(card.advantage)}`]),
    ...(isShown || card.value === null ? [] : [`${metric.title} ${showValue(card.value, metric)}`]),
  ];
}

function alternativesTable(card: ShowCard): Table {
  const { candidates, rollout_k, trainer_k, rollout_rest, trainer_rest } = card.alternatives!;
  const rows = candidates.map((one): string[] => [
    one.sampled ? ">" : "",
    quoted(one) || MISSING,
    formatId(one.id),
    probability(one.rollout),
    formatRank(one, one.rollout, rollout_k),
    probability(one.trainer),
    formatRank(one, one.trainer, trainer_k),
  ]);
  const rest = (value: number | null): string => (value === null ? "" : formatProbability(value));
  const table = alignedTable(
    "alternatives",
    "Alternatives",
    [...rows, ["", "all others", "", rest(rollout_rest), "", rest(trainer_rest), ""]],
    [
      ["", "left"],
      ["token", "left"],
      ["id", "right"],
      ["p rollout", "right"],
      ["rank", "left"],
      ["p trainer", "right"],
      ["rank", "left"],
    ],
  );
  const bars = (side: "rollout" | "trainer"): number[] => [
    ...candidates.map(({ [side]: share }) =>
      share === null || share.at_most ? Number.NaN : share.probability,
    ),
    Number.NaN,
  ];
  const columns = table.columns.map((column, at): TableColumn => {
    if (at === 3) return { ...column, bars: bars("rollout") };
    return at === 5 ? { ...column, bars: bars("trainer") } : column;
  });
  return { ...table, columns };
}

function probability(share: ShowShare | null): string {
  if (share === null) return MISSING;
  return `${share.at_most ? "≤ " : ""}${formatProbability(share.probability)}`;
}

function formatRank({ sampled }: ShowCandidate, share: ShowShare | null, k: number | null): string {
  if (share === null || k === null) return "";
  if (share.rank !== null) return String(share.rank);
  return sampled || share.at_most ? `not in top ${k}` : "";
}

function alignedTable(
  id: string,
  title: string,
  rows: readonly (readonly string[])[],
  columns: readonly (readonly [string, "left" | "right"])[],
): Table {
  const written = columns.map(([header, align], at) =>
    textColumn(
      header,
      rows.map((cells) => cells[at] ?? ""),
      { align },
    ),
  );
  return makeTable(id, title, written);
}
