import type { DigitsReport } from "../../results/digits.ts";
import type { ChartLine, ChartSpec } from "../charts/chart-spec.ts";

type StepFigures = DigitsReport["per_step"][number] & { readonly step: number };

/** Digits over the steps; nothing for fewer than two steps. */
export function digitCharts({ per_step: all }: Pick<DigitsReport, "per_step">): ChartSpec[] {
  const steps = all.filter((one): one is StepFigures => one.step !== null);
  if (steps.length < 2) return [];
  const line = (
    label: string,
    color: ChartLine["color"],
    of: (one: StepFigures) => number | null,
    dash?: readonly number[],
  ): ChartLine => ({ label, color, values: steps.map(of), ...(dash && { dash }) });
  const common = {
    xLabel: "step",
    xs: steps.map(({ step }) => step),
    scale: "linear",
    fromZero: true,
    extreme: "most",
  } as const;
  const charts: ChartSpec[] = [
    {
      ...common,
      id: "digit-ntl",
      title: "Proxy NTL",
      unit: "nats",
      kind: "number",
      lines: [
        line("rollout", "blue", ({ ntl_loss }) => ntl_loss),
        line("trainer", "orange", ({ trainer_ntl_loss }) => trainer_ntl_loss, [6, 3]),
      ],
    },
    {
      ...common,
      id: "digit-abs-delta",
      title: "Mean |Δ| of digits",
      unit: "nats",
      kind: "number",
      lines: [line("mean", "blue", ({ delta_abs_mean }) => delta_abs_mean)],
    },
    {
      ...common,
      id: "digit-count",
      title: "Digits",
      unit: "",
      kind: "count",
      lines: [line("digits", "grey", ({ digits }) => digits)],
    },
  ];
  return charts
    .map((chart) => ({
      ...chart,
      lines: chart.lines.filter(({ values }) => values.some((value) => value !== null)),
    }))
    .filter(({ lines }) => lines.length > 0);
}
