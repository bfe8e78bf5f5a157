/**
 * Describes what is not understood in an address, so that no link silently shows something else.
 *
 * @module
 */
import { printable } from "../../../src/render/text/index.ts";
import { tokenMetricNamed } from "../../../src/results/metrics/token-metrics.ts";
import type { RunInfo } from "../../../src/results/view.ts";
import { PALETTES } from "../ui/color-scale.ts";
import { isSortKey } from "./sequence-order.ts";
import { parseSteps } from "./step-range.ts";
import type { Arrival, Route } from "./url.ts";

/** Parameters that take one of a few words; FORMS are those that take another form, TEXTS those that take any text. */
const WORDS: Readonly<Record<string, string>> = {
  by: "occurrence token class position turn",
  layout: "rows groups matrix",
  cell: "max mean",
  metric: "delta rho k3 dp entropy advantage impact logp trainer",
  mode: "reading exact ids",
  numbers: "on",
  palette: PALETTES.join(" "),
  scale: "run",
  align: "index turns own",
  axis: "auto log linear token sum mean",
  run: "b",
  live: "1",
  zoom: "1",
  rank: "gradient raw",
  "find-as": "text",
};
const PLACES = /^\d+([_,]\d+)*$/;
const FORMS: Readonly<Record<string, readonly [RegExp, example: string]>> = {
  steps: [/^-?\d+(\.\.-?\d+)?$/, "30 or 10..30"],
  near: [/^\d*\.?\d+(e-?\d+)?$/, "0.5"],
  peek: [/^\d+$/, "12"],
  pins: [PLACES, "3_14"],
  toggled: [PLACES, "3_14"],
  range: [/^\d+-\d+$/, "3-14"],
};
const TEXTS =
  "filter sort correction find sql enlarged with pair pairs at tokens-sort group-sort grouped-by open text-of slice smooth logged columns pinned bins prompt".split(
    " ",
  );

export const BY_ROW = "The address has row ";
const LEFT_OUT = ": it is left out.";

/** Names come from the address, so inherited properties must not count. */
function own<T>(of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Undefined if the parameter is understood. */
function describeParam([name, value]: [string, string]): string | undefined {
  const shown = `${printable(name)}=${printable(value)}`;
  const words = own(WORDS, name)?.split(" ");
  if (words !== undefined)
    return words.includes(value) ||
      (name === "metric" && (value.startsWith("policy:") || tokenMetricNamed(value) !== undefined))
      ? undefined
      : `${shown} is not one of ${words.join(", ")}${LEFT_OUT}`;
  const [form, example] = own(FORMS, name) ?? [];
  if (form !== undefined)
    return form.test(value) ? undefined : `${shown} is not like ${name}=${example}${LEFT_OUT}`;
  if (name === "sort" && !isSortKey(value.replace(/^-/, "")))
    return `${shown} names no column to sort by${LEFT_OUT}`;
  return TEXTS.includes(name) ? undefined : `${shown} means nothing here${LEFT_OUT}`;
}

/** @param info undefined on pages of a study */
export function describeAddress(
  { params }: Pick<Route, "params">,
  { version, row }: Arrival,
  info?: Pick<RunInfo, "steps" | "sequences">,
): string[] {
  const range = parseSteps(params.steps ?? "");
  const [first, last] = [info?.steps[0], info?.steps.at(-1)];
  const isEmpty =
    range !== null && info !== undefined && !info.steps.some((step) => step >= range[0] && step <= range[1]);
  return [
    ...(version === undefined
      ? []
      : [
          `v=${printable(version)} is not the version of this page's addresses: it may have been another place.`,
        ]),
    ...(row !== undefined && params.run === undefined && info !== undefined && row < info.sequences
      ? [`${BY_ROW}${row} of the list instead of a handle: in another reading it is another answer.`]
      : []),
    ...(info === undefined ? [] : Object.entries(params).flatMap((param) => describeParam(param) ?? [])),
    ...(isEmpty
      ? [
          `No step lies in ${params.steps}: ${first === undefined ? "the run has none" : first === last ? `the run has ${first}` : `the run has ${first} to ${last}`}.`,
        ]
      : []),
  ];
}
