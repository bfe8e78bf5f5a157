/**
 * Single digits and answers, with the text around them where it is known.
 *
 * @module
 */
import type { DigitExample, DigitsReport, DigitTruth } from "../../results/digits.ts";
import type { PagePlace } from "../../results/page.ts";
import { withRows } from "../document/rows.ts";
import { contextColumn, figureColumn, makeTable, type Table, textColumn } from "../document/table.ts";
import { placeName } from "./content.ts";

/** The targets of handles on the viewer's page, and the text there. */
export type DigitPlaces = ReadonlyMap<string, PagePlace>;

/** Number of rows shown at first. */
const FIRST = 5;

/** Handles of all tokens named in these tables. */
export function exampleHandles({ least_sure, widest_gaps, truth }: DigitsReport): string[] {
  return [...least_sure, ...widest_gaps, ...(truth?.surest_wrong ?? [])].map(({ handle }) => handle);
}

/** Digits that the policy was least sure of, and those on which the policies differ most. */
export function exampleTables(report: DigitsReport, places?: DigitPlaces): Table[] {
  const { policy, least_sure, widest_gaps } = report;
  return [
    exampleTable("least-sure", `Digits the ${policy} policy was least sure of`, least_sure, places),
    exampleTable("widest-gaps", "Digits where the policies differ most", widest_gaps, places),
  ];
}

function exampleTable(
  id: string,
  title: string,
  examples: readonly DigitExample[],
  places: DigitPlaces | undefined,
): Table {
  const hasTrainer = examples.some(({ trainer_logprob: logprob }) => logprob !== null);
  const table = makeTable(id, title, [
    textColumn(
      "token",
      examples.map(({ handle }) => handle),
    ),
    textColumn(
      "digit",
      examples.map(({ digit }) => String(digit)),
      { align: "right" },
    ),
    textColumn(
      "in",
      examples.map(({ number }) => number),
      { align: "right" },
    ),
    textColumn(
      "place",
      examples.map(({ place }) => placeName(place)),
      { priority: 2 },
    ),
    figureColumn(
      "p rollout",
      "number",
      examples.map(({ rollout_logprob: logprob }) => Math.exp(logprob)),
      { priority: 1 },
    ),
    ...(hasTrainer
      ? [
          figureColumn(
            "p trainer",
            "number",
            examples.map(({ trainer_logprob: logprob }) => (logprob === null ? null : Math.exp(logprob))),
            { priority: 1 },
          ),
          figureColumn(
            "Δ",
            "signed",
            examples.map(({ rollout_logprob: own, trainer_logprob: other }) => other && other - own),
            { priority: 3 },
          ),
        ]
      : []),
  ]);
  return atPlaces(table, examples, places);
}

/** Answers that are wrong, and how sure the policy was. */
export function surestWrongTable(
  { surest_wrong: wrong }: DigitTruth,
  policy: DigitsReport["policy"],
  places: DigitPlaces | undefined,
): Table {
  const table = makeTable("surest-wrong", `Wrong answers the ${policy} policy was most sure of`, [
    textColumn(
      "token",
      wrong.map(({ handle }) => handle),
    ),
    textColumn(
      "answer",
      wrong.map(({ answer }) => answer),
      { align: "right" },
    ),
    textColumn(
      "truth",
      wrong.map(({ truth: right }) => right),
      { align: "right" },
    ),
    figureColumn(
      "p",
      "number",
      wrong.map(({ rollout_logprob: logprob }) => Math.exp(logprob)),
    ),
  ]);
  return atPlaces(table, wrong, places);
}

/** Adds the text around each token, and a link from its first cell. */
function atPlaces(
  table: Table,
  items: readonly { readonly handle: string }[],
  places: DigitPlaces | undefined,
): Table {
  const whole = { ...withRows(table, items), first: FIRST };
  if (places === undefined) return whole;
  const found = items.map(({ handle }) => places.get(handle));
  return {
    ...whole,
    columns: [
      ...table.columns,
      contextColumn(
        "context",
        found.map((one) => one?.context ?? null),
      ),
    ],
    links: found.map((one) => one?.move ?? null),
  };
}
