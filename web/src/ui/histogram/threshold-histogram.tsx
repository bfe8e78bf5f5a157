import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatPlain, formatSigned } from "../../../../src/render/text/display/index.ts";
import type { Row } from "../export.ts";
import { ExportMenu } from "../export-menu.tsx";
import { canvasSvg } from "../svg-canvas.ts";
import { isDark, onPaper, themeColour } from "../theme.ts";
import {
  columnEdges,
  countColumns,
  drawHistogram,
  type HistogramPicture,
  scaledPen,
} from "./draw-histogram.ts";
import "./style.css";

export interface Threshold {
  readonly name: string;
  /** `truncate above`. */
  readonly label: string;
  readonly kind: "clipped" | "dropped" | "veto";
  /** A ratio; 0 and infinity stand at the ends of the axis. */
  readonly ratio: number;
}

/** Of the axis, per press of an arrow. */
const [STEP, LARGE_STEP] = [1 / 250, 1 / 25];
const HEIGHT = 300;
/** Pixels on either side of a click. */
const BAR = 4;

/** A histogram of Δ with lines that are dragged or moved with the arrow keys. */
export function ThresholdHistogram({
  label,
  picture,
  thresholds,
  picked,
  onPick,
  onMove,
  onHold,
}: {
  readonly label: string;
  readonly picture: HistogramPicture;
  readonly thresholds: readonly Threshold[];
  /** The stretch that is marked, nats; its ends may be infinite. */
  readonly picked: readonly [from: number, to: number] | undefined;
  /** A stretch was brushed, or a bar clicked. */
  readonly onPick: (from: number, to: number) => void;
  readonly onMove: (name: string, ratio: number) => void;
  /** True while a line is held, false when it is let go. */
  readonly onHold: (held: boolean) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const dark = isDark.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { axis, sides } = picture;
  const counts = useMemo(() => countColumns(axis, sides, width), [axis, sides, width]);
  // Dark is not read, but colors are others with it.
  useEffect(() => {
    const pen = canvas.current === null || width === 0 ? null : scaledPen(canvas.current, width, HEIGHT);
    if (pen !== null) drawHistogram(pen, width, HEIGHT, picture, counts);
  }, [picture, counts, width, dark]);

  const [brush, setBrush] = useState<readonly [from: number, to: number]>();
  // What lies beyond the axis is in its outermost bars.
  const deltaAt = (x: number): number =>
    x < BAR ? -Infinity : x > width - BAR ? Infinity : axis.value((2 * x) / width - 1);
  const placeDelta = (delta: number): number =>
    ((Math.max(-1, Math.min(1, axis.place(delta))) + 1) / 2) * width;
  const marked = brush ?? picked?.map(placeDelta);

  const ratioAt = (place: number): number => Math.exp(axis.value(Math.max(-1, Math.min(1, place))));
  return (
    <div class="threshold-frame">
      <ExportMenu
        name="ratio-histogram"
        svg={() => onPaper(() => histogramSvg(label, picture, thresholds))}
        rows={() => histogramRows(picture)}
      />
      <div class="threshold-histogram" ref={box} style={{ blockSize: `${HEIGHT}px` }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={label}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setBrush([event.offsetX, event.offsetX]);
          }}
          onPointerMove={(event) => brush && setBrush([brush[0], event.offsetX])}
          onPointerCancel={() => setBrush(undefined)}
          onPointerUp={() => {
            if (brush === undefined) return;
            const [from, to] = [Math.min(...brush), Math.max(...brush)];
            const room = to - from < BAR ? BAR : 0;
            setBrush(undefined);
            onPick(deltaAt(from - room), deltaAt(to + room));
          }}
        />
        {marked && (
          <div
            class="picked"
            style={{
              insetInlineStart: `${Math.min(...marked)}px`,
              inlineSize: `${Math.abs(marked[1]! - marked[0]!)}px`,
            }}
          />
        )}
        {thresholds.map(({ name, label: title, ratio, kind }, at) => {
          const place = Math.max(-1, Math.min(1, axis.place(Math.log(ratio))));
          const move = (to: number): void => onMove(name, ratioAt(to));
          const drag = (event: PointerEvent): void => {
            const bounds = box.current?.getBoundingClientRect();
            if (bounds !== undefined) move((2 * (event.clientX - bounds.left)) / bounds.width - 1);
          };
          return (
            <div
              key={name}
              class={`threshold ${kind}`}
              role="slider"
              tabIndex={0}
              aria-label={title}
              aria-orientation="horizontal"
              aria-valuemin={Math.exp(-axis.reach)}
              aria-valuemax={Math.exp(axis.reach)}
              aria-valuenow={Math.max(Math.exp(-axis.reach), Math.min(Math.exp(axis.reach), ratio))}
              aria-valuetext={`ratio ${formatPlain(ratio)}, Δ ${formatSigned(Math.log(ratio))} nats`}
              style={{ insetInlineStart: `${((place + 1) / 2) * 100}%` }}
              onPointerDown={(event) => {
                event.preventDefault();
                event.currentTarget.focus();
                event.currentTarget.setPointerCapture(event.pointerId);
                onHold(true);
              }}
              onPointerMove={(event) => {
                if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(event);
              }}
              onLostPointerCapture={() => onHold(false)}
              onKeyDown={(event) => {
                const step = event.shiftKey ? LARGE_STEP : STEP;
                const to = keyPlace(event.key, place, 2 * step);
                if (to === undefined) return;
                event.preventDefault();
                event.stopPropagation();
                onHold(true);
                move(to);
              }}
              onKeyUp={() => onHold(false)}
              onBlur={() => onHold(false)}
            >
              <span
                class={`tag ${place > 0.6 ? "before" : ""}`}
                style={{ insetBlockStart: `${22 + at * 22}px` }}
              >
                {title} <b>{formatPlain(ratio)}</b>
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

const EXPORTED_WIDTH = 720;
const LEGEND = 24;

/** The histogram with its lines and zones, and below it which side is which. */
function histogramSvg(label: string, picture: HistogramPicture, thresholds: readonly Threshold[]): string {
  const { axis, sides } = picture;
  return canvasSvg(label, EXPORTED_WIDTH, HEIGHT + LEGEND, (pen) => {
    const counts = countColumns(axis, sides, EXPORTED_WIDTH);
    drawHistogram(pen, EXPORTED_WIDTH, HEIGHT, picture, counts);
    pen.textAlign = "left";
    for (const [at, { label: name, ratio }] of thresholds.entries()) {
      const place = Math.max(-1, Math.min(1, axis.place(Math.log(ratio))));
      const x = ((place + 1) / 2) * EXPORTED_WIDTH;
      pen.fillStyle = themeColour("--text");
      pen.fillRect(x - 1, 18, 2, HEIGHT - 36);
      pen.strokeStyle = themeColour("--page");
      pen.lineWidth = 3;
      pen.textAlign = place > 0.6 ? "right" : "left";
      const [left, y] = [x + (place > 0.6 ? -6 : 6), 34 + at * 18];
      pen.strokeText(`${name} ${formatPlain(ratio)}`, left, y);
      pen.fillText(`${name} ${formatPlain(ratio)}`, left, y);
    }
    pen.textAlign = "left";
    let left = 0;
    for (const { name, colour, up } of sides) {
      pen.fillStyle = themeColour(colour);
      pen.fillRect(left, HEIGHT + 8, 12, 10);
      pen.fillStyle = themeColour("--text");
      const text = sides.length > 1 ? `${name} ${up ? "↑" : "↓"}` : name;
      pen.fillText(text, left + 17, HEIGHT + 17);
      left += 17 + pen.measureText(text).width + 20;
    }
    pen.fillStyle = themeColour("--muted");
    pen.textAlign = "right";
    pen.fillText("Δ, nats, below; ratio above; heights logarithmic", EXPORTED_WIDTH, HEIGHT + 17);
  });
}

function histogramRows({ axis, sides }: HistogramPicture): Row[] {
  const counts = countColumns(axis, sides, EXPORTED_WIDTH);
  return columnEdges(axis, EXPORTED_WIDTH).map(([from, to], column) => ({
    from,
    to,
    ...Object.fromEntries(sides.map(({ name }, side) => [name, counts[side]?.[column] ?? null])),
  }));
}

function keyPlace(key: string, place: number, step: number): number | undefined {
  if (key === "ArrowRight" || key === "ArrowUp") return place + step;
  if (key === "ArrowLeft" || key === "ArrowDown") return place - step;
  if (key === "PageUp") return place + 10 * step;
  if (key === "PageDown") return place - 10 * step;
  if (key === "Home") return -1;
  return key === "End" ? 1 : undefined;
}
