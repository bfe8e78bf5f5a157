/**
 * Where the mismatch is worst: turns, tokens in their context, sequences, each with a link.
 *
 * @module
 */

import type { FirstLook, PageMove } from "../../results/page.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { TokenOccurrence, TopTokens, WorstTurn } from "../../results/view.ts";
import { withRows } from "../document/rows.ts";
import {
  contextColumn,
  figureColumn,
  makeTable,
  metricColumn,
  type Table,
  textColumn,
} from "../document/table.ts";
import { formatCounted, formatNumber, formatProbability, formatSigned } from "../text/display/index.ts";
import { oneLine } from "../text/one-line.ts";
import { FIRST } from "./parts.ts";

const MOST = 50;
const OPENING_CHARACTERS = 32;

/** Turns, then tokens with the text around them. */
export function placeTables(top: TopTokens): Table[] {
  return [turnTable(chooseTurns(top)), tokenTable(top.occurrences.slice(0, MOST))];
}

/** Classes of tokens, each with its worst token. */
export function classTable({ by_class: groups }: TopTokens): Table {
  type Figure = "tokens" | "share_of_k3" | "delta_abs_mean" | "delta_abs_max" | "delta_mean";
  const of = (name: Figure): number[] => groups.map((group) => group[name]);
  const table = makeTable(
    "classes",
    "By class of token",
    [
      textColumn(
        "class",
        groups.map(({ label }) => label),
      ),
      metricColumn("tokens", of),
      figureColumn("of Σ k3", "share", of("share_of_k3"), { bars: true, worst: "most" }),
      metricColumn("delta_abs_mean", of, { worst: "most" }),
      metricColumn("delta_abs_max", of, { worst: "most" }),
      metricColumn("delta_mean", of),
    ],
    "a class links to its worst token",
  );
  const links = groups.map(({ worst }): PageMove | null => worst && { view: "sequence", ...worst });
  return { ...withRows(table, groups), links };
}

/** The worst of each kind, to look at first. */
export function firstLooks(
  { worst_sequences: [sequence], gradient }: MismatchReport,
  top: TopTokens,
): FirstLook[] {
  const [[turn], [token]] = [chooseTurns(top), top.occurrences];
  const heaviest = gradient?.worst_tokens[0];
  /** The text of a place that has one of the furthest tokens: the first of these is its worst token. */
  const around = (isMeant: (handle: string) => boolean): Pick<FirstLook, "context"> => {
    const found = top.occurrences.find(({ handle, text }) => text !== null && isMeant(handle));
    return found === undefined ? {} : { context: formatContext(found) };
  };
  return [
    ...(turn === undefined
      ? []
      : [
          {
            label: "Worst turn",
            place: formatPlace(turn),
            move: toTurn(turn),
            text: `${describeSize(turn, top)} over ${formatCounted(turn.tokens, "token")}`,
            ...(turn.opening !== null && { context: ["", "", formatOpening(turn)] as const }),
          },
        ]),
    ...(token === undefined
      ? []
      : [
          {
            label: "Worst token",
            place: token.handle,
            move: toToken(token),
            text: `Δ ${formatSigned(token.delta)}: p ${probability(token.rollout_logprob)} in rollout, ${probability(token.trainer_logprob)} in trainer`,
            ...(token.text !== null && { context: formatContext(token) }),
          },
        ]),
    ...(sequence === undefined
      ? []
      : [
          {
            label: "Worst sequence",
            place: sequence.handle,
            text: `ΣΔ ${formatSigned(sequence.delta_sum)} nats, the largest |ΣΔ|: mean |Δ| ${formatNumber(sequence.delta_abs_mean)} over ${formatCounted(sequence.tokens, "token")}`,
            ...around((handle) => handle.startsWith(`${sequence.handle}.t`)),
          },
        ]),
    ...(heaviest === undefined
      ? []
      : [
          {
            label: "Worst for the gradient",
            place: heaviest.handle,
            text: `A·(ρ − 1) ${formatSigned(heaviest.impact)}: advantage ${formatSigned(heaviest.advantage)}, Δ ${formatSigned(heaviest.delta)}`,
            ...around((handle) => handle === heaviest.handle),
          },
        ]),
  ];
}

