import { useMemo } from "preact/hooks";
import { cutChart } from "../../../src/render/charts/index.ts";
import type { CorrectSteps } from "../../../src/results/view.ts";
import type { Correction } from "../../../src/trainers/neutral/index.ts";
import type { StepRange } from "../state/step-range.ts";
import type { PlotEvents } from "./chart-plot.tsx";
import { ChartView } from "./chart-view.tsx";
import { correctionCharts } from "./correction-specs.ts";

/** What a correction keeps and drops, step by step: small multiples beside those of the run. */
export function CorrectionCharts({
  data,
  correction,
  cut,
  ...view
}: PlotEvents & {
  readonly data: CorrectSteps;
  readonly correction: Correction;
  /** The only steps to show. */
  readonly cut: StepRange | null;
}) {
  const kinds = correction.steps.map(({ action }) => action).join();
  const charts = useMemo(() => {
    const whole = correctionCharts(data, correction);
    return cut === null ? whole : whole.map((spec) => cutChart(spec, cut));
  }, [data, kinds, cut?.[0], cut?.[1]]);
  return (
    <div class="charts">
      {charts.map((spec) => (
        <ChartView key={spec.id} spec={spec} {...view} />
      ))}
    </div>
  );
}
