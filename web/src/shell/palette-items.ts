/**
 * What the palette finds: views, steps, sequences, groups, commands.
 *
 * @module
 */

import { quoted } from "../../../src/analyses/filter/index.ts";
import {
  COLORING_METRICS,
  TOKEN_METRICS,
  type TokenMetricName,
} from "../../../src/results/metrics/token-metrics.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";
import { formatSequenceHandle, moveToHandle } from "../state/handles.ts";
import type { Move } from "../state/url.ts";
import { bestMatches } from "./fuzzy.ts";

export interface PaletteItem {
  readonly key: string;
  readonly kind:
    | "view"
    | "command"
    | "metric"
    | "checkpoint"
    | "step"
    | "sequence"
    | "group"
    | "token"
    | "filter"
    | "star"
    | "export"
    | "prompt";
  readonly label: string;
  readonly hint: string;
  /** Further words that find the item. */
  readonly words?: string;
  readonly move?: Move;
  readonly run?: () => void;
}

const MOST = 40;
const LIKE_HANDLE = /^(s-?\d+|r\d+|q\d+)(\.|$)/;
/** An empty query shows this many of each kind, so that every kind is seen. */
const MOST_OF_KIND = 4;

/**
 * The best answers to a query. Sequences are found by handle, sample and group; they are made into items only once
 * they are among the best, since there may be a hundred thousand.
 */
export function searchItems(
  query: string,
  fixed: readonly PaletteItem[],
  table: SequenceTable | undefined,
): PaletteItem[] {
  const asked = query.trim();
  if (asked === "")
    return fixed.filter(({ kind }, index) => rankOfKind(fixed, kind, index) < MOST_OF_KIND * 2);
  const named = bestMatches(asked, fixed, joinText, MOST);
  if (table === undefined) return named;
  const sequences = sequenceItems(asked, table);
  // A handle names a sequence; if its letters also occur in a step's name, that is an accident.
  return (LIKE_HANDLE.test(asked) ? [...sequences, ...named] : [...named, ...sequences]).slice(0, MOST);
}

/** The text that queries are matched with, including the notes of stars and the text of saved filters. */
function joinText({ label, kind, hint, words = "" }: PaletteItem): string {
  return `${label} ${kind} ${words}${kind === "star" || kind === "filter" ? ` ${hint}` : ""}`;
}

function rankOfKind(items: readonly PaletteItem[], kind: PaletteItem["kind"], index: number): number {
  let rank = 0;
  for (let at = 0; at < index; at++) if (items[at]?.kind === kind) rank += 1;
  return rank;
}

/** What tokens can be colored by, under the names that the view of a sequence has in the address. */
export function metricItems({ entropies, has, policies }: RunInfo): PaletteItem[] {
  const own = [
    "delta",
    "rho",
    ...COLORING_METRICS,
    ...(entropies.length > 0 ? (["entropy"] as const) : []),
  ] as const;
  const titled = (name: TokenMetricName): readonly [string, string] => [name, TOKEN_METRICS[name].title];
  const names: readonly (readonly [string, string])[] = [
    ...own.map(titled),
    ...(has.advantages ? [titled("advantage"), ["impact", "A·(ρ − 1)"] as const] : []),
    titled("logp"),
    titled("trainer"),
    ...policies.map((name) => [`policy:${name}`, `difference to ${name}`] as const),
  ];
  return names.map(([metric, label]) => ({
    key: `metric ${metric}`,
    kind: "metric",
    label,
    hint: "colors the tokens",
    move: { params: { metric } },
  }));
}

/** Checkpoints by which a study's text can be colored. */
export function checkpointItems({ checkpoints }: StudyInfo): PaletteItem[] {
  return checkpoints.map((name) => ({
    key: `checkpoint ${name}`,
    kind: "checkpoint",
    label: name,
    hint: "colors texts, sorts their list",
    move: { view: "checkpoints", params: { checkpoint: name } },
  }));
}

export function stepItems({ steps }: RunInfo): PaletteItem[] {
  return steps.map((step) => ({
    key: `step ${step}`,
    kind: "step",
    label: `step ${step}`,
    hint: "its sequences",
    move: { view: "sequences", token: undefined, params: { steps: `${step}..${step}` } },
  }));
}

function sequenceItems(query: string, table: SequenceTable): PaletteItem[] {
  const { sample, group } = table.texts;
  const textAt = (column: typeof sample, index: number): string =>
    column.values[column.codes[index] ?? -1] ?? "";
  const needle = query.toLowerCase();
  const found: number[] = [];
  for (let index = 0; index < table.length && found.length < MOST; index++) {
    const handle = formatSequenceHandle(table, index);
    if (handle.startsWith(needle) || textAt(sample, index).toLowerCase().includes(needle)) found.push(index);
  }
  const groups = group.values
    .filter((name) => name.toLowerCase().includes(needle))
    .slice(0, MOST_OF_KIND)
    .map(
      (name): PaletteItem => ({
        key: `group ${name}`,
        kind: "group",
        label: name,
        hint: "all sequences of this group",
        move: { view: "sequences", token: undefined, params: { filter: `group=${quoted(name)}` } },
      }),
    );
  const exact = moveToHandle(table, query);
  const token: PaletteItem[] =
    exact?.token === undefined
      ? []
      : [{ key: query, kind: "token", label: query, hint: "this token in its text", move: exact }];
  const sequences = found.map(
    (index): PaletteItem => ({
      key: `sequence ${index}`,
      kind: "sequence",
      label: formatSequenceHandle(table, index),
      hint: [textAt(sample, index), textAt(group, index)].filter((text) => text !== "").join(" · "),
      move: { view: "sequence", sequence: index, token: undefined },
    }),
  );
  return [...token, ...groups, ...sequences];
}
