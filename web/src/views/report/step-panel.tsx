import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import {
  type ChartSpec,
  cutChart,
  marksAt,
  SCALES,
  type ScaleChoice,
  type SliceBy,
  sliceChoices,
  smoothChart,
  stepCharts,
} from "../../../../src/render/charts/index.ts";
import { foldSteps, SECTION_TITLES } from "../../../../src/render/report/index.ts";
import { formatCount, formatNumber } from "../../../../src/render/text/display/index.ts";
import type { RaisedAlert } from "../../../../src/results/alerts.ts";
import type { MismatchReport, StepMetrics } from "../../../../src/results/report.ts";
import type { RunInfo, StepSeries } from "../../../../src/results/view.ts";
import { markSteps } from "../../state/alert-marks.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import { useKeys } from "../../state/keys.ts";
import { parseSteps, type StepRange } from "../../state/step-range.ts";
import { makeHref, navigate, param } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { Choice } from "../../ui/choice.tsx";
import { stepHref } from "../../ui/place-link.tsx";
import { findBeyond } from "./beyond.ts";
import { BeyondNote } from "./beyond-note.tsx";
import { CorrectionPanel } from "./correction-panel.tsx";

const SLICE_TITLES: Readonly<Record<SliceBy, string>> = {
  correct: "correctness",
  rank: "rank",
  environment: "environment",
  weight_version: "weights",
};
const scaleParam = param("axis", "auto");
const sliceParam = param("slice", "");
const stepsParam = param("steps", "");
const zoomParam = param("zoom", "");
const smoothParam = param("smooth", "");
/** Widths of the moving median in steps; odd, so that it has a middle. */
const WINDOWS = [5, 15, 51] as const;

interface StepPanelProps {
  readonly info: RunInfo;
  readonly data: StepSeries;
  readonly report: MismatchReport;
  readonly alerts: readonly RaisedAlert[];
}

/** Small multiples over steps: one crosshair, one brush, one choice of slices for all. */
export function StepPanel({ info, data, report, alerts }: StepPanelProps) {
  const crosshair = useCrosshair();
  const { by, slices, scale, range, isZoomed, charts, steps, absent, faint, beyond, windows, smooth } =
    useStepCharts(data, alerts);
  useKeys({
    l: {
      describe: "linear or logarithmic charts",
      run: () => choose("axis", scale === "log" ? "linear" : "log", "auto"),
    },
  });
  const events = {
    crosshair,
    // When zoomed in, all steps are chosen, so marking them says nothing.
    marked: isZoomed ? null : range,
    live: !isZoomed,
    onBrush: brushSteps(steps, { zoom: undefined }),
    onOpen: (step: number, last: number): void => {
      location.hash = stepHref(step, last);
    },
  };
  return (
    <section class="steps" aria-label={SECTION_TITLES.overSteps}>
      <div class="head">
        <h2>{SECTION_TITLES.overSteps}</h2>
        <Choices {...{ by, slices, scale, windows, smooth }} />
      </div>
      {range === null ? (
        <p class="note">Drag over a chart to choose steps; click a step to see its sequences.</p>
      ) : (
        <Chosen range={range} isZoomed={isZoomed} steps={report.per_step} />
      )}
      {charts[0]?.marks !== undefined && <MarkNote spec={charts[0]} crosshair={crosshair} />}
      <div class="charts">
        {charts.map((spec) => (
          <ChartView
            key={`${spec.id} ${spec.scale}`}
            spec={spec}
            note={beyond.has(spec.id) && <BeyondNote of={beyond.get(spec.id)!} />}
            {...events}
          />
        ))}
      </div>
      {faint > 0 && (
        <p class="note">
          {faint} more {SLICE_TITLES[by ?? "rank"]} groups, all with a smaller mean |Δ|, are drawn faint.
        </p>
      )}
      {absent.length > 0 && (
        <p class="note">
          Not in {by === null ? "the data" : "these groups"}: {absent.join(", ").toLowerCase()}.
        </p>
      )}
      <CorrectionPanel info={info} cut={isZoomed ? range : null} {...events} />
    </section>
  );
}

