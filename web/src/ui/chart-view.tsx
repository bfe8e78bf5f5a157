import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import {
  type ChartSpec,
  chartRows,
  countUndrawn,
  foldChart,
  lineChart,
  type Readout,
  readLine,
  readout,
  sayX,
} from "../../../src/render/charts/index.ts";
import "./chart.css";
import { ChartPlot, type PlotEvents, plotLayout } from "./chart-plot.tsx";
import { EnlargeButton, Enlarged, isEnlarged } from "./enlarged.tsx";
import { Explained } from "./explained.tsx";
import { ExportMenu } from "./export-menu.tsx";

/** A chart whose legend has the numbers at the crosshair; enlarged on request, with a table of its values. */
export function ChartView({ note, ...props }: ChartProps & { readonly note?: ComponentChildren }) {
  const { spec } = props;
  return (
    <>
      <OneChart {...props} note={note} tools={<EnlargeButton name={spec.id} />} />
      {isEnlarged(spec.id) && (
        <Enlarged title={spec.title} rows={() => chartRows(spec)}>
          <OneChart {...props} height={LARGE_HEIGHT} />
        </Enlarged>
      )}
    </>
  );
}

type ChartProps = PlotEvents & { readonly spec: ChartSpec };

const LARGE_HEIGHT = 380;

function OneChart({
  spec: whole,
  height,
  note,
  tools,
  ...events
}: ChartProps & {
  readonly height?: number;
  readonly note?: ComponentChildren;
  readonly tools?: ComponentChildren;
}) {
  const title = useId();
  const [width, setWidth] = useState(0);
  const spec = useMemo(() => (height === undefined ? whole : { ...whole, height }), [whole, height]);
  const layout = useMemo(() => plotLayout(spec, width), [spec, width]);
  const shown = useMemo(
    () => (width === 0 ? spec : foldChart(spec, layout.plot.right - layout.plot.left)),
    [spec, layout],
  );
  const { value } = events.crosshair;
  // When the range of x changes, old places are invalid until the pointer moves.
  const place = value !== null && value < spec.xs.length ? value : null;
  const at = place === null ? null : Math.floor(place / (shown.fold?.size ?? 1));
  // Without a crosshair, the numbers are the extremes at their exact x.
  const told = at === null ? spec : shown;
  const smoothed = spec.lines.find(({ smooths }) => smooths !== undefined);
  const undrawn = useMemo(() => countUndrawn(spec), [spec]);

  return (
    <figure class="line-chart">
      <figcaption>
        <h3 id={title}>
          <Explained text={spec.title} />
          {spec.unit !== "" && <span class="unit">{spec.unit}</span>}
          {spec.scale === "log" && <span class="unit">log</span>}
        </h3>
        {at !== null && <span class="at">{sayX(shown, at)}</span>}
        {tools}
        <ExportMenu name={spec.id} svg={() => lineChart(spec)} rows={() => chartRows(spec)} />
      </figcaption>
      <ChartPlot {...{ spec, shown, layout, width, place, at, title }} onWidth={setWidth} {...events} />
      <ul class="lines">
        {told.lines
          .filter(({ color }) => color !== "faint")
          .map((line) => (
            <li key={line.label}>
              <svg width="16" height="8" aria-hidden="true">
                <path
                  d="M0 4h16"
                  stroke={`var(--${line.color})`}
                  stroke-width={line.isBehind ? 1 : 2.5}
                  stroke-opacity={line.isBehind ? 0.6 : 1}
                  stroke-dasharray={line.dash?.join(" ")}
                />
              </svg>
              <span class="name" title={line.label}>
                {line.smooths === undefined ? line.label : `smoothed ${line.smooths}`}
                {at === null && ","}
              </span>{" "}
              <Figure {...readLine(told, line, at)} />
            </li>
          ))}
        {told.band !== undefined && (
          <li>
            <span class="swatch" />
            <span class="name">{at === null ? `${told.band.label},` : told.band.label}</span>{" "}
            <Figure {...readout({ ...told, extreme: "least" }, told.band.low, at)} before="" /> to{" "}
            <Figure {...readout({ ...told, extreme: "most" }, told.band.high, at)} before="" />
          </li>
        )}
        {smoothed !== undefined && (
          <li class="note">smoothed: {smoothed.label.replace(`${smoothed.smooths}, `, "")}</li>
        )}
        {shown.fold !== undefined && (
          <li class="note">
            each point: median of {shown.fold.size} {spec.xLabel}s, in a band of their extremes
          </li>
        )}
        {undrawn > 0 && <li class="note">{undrawn} values ≤ 0 cannot be drawn on a log axis</li>}
        {note}
      </ul>
    </figure>
  );
}

function Figure({ before, value, after }: Readout) {
  return (
    <span class="figure">
      {before} <b>{value}</b> {after}
    </span>
  );
}

export function useCrosshair(): Signal<number | null> {
  return useMemo(() => signal<number | null>(null), []);
}
