import { useMemo } from "preact/hooks";
import { cutChart } from "../../../src/render/charts/index.ts";
import type { ExactSteps } from "../../../src/results/index.ts";
import type { Setting } from "../state/setting.ts";
import type { StepRange } from "../state/step-range.ts";
import type { PlotEvents } from "./chart-plot.tsx";
import { ChartView } from "./chart-view.tsx";
import { correctionCharts } from "./correction-specs.ts";

/** What a correction keeps and takes, step by step: small multiples beside those of the run. */
export function CorrectionCharts({
  data,
  setting,
  cut,
  ...view
}: PlotEvents & {
  readonly data: ExactSteps;
  readonly setting: Setting;
  /** Only these steps. */
  readonly cut: StepRange | null;
}) {
  const { method, veto } = setting;
  const charts = useMemo(() => {
    const whole = correctionCharts(data, { method, veto });
    return cut === null ? whole : whole.map((spec) => cutChart(spec, cut));
  }, [data, method, veto, cut?.[0], cut?.[1]]);
  return (
    <div class="charts">
      {charts.map((spec) => (
        <ChartView key={spec.id} spec={spec} {...view} />
      ))}
    </div>
  );
}
