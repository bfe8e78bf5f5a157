/**
 * The page on digits, with the figures of `logratio digits`.
 *
 * @module
 */

import { digitTables, headlines, inputParts, lossTitle, placeName } from "../../../render/digits/index.ts";
import { figureColumn, flatRows, makeTable, type Table, textColumn } from "../../../render/document/index.ts";
import {
  type Figure,
  type FigureKind,
  formatCount,
  formatFigure,
  formatPair,
  formatShare,
  printable,
} from "../../../render/text/index.ts";
import type {
  DigitExample,
  DigitFigures,
  DigitGap,
  DigitsPage,
  DigitsReport,
  DigitTruth,
  PageColumn,
  PagePicture,
  PageTable,
  WrongAnswer,
} from "../../../results/index.ts";
import { digitCharts } from "./digit-charts.ts";
import { lossTable } from "./digit-losses.ts";
import { calibrationPicture, lossBars } from "./digit-pictures.ts";
import { pageColumn, pageTable } from "./page-table.ts";
import type { FoundToken } from "./token-contexts.ts";

/** Examples shown at first. */
const FIRST = 5;
/** A bin of the calibration with fewer says little. */
const LEAST_DIGITS = 10;

type Tokens = ReadonlyMap<string, FoundToken>;

/** Handles of all tokens that {@link digitsPage} wants the text of. */
export function exampleHandles({ least_sure, widest_gaps, truth }: DigitsReport): string[] {
  return [...least_sure, ...widest_gaps, ...(truth?.surest_wrong ?? [])].map(({ handle }) => handle);
}

export function digitsPage(report: DigitsReport, tokens: Tokens): DigitsPage {
  const tables = digitTables(report);
  const findTable = (id: string): Table | undefined => tables.find((table) => table.id === id);
  const { truth } = report;
  return {
    inputs: inputParts(report).map(printable),
    headlines: headlines(report).map(printable),
    policies: policies(report),
    metrics: flatRows([report.metrics]),
    sure: [...gapTable(report), ...correctnessTable(report, findTable("correctness"))],
    charts: digitCharts(report),
    groups: [
      ...group("By place value", findTable("places"), report.per_place, ({ place }) => placeName(place)),
      ...group("By sampled digit", findTable("digits"), report.per_digit, ({ digit }) => String(digit)),
    ],
    distributions: lossTable("digit-losses", lossTitle("sampled"), report.distributions),
    truth: truth && truthPart(truth, findTable, tokens),
    examples: [
      ...exampleTable("least-sure-digits", findTable("least-sure"), report.least_sure, tokens),
      ...exampleTable("widest-gaps-of-digits", findTable("widest-gaps"), report.widest_gaps, tokens),
    ],
    absent: report.absent,
  };
}

/** How sure each policy is, with enough digits to tell the two apart. */
function policies({ metrics }: DigitsReport): DigitsPage["policies"] {
  const { avg_digit_log_prob: rollout, trainer_avg_digit_log_prob: trainer } = metrics;
  const chances = formatPair(probability(rollout), probability(trainer));
  const averages = formatPair(rollout, trainer);
  const losses = formatPair(metrics.ntl_loss, metrics.trainer_ntl_loss);
  return (["rollout", "trainer"] as const).flatMap((name, at) =>
    name === "trainer" && trainer === null
      ? []
      : [
          {
            name,
            probability: chances[at]!,
            rest: `proxy NTL ${losses[at]} nats · average log-prob ${averages[at]}`,
          },
        ],
  );
}

function probability(logprob: number | null): number | null {
  return logprob === null ? null : Math.exp(logprob);
}

const GAPS: readonly (readonly [name: string, of: keyof DigitGap, kind: FigureKind])[] = [
  ["mean |Δ|", "delta_abs_mean", "number"],
  ["max |Δ|", "delta_abs_max", "number"],
  ["mean Δ", "delta_mean", "signed"],
  ["k3", "k3", "number"],
  ["mean |Δp|", "prob_diff_mean", "number"],
  ["max |Δp|", "prob_diff_max", "number"],
  ["tokens", "tokens", "count"],
];

/** The two policies on digits, and on everything else. */
function gapTable({ comparison }: DigitsReport): PageTable[] {
  if (comparison === null) return [];
  const { digits, others } = comparison;
  const cells = (gap: DigitGap): string[] => GAPS.map(([, of, kind]) => formatFigure(gap[of], kind));
  const table = makeTable("digits-and-other-tokens", "Between the policies", [
    textColumn(
      "",
      GAPS.map(([name]) => name),
    ),
    textColumn("digits", cells(digits), { align: "right" }),
    textColumn("other tokens", cells(others), { align: "right" }),
  ]);
  return [
    pageTable(table, {
      raw: flatRows([
        { tokens_of: "digits", ...digits },
        { tokens_of: "others", ...others },
      ]),
    }),
  ];
}

function correctnessTable(report: DigitsReport, table: Table | undefined): PageTable[] {
  const { right_sequences: right, wrong_sequences: wrong } = report;
  if (!table || !right || !wrong) return [];
  return [
    pageTable(table, {
      raw: flatRows([
        { sequences: "right", ...right },
        { sequences: "wrong", ...wrong },
      ]),
    }),
  ];
}

function group<One extends DigitFigures>(
  title: string,
  table: Table | undefined,
  figures: readonly One[],
  nameOf: (one: One) => string,
): DigitsPage["groups"] {
  if (figures.length === 0) return [];
  const raw = flatRows(figures);
  const svg = lossBars(`${title}: proxy NTL, nats`, figures.map(nameOf), figures);
  return [
    {
      picture: { id: `digits ${title.toLowerCase()}`, svg, raw },
      // A single group has no table.
      table: table === undefined ? null : pageTable(table, { raw }),
    },
  ];
}

