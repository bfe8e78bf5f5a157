import { type Signal, signal, useSignalEffect } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import {
  type ChartSpec,
  chartRows,
  countUndrawn,
  type Readout,
  readout,
  sayPoint,
} from "../../../src/report/charts/chart-spec.ts";
import { lineChart } from "../../../src/report/charts/line-chart.ts";
import { type Chart, type ChartEvents, createChart } from "./chart.ts";
import "./chart.css";
import { ExportMenu } from "./export-menu.tsx";
import { isDark } from "./theme.ts";

export interface ChartViewProps {
  readonly spec: ChartSpec;
  /** Shared by charts over the same x: a place among them. */
  readonly crosshair: Signal<number | null>;
  /** Range of x that is marked; null: none. */
  readonly marked: readonly [number, number] | null;
  /** By x. */
  readonly onOpen: (x: number) => void;
  readonly onBrush: (from: number, to: number) => void;
}

/**
 * A chart with its legend of numbers. With the keyboard it is a slider over its x: arrows move the crosshair, Enter
 * opens, and each place is said.
 */
export function ChartView({ spec, crosshair, marked, onOpen, onBrush }: ChartViewProps) {
  const title = useId();
  const area = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const events = useRef<ChartEvents>(undefined as unknown as ChartEvents);
  events.current = {
    onHover: (index) => {
      crosshair.value = index;
    },
    onClick: (index) => onOpen(spec.xs[index] ?? 0),
    onBrush,
  };
  const [markFrom, markTo] = marked ?? [undefined, undefined];

  useEffect(() => {
    const parent = area.current;
    if (parent === null) return;
    const made = createChart(parent, spec, {
      onHover: (index) => events.current.onHover(index),
      onClick: (index) => events.current.onClick(index),
      onBrush: (low, high) => events.current.onBrush(low, high),
    });
    chart.current = made;
    made.mark(marked);
    const observer = new ResizeObserver(() => made.resize(parent.clientWidth));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [spec]);
  useEffect(() => chart.current?.mark(marked), [markFrom, markTo]);
  useSignalEffect(() => chart.current?.point(crosshair.value));
  useSignalEffect(() => {
    isDark.value;
    // Colours of the style sheet are those of the new theme only after the page has taken it.
    requestAnimationFrame(() => chart.current?.repaint());
  });

  // Charts of another range of x have other places; until the pointer moves there is none.
  const at = crosshair.value !== null && crosshair.value < spec.xs.length ? crosshair.value : null;
  const undrawn = useMemo(() => countUndrawn(spec), [spec]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = spec.xs.length - 1;
    const moves: Record<string, number> = {
      ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
      ArrowRight: Math.min(last, (at ?? -1) + 1),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next !== undefined) crosshair.value = next;
    else if (event.key === "Enter" && at !== null) onOpen(spec.xs[at] ?? 0);
    else if (event.key === "Escape") crosshair.value = null;
    else return;
    event.preventDefault();
  };

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
      <div
        class="plot"
        ref={area}
        style={spec.height === undefined ? undefined : { height: `${spec.height}px` }}
        role="slider"
        tabIndex={0}
        aria-labelledby={title}
        aria-orientation="horizontal"
        aria-valuemin={spec.xs[0] ?? 0}
        aria-valuemax={spec.xs.at(-1) ?? 0}
        aria-valuenow={spec.xs[at ?? 0] ?? 0}
        aria-valuetext={at === null ? "no step chosen" : sayPoint(spec, at)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          crosshair.value = null;
        }}
      />
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
