/**
 * Tables of a digits report, for any medium.
 *
 * @module
 */

import { type Figure, type FigureKind, formatFigure, formatPair } from "../../core/text/index.ts";
import type { DigitFigures, DigitGap, DigitsReport, DigitTruth } from "../../results/digits.ts";
import { RUN_METRICS } from "../../results/metrics/run-metrics.ts";
import { withRows } from "../document/rows.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";
import { placeName } from "./content.ts";

/** Longer runs are folded; `--json` has every step. */
const MOST_STEPS = 12;

/** How sure each policy is of its digits, with as many digits as it takes to tell the two apart. */
export function sureTable({ metrics }: DigitsReport): Table {
  const { avg_digit_log_prob: rollout, trainer_avg_digit_log_prob: trainer } = metrics;
  const count = trainer === null ? 1 : 2;
  const pair = (one: number | null, other: number | null): string[] => formatPair(one, other).slice(0, count);
  const table = makeTable("digit-metrics", "How sure", [
    textColumn("policy", ["rollout", "trainer"].slice(0, count)),
    textColumn("exp(avg)", pair(probability(rollout), probability(trainer)), { align: "right" }),
    textColumn("proxy NTL", pair(metrics.ntl_loss, metrics.trainer_ntl_loss), { align: "right" }),
    textColumn("average log-prob", pair(rollout, trainer), { align: "right", priority: 2 }),
  ]);
  return withRows(table, [metrics]);
}

const GAPS = [
  "delta_abs_mean",
  "delta_abs_max",
  "delta_mean",
  "k3",
  "prob_diff_mean",
  "prob_diff_max",
  "tokens",
] as const satisfies readonly (keyof DigitGap)[];

/** The two policies on digits, and on everything else. */
export function gapTable({ comparison }: DigitsReport): Table[] {
  if (comparison === null) return [];
  const { digits, others } = comparison;
  const cells = (gap: DigitGap): string[] => GAPS.map((key) => formatFigure(gap[key], RUN_METRICS[key].kind));
  const table = makeTable("digits-and-other-tokens", "Between the policies", [
    textColumn(
      "",
      GAPS.map((key) => RUN_METRICS[key].label),
    ),
    textColumn("digits", cells(digits), { align: "right" }),
    textColumn("other tokens", cells(others), { align: "right" }),
  ]);
  return [
    withRows(table, [
      { tokens_of: "digits", ...digits },
      { tokens_of: "others", ...others },
    ]),
  ];
}

export function placesTable({ per_place: places }: DigitsReport): Table {
  const names = places.map(({ place }) => placeName(place));
  return withRows(figuresTable("places", "By place value", "place", places, names), places);
}

export function digitsTable({ per_digit: digits }: DigitsReport): Table {
  const names = digits.map(({ digit }) => String(digit));
  return withRows(figuresTable("digits", "By sampled digit", "digit", digits, names), digits);
}

export function stepsTable({ per_step }: DigitsReport): Table {
  const steps = foldSteps(per_step, MOST_STEPS);
  const names = steps.map(({ name }) => name);
  return withRows(figuresTable("steps", "By step", "step", steps, names), per_step);
}

/** At most `most` ranges of steps, pooled by their digits. */
function foldSteps(
  steps: DigitsReport["per_step"],
  most: number,
): (DigitFigures & { readonly name: string })[] {
  const ranges = Math.min(most, steps.length);
  return Array.from({ length: ranges }, (_, i) => {
    const part = steps.slice(
      Math.floor((i * steps.length) / ranges),
      Math.floor(((i + 1) * steps.length) / ranges),
    );
    const [first, last] = [part[0]!.step, part.at(-1)!.step];
    const name = first === last ? String(first ?? "none") : `${first ?? "none"}–${last ?? "none"}`;
    return { name, ...pooled(part) };
  });
}