function truthPart(
  truth: DigitTruth,
  findTable: (id: string) => Table | undefined,
  tokens: Tokens,
): NonNullable<DigitsPage["truth"]> {
  const [places, bins, wrong] = ["truth-places", "calibration", "surest-wrong"].map(findTable);
  const curve = calibration(truth);
  return {
    summary:
      `${printable(truth.source)}: ${formatCount(truth.numbers_right)} of ${formatCount(truth.numbers)} answers right ` +
      `(${formatShare(truth.number_accuracy)}), ${formatShare(truth.digit_accuracy)} of their digits; ` +
      `calibration error ${formatShare(truth.calibration_error)}.`,
    calibration: curve,
    tables: [
      sidesTable(truth),
      ...(curve === null && bins !== undefined
        ? [pageTable(bins, { raw: flatRows(truth.calibration) })]
        : []),
      ...(places === undefined ? [] : [pageTable(places, { raw: flatRows(truth.per_place) })]),
    ],
    distributions: lossTable("digit-losses-against-truth", lossTitle("truth"), truth.distributions),
    wrong: wrongTable(wrong, truth.surest_wrong, tokens),
  };
}

/** A few points with few digits make no curve: then there is a table instead. */
function calibration({ calibration: bins, calibration_error: error }: DigitTruth): PagePicture | null {
  if (bins.filter(({ digits }) => digits >= LEAST_DIGITS).length < 2) return null;
  return {
    id: "calibration-of-answer-digits",
    svg: calibrationPicture(bins, error),
    raw: flatRows(bins),
  };
}

function sidesTable({ right_digits: right, wrong_digits: wrong }: DigitTruth): PageTable {
  const sides = [right, wrong];
  const hasTrainer = sides.some((side) => side.trainer_avg_log_prob !== null);
  const column = (header: string, kind: FigureKind, of: (side: DigitTruth["right_digits"]) => Figure) =>
    figureColumn(header, kind, sides.map(of));
  const table = makeTable("right-and-wrong-digits", "Digits of answers, right and wrong", [
    textColumn("", ["right", "wrong"]),
    column("digits", "count", ({ digits }) => digits),
    column("mean p", "share", ({ confidence }) => confidence),
    column("log p rollout", "number", ({ avg_log_prob }) => avg_log_prob),
    ...(hasTrainer ? [column("trainer", "number", ({ trainer_avg_log_prob }) => trainer_avg_log_prob)] : []),
  ]);
  return pageTable(table, {
    raw: flatRows([
      { digits_are: "right", ...right },
      { digits_are: "wrong", ...wrong },
    ]),
  });
}

/** Single digits in their number and text, with links to them. */
function exampleTable(
  id: string,
  told: Table | undefined,
  examples: readonly DigitExample[],
  tokens: Tokens,
): PageTable[] {
  // The terminal's table provides the title.
  if (told === undefined) return [];
  const both = examples.some(({ trainer_logprob: logprob }) => logprob !== null);
  const figures: [string, FigureKind, (example: DigitExample) => number | null][] = [
    ["p rollout", "number", ({ rollout_logprob: own }) => probability(own)],
    ["p trainer", "number", ({ trainer_logprob: own }) => probability(own)],
    ["Δ", "signed", ({ rollout_logprob: own, trainer_logprob: other }) => other && other - own],
  ];
  const columns = [
    textColumn(
      "place in the text",
      examples.map(({ handle }) => handle),
    ),
    textColumn(
      "digit in its number",
      examples.map(({ digit, number, place }) => `${digit} in ${number}, ${placeName(place)}`),
    ),
    ...figures.slice(0, both ? 3 : 1).map(([header, kind, of]) =>
      textColumn(
        header,
        examples.map((example) => formatFigure(of(example), kind)),
        { align: "right" },
      ),
    ),
  ];
  return [withContexts(makeTable(id, told.title, columns), examples, tokens)];
}

/** Answers that are wrong, and how sure the policy was. */
function wrongTable(told: Table | undefined, answers: readonly WrongAnswer[], tokens: Tokens): PageTable[] {
  if (told === undefined) return [];
  const right = { align: "right" } as const;
  const table = makeTable("surest-wrong-answers", told.title, [
    textColumn(
      "place in the text",
      answers.map(({ handle }) => handle),
    ),
    textColumn(
      "answer",
      answers.map(({ answer }) => answer),
      right,
    ),
    textColumn(
      "truth",
      answers.map(({ truth }) => truth),
      right,
    ),
    textColumn(
      "p rollout",
      answers.map(({ rollout_logprob: own }) => formatFigure(Math.exp(own), "number")),
      right,
    ),
  ]);
  return [withContexts(table, answers, tokens)];
}

/** With a column for the text around each token, which its first cell leads to. */
function withContexts(
  table: Table,
  items: readonly { readonly handle: string }[],
  tokens: Tokens,
): PageTable {
  const found = items.map(({ handle }) => tokens.get(handle));
  const contexts: PageColumn = {
    ...pageColumn(textColumn("context", [])),
    contexts: found.map((one) => one?.context ?? null),
  };
  const made = pageTable(table, {
    raw: flatRows(items),
    links: found.map((one) => one?.move ?? null),
    first: FIRST,
  });
  return { ...made, columns: [...made.columns, contexts] };
}
