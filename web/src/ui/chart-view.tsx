import { type Signal, signal } from "@preact/signals";
import { useId, useMemo } from "preact/hooks";
import {
  type ChartSpec,
  chartRows,
  countUndrawn,
  lineChart,
  type Readout,
  readout,
} from "../../../src/render/charts/index.ts";
import "./chart.css";
import { ChartPlot, type PlotEvents } from "./chart-plot.tsx";
import { ExportMenu } from "./export-menu.tsx";

/** A chart with its legend of numbers, which are those at the crosshair. */
export function ChartView({ spec, ...events }: PlotEvents & { readonly spec: ChartSpec }) {
  const title = useId();
  const { value } = events.crosshair;
  // Charts of another range of x have other places; until the pointer moves there is none.
  const at = value !== null && value < spec.xs.length ? value : null;
  const undrawn = useMemo(() => countUndrawn(spec), [spec]);

  return (
    <figure class="line-chart">
      <figcaption>
        <h3 id={title}>
          {spec.title}
          {spec.unit !== "" && <span class="unit">{spec.unit}</span>}
          {spec.scale === "log" && <span class="unit">log</span>}
        </h3>
        {at !== null && (
          <span class="at">
            {spec.xLabel} {spec.xs[at]}
          </span>
        )}
        <ExportMenu name={spec.id} svg={() => lineChart(spec)} rows={() => chartRows(spec)} />
      </figcaption>
      <ChartPlot spec={spec} at={at} title={title} {...events} />
      <ul class="lines">
        {spec.lines
          .filter(({ colour }) => colour !== "faint")
          .map((line) => (
            <li key={line.label}>
              <svg width="16" height="8" aria-hidden="true">
                <path
                  d="M0 4h16"
                  stroke={`var(--${line.colour})`}
                  stroke-width="2.5"
                  stroke-dasharray={line.dash?.join(" ")}
                />
              </svg>
              <span class="name">{at === null ? `${line.label},` : line.label}</span>{" "}
              <Figure {...readout(spec, line.values, at)} />
            </li>
          ))}
        {spec.band !== undefined && (
          <li>
            <span class="swatch" />
            <span class="name">{at === null ? `${spec.band.label},` : spec.band.label}</span>{" "}
            <Figure {...readout({ ...spec, extreme: "least" }, spec.band.low, at)} before="" /> to{" "}
            <Figure {...readout({ ...spec, extreme: "most" }, spec.band.high, at)} before="" />
          </li>
        )}
        {undrawn > 0 && <li class="note">{undrawn} values ≤ 0 have no place on a log axis</li>}
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