function pooled(parts: readonly DigitFigures[]): DigitFigures {
  const digits = parts.reduce((sum, part) => sum + part.digits, 0);
  const mean = (of: (part: DigitFigures) => number | null): number | null => {
    if (digits === 0 || parts.some((part) => part.digits > 0 && of(part) === null)) return null;
    return parts.reduce((sum, part) => sum + part.digits * (of(part) ?? 0), 0) / digits;
  };
  return {
    digits,
    avg_digit_log_prob: mean((part) => part.avg_digit_log_prob),
    ntl_loss: mean((part) => part.ntl_loss),
    trainer_avg_digit_log_prob: mean((part) => part.trainer_avg_digit_log_prob),
    trainer_ntl_loss: mean((part) => part.trainer_ntl_loss),
    delta_abs_mean: mean((part) => part.delta_abs_mean),
  };
}

function figuresTable(
  id: string,
  title: string,
  head: string,
  figures: readonly DigitFigures[],
  names: readonly string[],
): Table {
  const hasTrainer = figures.some(({ trainer_ntl_loss: loss }) => loss !== null);
  return makeTable(id, title, [
    textColumn(head, names),
    figureColumn(
      "digits",
      "count",
      figures.map(({ digits }) => digits),
      { priority: 1 },
    ),
    figureColumn(
      "proxy NTL",
      "number",
      figures.map(({ ntl_loss }) => ntl_loss),
      { priority: 1, bars: true, worst: "most" },
    ),
    figureColumn(
      "exp(avg)",
      "number",
      figures.map(({ avg_digit_log_prob: average }) => (average === null ? null : Math.exp(average))),
    ),
    ...(hasTrainer
      ? [
          figureColumn(
            "trainer NTL",
            "number",
            figures.map(({ trainer_ntl_loss }) => trainer_ntl_loss),
            { priority: 2 },
          ),
          metricColumn("delta_abs_mean", () => figures.map(({ delta_abs_mean }) => delta_abs_mean), {
            priority: 3,
            worst: "most",
          }),
        ]
      : []),
  ]);
}

export function correctnessTable({ right_sequences: right, wrong_sequences: wrong }: DigitsReport): Table[] {
  if (!right || !wrong) return [];
  const names = ["right", "wrong"];
  const table = figuresTable("correctness", "Correct and incorrect sequences", "", [right, wrong], names);
  return [
    withRows(table, [
      { sequences: "right", ...right },
      { sequences: "wrong", ...wrong },
    ]),
  ];
}

/** Digits of answers: right and wrong ones. */
export function sidesTable({ right_digits: right, wrong_digits: wrong }: DigitTruth): Table {
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
  return withRows(table, [
    { digits_are: "right", ...right },
    { digits_are: "wrong", ...wrong },
  ]);
}

export function truthPlacesTable({ per_place: places }: DigitTruth): Table {
  const table = makeTable("truth-places", "Digits of answers by place", [
    textColumn(
      "place",
      places.map(({ place }) => placeName(place)),
    ),
    figureColumn(
      "digits",
      "count",
      places.map(({ digits }) => digits),
      { priority: 1 },
    ),
    figureColumn(
      "right",
      "share",
      places.map(({ accuracy }) => accuracy),
      { priority: 1, worst: "least" },
    ),
    figureColumn(
      "mean p",
      "share",
      places.map(({ confidence }) => confidence),
    ),
  ]);
  return withRows(table, places);
}

export function calibrationTable({ calibration: bins }: DigitTruth): Table {
  const table = makeTable("calibration", "Calibration of answer digits", [
    textColumn(
      "probability",
      bins.map(({ from, to }) => `${from} to ${to}`),
    ),
    figureColumn(
      "digits",
      "count",
      bins.map(({ digits }) => digits),
      { priority: 1 },
    ),
    figureColumn(
      "mean p",
      "share",
      bins.map(({ confidence }) => confidence),
      { priority: 1 },
    ),
    figureColumn(
      "right",
      "share",
      bins.map(({ accuracy }) => accuracy),
      { priority: 1 },
    ),
  ]);
  return withRows(table, bins);
}

function probability(logprob: number | null): number | null {
  return logprob === null ? null : Math.exp(logprob);
}
