import { useMemo } from "preact/hooks";
import type { ChartSpec } from "../../../../src/render/charts/index.ts";
import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { LoggedMetrics } from "../../../../src/results/view.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import type { StepRange } from "../../state/step-range.ts";
import { navigate, param } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { chartMetric, chooseMetrics } from "./logged.ts";

const wordsParam = param("logged", "");

/** What the run's own logger wrote, over the same steps; empty without logged metrics. */
export function LoggedPanel({
  of: { metrics, findings },
  range,
}: {
  readonly of: LoggedMetrics;
  readonly range: StepRange | null;
}) {
  const words = wordsParam.value;
  const { shown, more } = useMemo(() => chooseMetrics(metrics, words), [metrics, words]);
  const specs = useMemo(
    () => shown.flatMap((one) => chartMetric(one, range) ?? []),
    [shown, range?.[0], range?.[1]],
  );
  if (metrics.length === 0 && findings.length === 0) return null;
  const files = new Set(metrics.map(({ file }) => file)).size;
  return (
    <section aria-label="Logged by the trainer">
      <h2>Logged by the trainer</h2>
      <p class="muted">
        {formatCounted(metrics.length, "metric")} in {formatCounted(files, "file")}.
        {findings.map(({ message }) => ` ${message}.`)}
      </p>
      <label>
        Metrics that contain any of these words{" "}
        <input
          type="search"
          value={words}
          placeholder="reward kl grad_norm"
          onInput={({ currentTarget: { value } }) =>
            navigate({ params: { logged: value.trim() === "" ? undefined : value } }, { replace: true })
          }
        />
      </label>
      <p class="muted" role="status">
        {formatCounted(specs.length, "chart")}
        {more > 0 && `, and ${formatCounted(more, "metric")} more: type more of the name`}
        {specs.length < shown.length && ", the others have no value at these steps"}
      </p>
      <Charts specs={specs} range={range} />
    </section>
  );
}

function Charts({
  specs,
  range,
}: {
  readonly specs: readonly ChartSpec[];
  readonly range: StepRange | null;
}) {
  return (
    <div class="charts">
      {specs.map((spec) => (
        <Chart key={spec.id} spec={spec} range={range} />
      ))}
    </div>
  );
}

/** Each chart has its own crosshair, because metrics are logged at different steps. */
function Chart({ spec, range }: { readonly spec: ChartSpec; readonly range: StepRange | null }) {
  const crosshair = useCrosshair();
  const choose = brushSteps(spec.xs);
  return (
    <ChartView
      spec={spec}
      crosshair={crosshair}
      marked={range}
      onOpen={(step) => choose(step, step, false)}
      onBrush={choose}
    />
  );
}
