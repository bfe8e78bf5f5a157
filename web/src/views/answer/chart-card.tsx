import { useMemo } from "preact/hooks";
import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import type { RunInfo, StepSeries } from "../../../../src/results/view.ts";
import { markSteps } from "../../state/alert-marks.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import { alerts, answerTables, steps } from "../../state/loaded.ts";
import { parseSteps } from "../../state/step-range.ts";
import { route } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { stepHref } from "../../ui/place-link.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { answerChart } from "./answer-chart.ts";

/** Mean |Δ| of the whole run, whichever steps are chosen. */
export function ChartCard({ info }: { readonly info: RunInfo }) {
  if (info.steps.length < 2) return null;
  return (
    <section class="card" aria-label="Over steps">
      <WhenLoaded of={answerTables()}>
        {(page) => <WhenLoaded of={steps()}>{(data) => <Chart page={page} data={data} />}</WhenLoaded>}
      </WhenLoaded>
    </section>
  );
}

function Chart({ page, data }: { readonly page: AnswerPage; readonly data: StepSeries }) {
  const crosshair = useCrosshair();
  const raised = alerts().value;
  const spec = useMemo(() => {
    const known = data.steps.filter((step) => step !== null);
    return answerChart(data, page, raised.state === "ready" ? markSteps(raised.value.alerts, known) : []);
  }, [page, data, raised]);
  if (spec === undefined) return null;
  return (
    <ChartView
      spec={spec}
      crosshair={crosshair}
      marked={parseSteps(route.value.params.steps ?? "")}
      live
      onBrush={brushSteps(spec.xs)}
      onOpen={(step, last) => {
        location.hash = stepHref(step, last);
      }}
    />
  );
}
