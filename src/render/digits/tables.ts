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
import { RECORDED_DISTRIBUTIONS } from "../../results/index.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/index.ts";
import { formatCount, formatNumber, formatShare, plural } from "../text/index.ts";
import { placeName } from "./content.ts";

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

const LOSSES: readonly {
  readonly name: string;
  readonly own: keyof DigitDistribution;
  readonly raw?: keyof DigitDistribution;
}[] = [
  { name: "expected digit", own: "expected_digit", raw: "raw_expected_digit" },
  { name: "NTL-MSE", own: "ntl_mse", raw: "raw_ntl_mse" },
  { name: "NTL-WAS", own: "ntl_wasserstein", raw: "raw_ntl_wasserstein" },
  { name: "NTL-MAE", own: "ntl_mae", raw: "raw_ntl_mae" },
  { name: "digit accuracy", own: "digit_accuracy" },
  { name: "mass of the ten digits", own: "digit_mass" },
];

function distributionTables(
  distributions: readonly DigitDistribution[],
  against: DigitDistribution["against"],
): Table[] {
  return distributions.map((own) => {
    const cells = (field: keyof DigitDistribution | undefined): string =>
      field === undefined ? "" : formatBounded(own[field] as Bounded);
    const complete = formatShare(own.complete / own.positions);
    const word = against === "sampled" ? "the sampled digit" : "ground truth";
    return makeTable(
      `distribution-${against}-${own.policy}`,
      `Number-token loss against ${word}, ${isRecorded(own) ? own.policy : `${own.policy} policy`}`,
      [
        textColumn(
          "mean per digit",
          LOSSES.map(({ name }) => name),
        ),
        textColumn(
          "over the ten digits",
          LOSSES.map((loss) => cells(loss.own)),
          { align: "right" },
        ),
        textColumn(
          "not renormalised",
          LOSSES.map((loss) => cells(loss.raw)),
          { align: "right", priority: 2 },
        ),
      ],
      (isRecorded(own)
        ? `From the distributions over the ten digits at ${plural(own.positions, "digit position")}.`
        : `From the top ${own.k} of ${formatCount(own.positions)} digit positions, of which ${complete} are fully known; ` +
          `${formatShare(own.unaccounted_mean)} of the probability is outside (at most ${formatShare(own.unaccounted_max)}). ` +
          "In brackets: the bounds on the mean that the digits outside leave.") +
        (own.unknown > 0 ? ` ${formatCount(own.unknown)} more positions have no digit at all.` : ""),
    );
  });
}

/** Distributions that the files have over the digits alone, not top-k lists of a policy. */
function isRecorded({ policy }: DigitDistribution): boolean {
  return policy === RECORDED_DISTRIBUTIONS;
}

/** `0.123 [0.120, 0.140]`; one figure where the bounds meet. */
export function formatBounded({ estimate, low, high }: Bounded): string {
  const [value, from, to] = [estimate, low, high].map((figure) => formatNumber(figure));
  return from === value && to === value ? value! : `${value} [${from}, ${to}]`;
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