/** The charts as the address asks for them: sliced, scaled, and when zoomed in cut to the chosen steps. */
function useStepCharts(data: StepSeries, alerts: readonly RaisedAlert[]) {
  const slices = sliceChoices(data);
  const by = slices.find((name) => name === sliceParam.value) ?? null;
  const scale = SCALES.find((name) => name === scaleParam.value) ?? "auto";
  const beyond = useMemo(() => findBeyond(data, by), [data, by]);
  const windows = WINDOWS.filter((window) => 2 * window < data.steps.length);
  const smooth = windows.find((window) => String(window) === smoothParam.value);
  const whole = useMemo(() => {
    const drawn = stepCharts(data, by, scale);
    const marks = markSteps(alerts, drawn.charts[0]?.xs ?? []);
    const charts = drawn.charts.map((spec) => ({
      ...(smooth === undefined ? spec : smoothChart(spec, smooth)),
      ...(marks.length > 0 && { marks }),
      ...(beyond.has(spec.id) && { ticks: beyond.get(spec.id)!.ticks }),
    }));
    return { ...drawn, charts };
  }, [data, by, scale, alerts, beyond, smooth]);
  const steps = whole.charts[0]?.xs ?? [];
  const range = parseSteps(stepsParam.value);
  const [from, to] = range ?? [0, 0];
  // A line needs at least two steps.
  const isZoomed = zoomParam.value === "1" && steps.filter((step) => step >= from && step <= to).length > 1;
  const charts = useMemo(
    () => (isZoomed ? whole.charts.map((spec) => cutChart(spec, [from, to])) : whole.charts),
    [whole, isZoomed, from, to],
  );
  const { absent, faint } = whole;
  return { by, slices, scale, range, isZoomed, charts, steps, absent, faint, beyond, windows, smooth };
}

/** The mark at the crosshair; without a crosshair, what marks mean. */
function MarkNote({
  spec,
  crosshair,
}: {
  readonly spec: ChartSpec;
  readonly crosshair: Signal<number | null>;
}) {
  const at = crosshair.value;
  const told = at === null ? [] : marksAt(spec, at);
  return (
    <p class={told.length > 0 ? "note mark-note told" : "note mark-note"}>
      {told.length > 0
        ? told.join("; ")
        : "◆ marks an alert: point at it, or press Page Down on a chart to go from one to the next."}
    </p>
  );
}

function Choices({
  by,
  slices,
  scale,
  windows,
  smooth,
}: {
  readonly windows: readonly number[];
  readonly smooth: number | undefined;
  readonly by: SliceBy | null;
  readonly slices: readonly SliceBy[];
  readonly scale: ScaleChoice;
}) {
  return (
    <>
      {slices.length > 0 && (
        <Choice
          label="by"
          name="slice"
          options={[
            { name: "", title: "all" },
            ...slices.map((name) => ({ name, title: SLICE_TITLES[name] })),
          ]}
          value={by ?? ""}
          onChange={(name) => choose("slice", name, "")}
        />
      )}
      <Choice
        label="scale"
        name="axis"
        options={SCALES.map((name: ScaleChoice) => ({ name, title: name }))}
        value={scale}
        onChange={(name) => choose("axis", name, "auto")}
      />
      {windows.length > 0 && (
        <Choice
          label="smooth"
          name="smooth"
          options={[
            { name: "", title: "off" },
            ...windows.map((window) => ({
              name: String(window),
              title: String(window),
              hint: `moving median of ${window} steps, beside the values`,
            })),
          ]}
          value={smooth === undefined ? "" : String(smooth)}
          onChange={(name) => choose("smooth", name, "")}
        />
      )}
    </>
  );
}

/** The chosen steps: their figures, and links to other views. */
function Chosen({
  range,
  isZoomed,
  steps,
}: {
  readonly range: StepRange;
  readonly isZoomed: boolean;
  readonly steps: readonly StepMetrics[];
}) {
  const [from, to] = range;
  const inside = steps.filter(({ step }) => step !== null && step >= from && step <= to);
  const [pooled] = foldSteps(inside, 1);
  return (
    <div class="chosen" role="status">
      {from < to && (
        <button
          type="button"
          aria-pressed={isZoomed}
          onClick={() => navigate({ params: { zoom: isZoomed ? undefined : "1" } })}
        >
          {isZoomed ? "Whole run" : "Zoom in"}
        </button>
      )}
      <span>
        their <a href={makeHref({ view: "sequences", token: undefined })}>sequences</a>,{" "}
        <a href={makeHref({ view: "tokens", token: undefined, params: { by: undefined } })}>tokens</a>,{" "}
        <a href={makeHref({ view: "correct", token: undefined })}>correction</a>
      </span>
      {pooled !== undefined && (
        <span class="muted">
          {formatCount(pooled.steps)} of {formatCount(steps.length)} steps · {formatCount(pooled.sequences)}{" "}
          sequences · {formatCount(pooled.tokens)} tokens · mean |Δ| {formatNumber(pooled.delta_abs_mean)} ·
          k3 {formatNumber(pooled.k3)} · max |Δ| {formatNumber(pooled.delta_abs_max)}
          {pooled.steps > 1 && pooled.worst.step !== null && (
            <>
              {" "}
              · worst <a href={stepHref(pooled.worst.step)}>step {pooled.worst.step}</a>
            </>
          )}
        </span>
      )}
    </div>
  );
}

function choose(name: string, value: string, fallback: string): void {
  navigate({ params: { [name]: value === fallback ? undefined : value } });
}
