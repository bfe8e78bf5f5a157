/**
 * Tables of a digits report, for any medium.
 *
 * @module
 */
import type {
  Bounded,
  DigitDistribution,
  DigitExample,
  DigitFigures,
  DigitsReport,
  DigitTruth,
} from "../../results/index.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/index.ts";
import { placeName } from "./content.ts";
import { DIGIT_LOSSES, describeCoverage, formatBounded, isRecorded, lossTitle } from "./losses.ts";

/** Longer runs are folded; `--json` has every step. */
const MOST_STEPS = 12;

export function digitTables(report: DigitsReport): Table[] {
  const { per_place, per_digit, per_step, truth } = report;
  const steps = foldSteps(per_step, MOST_STEPS);
  const groups: [string, string, string, readonly DigitFigures[], readonly string[]][] = [
    ["places", "By place value", "place", per_place, per_place.map(({ place }) => placeName(place))],
    ["digits", "By sampled digit", "digit", per_digit, per_digit.map(({ digit }) => String(digit))],
    ["steps", "By step", "step", steps, steps.map(({ name }) => name)],
  ];
  return [
    ...groups.flatMap(([id, title, head, figures, names]) =>
      figures.length < 2 ? [] : [figuresTable(id, title, head, figures, names)],
    ),
    ...correctnessTable(report),
    ...distributionTables(report.distributions, "sampled"),
    ...(truth ? truthTables(truth, report.policy) : []),
    ...exampleTable("least-sure", `Digits the ${report.policy} policy was least sure of`, report.least_sure),
    ...exampleTable("widest-gaps", "Digits where the policies differ most", report.widest_gaps),
  ];
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
          figureColumn(
            "mean |Δ|",
            "number",
            figures.map(({ delta_abs_mean }) => delta_abs_mean),
            { priority: 3, worst: "most" },
          ),
        ]
      : []),
  ]);
}

function correctnessTable({ right_sequences: right, wrong_sequences: wrong }: DigitsReport): Table[] {
  if (!right || !wrong) return [];
  return [
    figuresTable("correctness", "Correct and incorrect sequences", "", [right, wrong], ["right", "wrong"]),
  ];
}

function distributionTables(
  distributions: readonly DigitDistribution[],
  against: DigitDistribution["against"],
): Table[] {
  return distributions.map((own) => {
    const cells = (ofs: readonly (keyof DigitDistribution | undefined)[]): string[] =>
      ofs.map((field) => (field === undefined ? "" : formatBounded(own[field] as Bounded)));
    const bounds = isRecorded(own)
      ? ""
      : " In brackets: the bounds on the mean that the digits outside leave.";
    return makeTable(
      `distribution-${against}-${own.policy}`,
      `${lossTitle(against)}, ${isRecorded(own) ? own.policy : `${own.policy} policy`}`,
      [
        textColumn(
          "mean per digit",
          DIGIT_LOSSES.map(({ name }) => name),
        ),
        textColumn("over the ten digits", cells(DIGIT_LOSSES.map((loss) => loss.own)), { align: "right" }),
        textColumn("not renormalized", cells(DIGIT_LOSSES.map((loss) => loss.raw)), {
          align: "right",
          priority: 2,
        }),
      ],
      `From ${describeCoverage(own)}${bounds}`,
    );
  });
}

function truthTables(truth: DigitTruth, policy: DigitsReport["policy"]): Table[] {
  const { per_place: places, calibration, surest_wrong: wrong } = truth;
  return [
    ...(places.length > 0 ? [placeTable(places), calibrationTable(calibration)] : []),
    ...distributionTables(truth.distributions, "truth"),
    ...(wrong.length > 0 ? [surestWrongTable(wrong, policy)] : []),
  ];
}

function placeTable(places: DigitTruth["per_place"]): Table {
  return makeTable("truth-places", "Digits of answers by place", [
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
}

function calibrationTable(bins: DigitTruth["calibration"]): Table {
  return makeTable("calibration", "Calibration of answer digits", [
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
}

function surestWrongTable(wrong: DigitTruth["surest_wrong"], policy: DigitsReport["policy"]): Table {
  return makeTable("surest-wrong", `Wrong answers the ${policy} policy was most sure of`, [
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
}

function exampleTable(id: string, title: string, examples: readonly DigitExample[]): Table[] {
  if (examples.length === 0) return [];
  const hasTrainer = examples.some(({ trainer_logprob: logprob }) => logprob !== null);
  return [
    makeTable(id, title, [
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
          ]
        : []),
    ]),
  ];
}
