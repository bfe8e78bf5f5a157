import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatNumber, formatSigned } from "../format.ts";
import { isDark } from "../theme.ts";
import { countColumns, drawHistogram, type HistogramPicture } from "./draw-histogram.ts";
import "./style.css";

export interface Threshold {
  readonly name: string;
  /** `truncate above`. */
  readonly label: string;
  /** A ratio; 0 and infinity stand at the ends of the axis. */
  readonly ratio: number;
}

/** Of the axis, per press of an arrow. */
const [STEP, LARGE_STEP] = [1 / 250, 1 / 25];
const HEIGHT = 300;

/** A histogram of Δ with lines that are dragged or moved with the arrow keys. */
export function ThresholdHistogram({
  label,
  picture,
  thresholds,
  onMove,
  onHold,
}: {
  readonly label: string;
  readonly picture: HistogramPicture;
  readonly thresholds: readonly Threshold[];
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
  // Dark is not read, but colours are others with it.
  useEffect(() => {
    if (canvas.current !== null && width > 0) drawHistogram(canvas.current, width, HEIGHT, picture, counts);
  }, [picture, counts, width, dark]);

  const ratioAt = (place: number): number => Math.exp(axis.value(Math.max(-1, Math.min(1, place))));
  return (
    <div class="threshold-histogram" ref={box} style={{ blockSize: `${HEIGHT}px` }}>
      <canvas ref={canvas} role="img" aria-label={label} />
      {thresholds.map(({ name, label: title, ratio }, at) => {
        const place = Math.max(-1, Math.min(1, axis.place(Math.log(ratio))));
        const move = (to: number): void => onMove(name, ratioAt(to));
        const drag = (event: PointerEvent): void => {
          const bounds = box.current?.getBoundingClientRect();
          if (bounds !== undefined) move((2 * (event.clientX - bounds.left)) / bounds.width - 1);
        };
        return (
          <div
            key={name}
            class={`threshold at-${name}`}
            role="slider"
            tabIndex={0}
            aria-label={title}
            aria-orientation="horizontal"
            aria-valuemin={Math.exp(-axis.reach)}
            aria-valuemax={Math.exp(axis.reach)}
            aria-valuenow={Math.max(Math.exp(-axis.reach), Math.min(Math.exp(axis.reach), ratio))}
            aria-valuetext={`ratio ${formatNumber(ratio)}, Δ ${formatSigned(Math.log(ratio))} nats`}
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
              {title} <b>{formatNumber(ratio)}</b>
            </span>
          </div>
        );
      })}
    </div>
  );
}

function keyPlace(key: string, place: number, step: number): number | undefined {
  if (key === "ArrowRight" || key === "ArrowUp") return place + step;
  if (key === "ArrowLeft" || key === "ArrowDown") return place - step;
  if (key === "PageUp") return place + 10 * step;
  if (key === "PageDown") return place - 10 * step;
  if (key === "Home") return -1;
  return key === "End" ? 1 : undefined;
}