/** Turns by their means, or by their largest |Δ| in runs whose turns are all too short for a mean. */
function chooseTurns({ turns: { by_mean, by_max } }: TopTokens): readonly WorstTurn[] {
  return by_mean.length > 0 ? by_mean : by_max;
}

/** Describes a turn by the figure that ranks the turns. */
function describeSize(turn: WorstTurn, { turns }: TopTokens): string {
  return turns.by_mean.length > 0
    ? `mean |Δ| ${formatNumber(turn.delta_abs_mean)}`
    : `largest |Δ| ${formatNumber(turn.delta_abs_max)}`;
}

function turnTable(turns: readonly WorstTurn[]): Table {
  const hasTexts = turns.some(({ opening }) => opening !== null);
  const table = makeTable("worst-turns", "Worst turns", [
    textColumn("turn", turns.map(formatPlace)),
    figureColumn(
      "tokens",
      "count",
      turns.map(({ tokens }) => tokens),
    ),
    metricColumn("delta_abs_mean", () => turns.map((turn) => turn.delta_abs_mean), { bars: true }),
    metricColumn("delta_abs_max", () => turns.map((turn) => turn.delta_abs_max), { worst: "most" }),
    ...(hasTexts ? [textColumn("begins", turns.map(formatOpening))] : []),
  ]);
  return { ...withRows(table, turns), links: turns.map(toTurn), first: FIRST };
}

function tokenTable(tokens: readonly TokenOccurrence[]): Table {
  const hasTexts = tokens.some(({ text }) => text !== null);
  const table = makeTable("worst-tokens", "Worst tokens", [
    textColumn(
      "handle",
      tokens.map(({ handle }) => handle),
    ),
    ...(hasTexts
      ? []
      : [
          figureColumn(
            "token id",
            "id",
            tokens.map((token) => token.token_id),
          ),
        ]),
    figureColumn(
      "Δ",
      "signed",
      tokens.map(({ delta }) => delta),
    ),
    textColumn(
      "p rollout",
      tokens.map((token) => probability(token.rollout_logprob)),
      { align: "right" },
    ),
    textColumn(
      "p trainer",
      tokens.map((token) => probability(token.trainer_logprob)),
      { align: "right" },
    ),
    ...(hasTexts
      ? [
          contextColumn(
            "in its text",
            tokens.map((token) => (token.text === null ? null : formatContext(token))),
          ),
        ]
      : []),
  ]);
  return { ...withRows(table, tokens), links: tokens.map(toToken), first: FIRST };
}

function toTurn({ sequence, first }: WorstTurn): PageMove {
  return { view: "sequence", sequence, token: first };
}

function toToken({ sequence, token }: TokenOccurrence): PageMove {
  return { view: "sequence", sequence, token };
}

function formatPlace({ handle, turn }: WorstTurn): string {
  return `${handle} turn ${turn}`;
}

function formatOpening({ opening }: WorstTurn): string {
  const characters = [...oneLine((opening ?? "").trim())];
  return characters.length > OPENING_CHARACTERS
    ? `${characters.slice(0, OPENING_CHARACTERS).join("")}…`
    : characters.join("");
}

function formatContext({ before, text, after }: TokenOccurrence): readonly [string, string, string] {
  return [
    oneLine([...(before ?? "")].slice(-OPENING_CHARACTERS).join("")),
    oneLine(text ?? ""),
    oneLine([...(after ?? "")].slice(0, OPENING_CHARACTERS).join("")),
  ];
}

function probability(logprob: number): string {
  return formatProbability(Math.exp(logprob));
}
