import { isFigure } from "../../core/text/index.ts";
import {
  type ChartSpec,
  type ChartValues,
  groupedBars,
  heatGrid,
  type IntervalBar,
  intervalBars,
  intervalLine,
  lineChart,
} from "../../render/charts/index.ts";
import { clipMiddle } from "../../render/terminal/index.ts";
import { printable } from "../../render/text/index.ts";
import type { CheckpointFigures } from "../results/checkpoints.ts";
import type { KlReport } from "../results/report.ts";
import { categoryMatrix, categoryRows } from "./token-tables.ts";

const REGIONS = ["early", "mid", "late"] as const;
const REGION_COLORS = { early: "blue", mid: "grey", late: "orange" } as const;
const STEPS = { xLabel: "training step" } as const;
const LINES = { ...STEPS, scale: "linear", kind: "number", fromZero: true, extreme: "most" } as const;
const SIZE = { width: 480, height: 250 };
const MOST_BARS = 24;

/** A name, shortened if there is little room. */
function shown(name: string): string {
  return clipMiddle(printable(name), 28, "…");
}

/** A picture with its id and title. */
export interface KlPicture {
  readonly id: string;
  readonly svg: string;
}

type Named = readonly [name: string, figures: CheckpointFigures];

/** KL, entropy and spikes over training. Checkpoints without steps are bars. */
export function overviewPictures(report: KlReport): KlPicture[] {
  const all = Object.entries(report.checkpoints);
  const stepped = all
    .filter(([, { step, role }]) => step !== null && role !== "baseline")
    .sort(([, a], [, b]) => (a.step ?? 0) - (b.step ?? 0));
  if (stepped.length < 2) return all.length < 2 ? [] : [{ id: "kl-by-checkpoint", svg: checkpointBars(all) }];
  const xs = stepped.map(([, { step }]) => step ?? Number.NaN);
  const of = (pick: (figures: CheckpointFigures) => number | null): ChartValues =>
    stepped.map(([, figures]) => pick(figures));
  const specs: ChartSpec[] = [
    {
      id: "entropy-over-checkpoints",
      title: "Mean entropy over checkpoints",
      unit: "nats",
      ...LINES,
      xs,
      lines: [
        { label: "checkpoint", color: "blue", values: of(({ mean_entropy }) => mean_entropy) },
        {
          label: shown(report.reference),
          color: "grey",
          dash: [4, 3],
          values: of(({ mean_reference_entropy }) => mean_reference_entropy),
        },
      ],
    },
    {
      id: "spikes-per-problem",
      title: "Spikes per problem",
      unit: "spikes",
      ...LINES,
      xs,
      lines: [{ label: "spikes", color: "orange", values: of(({ spikes_mean }) => spikes_mean) }],
    },
    {
      id: "spike-density",
      title: "Spike density by third of the response",
      unit: "spikes per token",
      ...LINES,
      xs,
      lines: REGIONS.map((region) => ({
        label: region,
        color: REGION_COLORS[region],
        values: of(({ spike_regions }) => spike_regions[region].density),
      })),
    },
  ];
  return [
    { id: "kl-over-checkpoints", svg: klLine(report, stepped, all) },
    ...specs.map((spec) => ({ id: spec.id, svg: lineChart(spec, SIZE) })),
  ];
}

function klLine({ reference }: KlReport, stepped: readonly Named[], all: readonly Named[]): string {
  const points = stepped.map(([name, { step, mean_kl, mean_kl_interval }]) => ({
    x: step ?? Number.NaN,
    name: printable(name),
    value: mean_kl,
    low: mean_kl_interval?.low,
    high: mean_kl_interval?.high,
  }));
  const drawn = new Set(stepped.map(([name]) => name));
  const levels = all
    .filter(([name]) => !drawn.has(name))
    .flatMap(([name, { mean_kl }]) =>
      isFigure(mean_kl) ? [{ label: printable(name), value: mean_kl }] : [],
    );
  return intervalLine(points, levels, {
    title: `Mean KL to ${shown(reference)} over checkpoints`,
    label: "mean KL",
    color: "blue",
    unit: "nats",
    ...STEPS,
  });
}

function checkpointBars(all: readonly Named[]): string {
  const bars = all.map(([name, { mean_kl, mean_kl_interval, role }]) => ({
    label: printable(name),
    value: mean_kl,
    low: mean_kl_interval?.low,
    high: mean_kl_interval?.high,
    color: role === "baseline" ? ("grey" as const) : ("blue" as const),
  }));
  return intervalBars(bars, {
    title: "Mean KL by checkpoint",
    unit: "nats, with 95 % interval",
    kind: "number",
  });
}

