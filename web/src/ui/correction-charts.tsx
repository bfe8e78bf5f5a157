import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ExactSteps } from "../../../src/protocol/view.ts";
import { cutChart } from "../../../src/report/charts/chart-spec.ts";
import type { Setting } from "../state/setting.ts";
import type { StepRange } from "../state/step-range.ts";
import { ChartView } from "./chart-view.tsx";
import { correctionCharts } from "./correction-specs.ts";

/** What a correction keeps and takes, step by step: small multiples beside those of the run. */
export function CorrectionCharts({
  data,
  setting,
  cut,
  ...view
}: {
  readonly data: ExactSteps;
  readonly setting: Setting;
  /** Only these steps. */
  readonly cut: StepRange | null;
  readonly crosshair: Signal<number | null>;
  readonly marked: StepRange | null;
  readonly onOpen: (step: number) => void;
  readonly onBrush: (from: number, to: number) => void;
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
