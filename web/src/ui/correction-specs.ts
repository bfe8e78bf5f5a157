/**
 * The charts of what a correction does, step by step.
 *
 * @module
 */

import type { ChartLine, ChartSpec, ChartValues } from "../../../src/render/charts/index.ts";
import type { CorrectSteps } from "../../../src/results/view.ts";
import type { Correction } from "../../../src/trainers/neutral/index.ts";

/** Draws only what the correction can do: a chart of zeros says nothing. */
export function correctionCharts(
  { steps, tokens, sequences, counts, figures }: CorrectSteps,
  { steps: rules }: Correction,
): ChartSpec[] {
  const does = (...actions: readonly string[]): boolean =>
    rules.some(({ action }) => actions.includes(action));
  const [clips, rejects, vetoes] = [does("truncate"), does("mask", "zero"), does("veto")];
  const places = steps.flatMap((step, at) => (step === null ? [] : [at]));
  const pick = (values: ChartValues): ChartValues => places.map((at) => values[at] ?? null);
  const share = (of: readonly number[], all: readonly number[]): ChartValues =>
    pick(of.map((count, at) => (all[at] === 0 ? null : count / all[at]!)));
  const xs = places.map((at) => steps[at]!);
  const chart = (
    id: string,
    title: string,
    lines: readonly (ChartLine | false)[],
    kind: "share" | "near-one",
  ): ChartSpec => makeChart(xs, { id: `correction-${id}`, title, kind }, lines);
  const charts = [
    chart(
      "kept",
      "Kept",
      [
        { label: "tokens", color: "blue", values: share(counts.kept_tokens, tokens) },
        {
          label: "sequences",
          color: "teal",
          dash: [6, 3],
          values: share(counts.kept_sequences, sequences),
        },
      ],
      "near-one",
    ),
    chart(
      "effects",
      [clips && "clipped", rejects && "rejected", vetoes && "vetoed"]
        .filter(Boolean)
        .join(", ")
        .replace(/^./, (first) => first.toUpperCase()),
      [
        clips && { label: "clipped tokens", color: "blue", values: share(counts.clipped, tokens) },
        rejects && { label: "rejected tokens", color: "orange", values: share(counts.masked, tokens) },
        vetoes && {
          label: "vetoed sequences",
          color: "purple",
          dash: [6, 3],
          values: share(counts.vetoed, sequences),
        },
      ],
      "share",
    ),
    chart(
      "ess",
      "ESS after correction",
      [{ label: "ESS", color: "blue", values: pick(figures.ess) }],
      "near-one",
    ),
    chart(
      "dropped",
      "Dropped, by outcome",
      [
        { label: "of right", color: "blue", values: pick(figures.dropped_right) },
        { label: "of wrong", color: "orange", dash: [6, 3], values: pick(figures.dropped_wrong) },
      ],
      "share",
    ),
  ];
  return charts.filter(({ lines }) => lines.length > 0);
}

/** A chart of the lines that have a value. */
function makeChart(
  xs: readonly number[],
  head: { readonly id: string; readonly title: string; readonly kind: "share" | "near-one" },
  lines: readonly (ChartLine | false)[],
): ChartSpec {
  const isShare = head.kind === "share";
  return {
    ...head,
    xLabel: "step",
    xs,
    scale: "linear",
    unit: "share",
    lines: lines.filter(
      (line): line is ChartLine => line !== false && line.values.some((value) => value !== null),
    ),
    fromZero: isShare,
    extreme: isShare ? "most" : "least",
  };
}