/** KL by kind of token: at the last checkpoint, and over all of them. */
export function categoryPictures(report: KlReport): KlPicture[] {
  const rows = categoryRows(report, report.metrics.last_checkpoint);
  if (rows.length === 0 || rows.length > MOST_BARS) return [];
  const names = rows.map(([name]) => printable(name));
  const bars: IntervalBar[] = rows.map(([, { mean_kl, mean_kl_interval }], at) => ({
    label: names[at] ?? "",
    value: mean_kl,
    low: mean_kl_interval?.low,
    high: mean_kl_interval?.high,
    color: "blue",
  }));
  const { checkpoints, rows: grid } = categoryMatrix(report);
  return [
    {
      id: "kl-by-category",
      svg: intervalBars(bars, {
        title: `Mean KL by category at ${shown(report.metrics.last_checkpoint)}`,
        unit: "nats, with 95 % interval",
        kind: "number",
      }),
    },
    {
      id: "shares-by-category",
      svg: groupedBars(
        names,
        [
          {
            label: "of tokens",
            color: "grey",
            kind: "share",
            values: rows.map(([, { share_of_tokens }]) => share_of_tokens),
          },
          { label: "of KL", color: "orange", kind: "share", values: rows.map(([, row]) => row.share_of_kl) },
        ],
        { title: "Share of tokens and of KL by category" },
      ),
    },
    ...(checkpoints.length < 2
      ? []
      : [
          {
            id: "kl-by-category-and-checkpoint",
            svg: heatGrid(
              shortNames(report, checkpoints),
              grid.map(({ category, values }) => ({
                label: printable(category),
                values: values.map((value) => value ?? Number.NaN),
              })),
              {
                title: "Mean KL by category and checkpoint",
                xLabel: "checkpoint",
                kind: "number",
                width: 560,
              },
            ),
          },
        ]),
  ];
}

/** Steps as names if they identify the checkpoints: the names themselves are long and begin alike. */
function shortNames({ checkpoints }: KlReport, names: readonly string[]): string[] {
  const steps = names.map((name) => checkpoints[name]?.step ?? null);
  return names.map((name, at) => {
    const step = steps[at] ?? null;
    const isOnly = step !== null && steps.indexOf(step) === steps.lastIndexOf(step);
    return isOnly ? `step ${step}` : printable(name);
  });
}

/** Wrong against right texts over training; the first error against chance. */
export function correctnessPictures(report: KlReport): KlPicture[] {
  const { correctness, first_errors: errors, checkpoints } = report;
  const compared = errors.filter(({ tested }) => tested > 0);
  const stepped = correctness
    .map((row) => ({ row, step: checkpoints[row.checkpoint]?.step ?? null }))
    .filter(({ step, row }) => step !== null && (row.wrong_texts ?? row.right_texts) !== null)
    .sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
  const groups = [
    { label: "wrong texts", color: "orange", key: "wrong_texts" },
    { label: "right texts", color: "blue", key: "right_texts" },
  ] as const;
  return [
    ...(stepped.length < 2
      ? []
      : [
          {
            id: "kl-by-correctness",
            svg: lineChart(
              {
                id: "kl-by-correctness",
                title: "Mean KL by correctness of the text",
                unit: "nats",
                ...LINES,
                xs: stepped.map(({ step }) => step ?? Number.NaN),
                lines: groups.map(({ label, color, key }) => ({
                  label,
                  color,
                  values: stepped.map(({ row }) => row[key]?.mean_kl ?? null),
                })),
              },
              SIZE,
            ),
          },
        ]),
    ...(compared.length === 0 || compared.length > MOST_BARS
      ? []
      : [
          {
            id: "spikes-at-first-error",
            svg: groupedBars(
              compared.map(({ checkpoint }) => printable(checkpoint)),
              [
                {
                  label: "with a spike at the first error (of those that announce other results)",
                  color: "orange",
                  kind: "share",
                  values: compared.map(({ tested_at_error }) => tested_at_error ?? 0),
                },
                {
                  label: "expected if the error were a random one of their results",
                  color: "grey",
                  kind: "share",
                  values: compared.map(({ expected }) => expected ?? 0),
                },
              ],
              { title: "Wrong texts with a spike at the first error" },
            ),
          },
        ]),
  ];
}
