import {
  formatCoefficient,
  formatCount,
  formatNumber,
  formatPlainShare,
  plural,
} from "../../core/text/index.ts";
import type { ErrorPair, GapOwner, OwnErrors } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { Block, Section } from "../document/document.ts";
import { withRows } from "../document/rows.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/table.ts";

const OWNERS: Readonly<Record<Exclude<GapOwner, "copy">, string>> = {
  rollout: "Most of the gap is the rollout's own error",
  trainer: "Most of the gap is the trainer's own error",
  both: "The gap is both sides' error",
  shared:
    "The two sides are nearer to each other than to float32, which has other weights or means something else, or both share an error",
};

/** A sentence that says whose the gap is, with the figures; undefined without a float32 column. */
export function ownErrorSentence({ own_errors: errors }: DoctorReport): string | undefined {
  if (errors === null) return undefined;
  const sides = errors.pairs.find(({ first, second }) => first === "rollout" && second === "trainer");
  const [rollout, trainer] = [rmsOf(errors, "rollout"), rmsOf(errors, "trainer")];
  if (sides === undefined || rollout === undefined || trainer === undefined)
    return `No token has rollout, trainer and ${errors.reference} log-probs at once, so no error can be told.`;
  const sizes = `the rollout is off by ${formatNumber(rollout)} nats (rms), the trainer by ${formatNumber(trainer)}`;
  return [
    `${sayOwner(errors, rollout)}: ${sizes}.`,
    ...(sides.correlation === null ? [] : [sayPrediction(sides)]),
    ...(sides.correlation === null || sides.first_share === null ? [] : [sayShare(sides)]),
  ].join(" ");
}

function rmsOf({ columns }: OwnErrors, name: string): number | undefined {
  return columns.find(({ column }) => column === name)?.rms;
}

function sayOwner({ owner, reference, no_interval: reason }: OwnErrors, rollout: number): string {
  if (owner === "copy")
    return `${reference} equals the ${rollout === 0 ? "rollout" : "trainer"}'s column at every token, so the gap is all the other side's`;
  if (owner !== null) return OWNERS[owner];
  return reason === null ? "There is no gap" : `Whose the gap is needs ten prompts or more (${reason})`;
}

function sayPrediction({ correlation, correlation_interval: range, ...pair }: ErrorPair): string {
  const share = range !== null && range.low > 0 ? ", so they share a part" : "";
  return `Their errors have a correlation of ${within(correlation, range, formatCoefficient)}${share}. Independent errors would make a gap of ${formatNumber(pair.independent_rms)}; it is ${formatNumber(pair.gap_rms)}.`;
}

function sayShare({ first_share: share, first_share_interval: range }: ErrorPair): string {
  return `Of its variance, ${within(share, range, wholePercent)} is the rollout's.`;
}

/** Of a share that may lie beyond 0 and 1. */
function wholePercent(share: number | null): string {
  return formatPlainShare(share === null ? null : Math.round(100 * share) / 100);
}

type Write = (value: number | null) => string;

function within(value: number | null, range: ErrorPair["correlation_interval"], write: Write): string {
  return range === null ? write(value) : `${write(value)} (${write(range.low)} to ${write(range.high)})`;
}

export function ownErrorSections(report: DoctorReport): Section[] {
  const sentence = ownErrorSentence(report);
  const { own_errors: errors } = report;
  if (sentence === undefined || errors === null) return [];
  return [
    {
      id: "own-errors",
      title: "Whose error",
      blocks: [
        { kind: "text", text: sentence },
        { kind: "table", table: columnTable(errors) },
        ...leftOut(errors),
      ],
    },
  ];
}

function columnTable({ columns, reference, unit }: OwnErrors): Table {
  const table = makeTable(
    "own-errors",
    `Each column against ${reference}`,
    [
      textColumn(
        "column",
        columns.map(({ column }) => column),
      ),
      textColumn(
        "own error (rms)",
        columns.map(({ rms, interval }) => within(rms, interval, formatNumber)),
        { align: "right" },
      ),
      textColumn(
        "times the one above",
        columns.map(({ ratio_to_previous: ratio }) =>
          ratio === null ? "" : `${formatNumber(ratio.low)} to ${formatNumber(ratio.high)}`,
        ),
        {
          align: "right",
          priority: 2,
          meaning: `95 % interval, paired by ${unit}: the order of the two is decided unless it contains 1`,
        },
      ),
      figureColumn(
        "mean error",
        "signed",
        columns.map(({ mean }) => mean),
        { priority: 3 },
      ),
      figureColumn(
        "tokens",
        "count",
        columns.map(({ tokens }) => tokens),
        { priority: 4 },
      ),
    ],
    "in nats; least error first",
  );
  return { ...withRows(table, columns), isWhole: true };
}

function leftOut({ missing, columns_left_out: beyond, no_interval: reason, reference }: OwnErrors): Block[] {
  const lacking = Object.entries(missing).map(([column, tokens]): [string, string] => [
    `no ${column}`,
    `${plural(tokens, "token")} that are in none of these figures`,
  ]);
  return [
    {
      kind: "facts",
      rows: [
        ...lacking,
        ...(reason === null ? [] : [["no intervals", reason] as const]),
        ...(beyond.length === 0
          ? []
          : ([["left out", `${formatCount(beyond.length)} more columns: ${beyond.join(", ")}`]] as const)),
      ],
    },
    {
      kind: "text",
      muted: true,
      text: `${reference} is taken for the same weights in float32. If it has others, each column shares its difference.`,
    },
  ];
}
