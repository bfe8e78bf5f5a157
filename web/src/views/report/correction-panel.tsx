import type { RunInfo } from "../../../../src/results/view.ts";
import { type Correction, formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { client } from "../../api/client.ts";
import { correctionParams, readCorrection } from "../../state/correction.ts";
import { useExact } from "../../state/exact.ts";
import type { StepRange } from "../../state/step-range.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import type { PlotEvents } from "../../ui/chart-plot.tsx";
import { CorrectionCharts } from "../../ui/correction-charts.tsx";
import { CorrectionEditor } from "../../ui/correction-editor.tsx";
import { ShippedButtons } from "../../ui/shipped-buttons.tsx";

/** What the correction in the address does, step by step; without one, presets to choose from. */
export function CorrectionPanel({
  info,
  ...view
}: PlotEvents & {
  readonly info: RunInfo;
  readonly cut: StepRange | null;
}) {
  const { correction, problem } = readCorrection(route.value.params);
  const isAsked = correction !== undefined && !info.bundled;
  const exact = useExact(
    client.correctSteps,
    isAsked ? { correction: formatCorrection(correction) } : undefined,
  );
  const data = exact.state === "ready" ? exact.answer : exact.state === "asking" ? exact.last : undefined;
  const change = (next: Correction | undefined): void => navigate({ params: correctionParams(next) });
  return (
    <section class="correction" aria-labelledby="correction-title">
      <div class="head">
        <h3 id="correction-title">
          {correction ? "Under the current correction" : "What a correction would do, step by step"}
        </h3>
        {isAsked && (
          <>
            <a href={makeHref({ view: "correct", token: undefined })}>drag its thresholds</a>
            <button type="button" onClick={() => change(undefined)}>
              none
            </button>
          </>
        )}
      </div>
      {info.bundled ? (
        <p class="note">
          A bundle cannot compute what a correction does at each step; <code>logratio view</code> of the run
          can.
        </p>
      ) : (
        <>
          <ShippedButtons shipped={info.shipped} correction={correction} onChange={change} />
          {problem !== undefined && <p class="failed">{problem}</p>}
          {correction && <CorrectionEditor correction={correction} onChange={change} />}
          {exact.state === "failed" && <p class="failed">{exact.message}</p>}
          {correction && data === undefined && exact.state === "asking" && <p class="note">computing …</p>}
          {correction && data !== undefined && (
            <div class={exact.state === "ready" ? "" : "stale"}>
              <CorrectionCharts data={data} correction={correction} {...view} />
            </div>
          )}
        </>
      )}
    </section>
  );
}
