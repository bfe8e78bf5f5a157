import { useMemo } from "preact/hooks";
import type { RunComparison, StepSeries } from "../../../../src/results/view.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import { parseSteps } from "../../state/step-range.ts";
import { navigate, param } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { chartsOverSteps, sayRange } from "./over-steps.ts";

const stepsParam = param("steps", "");

/** Small multiples over steps with both runs in each, and their difference below. */
export function StepsPanel({
  a,
  b,
  comparison,
}: {
  readonly a: StepSeries;
  readonly b: StepSeries;
  readonly comparison: RunComparison;
}) {
  const crosshair = useCrosshair();
  const charts = useMemo(() => chartsOverSteps(a, b, comparison), [a, b, comparison]);
  const xs = charts[0]?.both.xs ?? [];
  const range = parseSteps(stepsParam.value);
  if (xs.length < 2) return <p class="muted">Fewer than two steps: there is nothing to draw.</p>;
  const choose = brushSteps(xs);
  const shared = {
    crosshair,
    marked: range,
    onOpen: (step: number) => choose(step, step, false),
    onBrush: choose,
  };
  return (
    <>
      <p class="muted" role="status">
        {range === null ? (
          "Drag over a chart, or click a step, to see the sequences of those steps only."
        ) : (
          <>
            Below: sequences of {sayRange(range)} only.{" "}
            <button type="button" onClick={() => navigate({ params: { steps: undefined } })}>
              All steps
            </button>
          </>
        )}
      </p>
      <div class="charts">
        {charts.map(({ metric, both, difference }) => (
          <div key={metric} class="chart">
            <ChartView spec={both} {...shared} />
            {difference === undefined ? (
              <p class="muted">No step has figures of both runs.</p>
            ) : (
              <ChartView spec={difference} {...shared} />
            )}
          </div>
        ))}
      </div>
    </>
  );
}
