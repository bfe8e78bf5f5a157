import type { ChartSpec } from "../../../src/render/charts/index.ts";
import { brushSteps } from "../state/brush-steps.ts";
import { parseSteps } from "../state/step-range.ts";
import { makeHref, navigate, param } from "../state/url.ts";
import { ChartView, useCrosshair } from "./chart-view.tsx";
import { stepHref } from "./place-link.tsx";

const stepsParam = param("steps", "");

/** Digits over the steps, with the same brush as in other views. */
export function OverSteps({ charts }: { readonly charts: readonly ChartSpec[] }) {
  const crosshair = useCrosshair();
  const range = parseSteps(stepsParam.value);
  const steps = charts[0]?.xs;
  if (steps === undefined) return null;
  return (
    <>
      {range === null ? (
        <p class="note">Drag over a chart to choose steps; click a step to see its sequences.</p>
      ) : (
        <p class="note">
          <button type="button" onClick={() => navigate({ params: { steps: undefined } })}>
            {range[0] === range[1] ? `step ${range[0]}` : `steps ${range[0]}–${range[1]}`}{" "}
            <span aria-hidden="true">✕</span>
            <span class="visually-hidden">: show all steps</span>
          </button>{" "}
          <a href={makeHref({ view: "sequences", token: undefined })}>their sequences</a>. Figures on this
          page are of all steps.
        </p>
      )}
      <div class="charts">
        {charts.map((spec) => (
          <ChartView
            key={spec.id}
            spec={spec}
            crosshair={crosshair}
            marked={range}
            onOpen={(step, last) => {
              location.hash = stepHref(step, last);
            }}
            onBrush={brushSteps(steps)}
            live
          />
        ))}
      </div>
    </>
  );
}
