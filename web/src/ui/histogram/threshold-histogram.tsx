import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ExportMenu } from "../export-menu.tsx";
import { isDark, onPaper } from "../theme.ts";
import { clampPlace } from "./axis.ts";
import { countColumns, drawHistogram, type HistogramPicture, scaledPen } from "./draw-histogram.ts";
import { histogramRows, histogramSvg } from "./histogram-export.ts";
import { HEIGHT, type Threshold } from "./threshold.ts";
import { ThresholdLine } from "./threshold-line.tsx";
import "./style.css";

/** A click picks this many pixels on either side. */
const BAR = 4;

export interface ThresholdHistogramProps {
  readonly label: string;
  readonly picture: HistogramPicture;
  readonly thresholds: readonly Threshold[];
  /** The stretch that is marked, nats; its ends may be infinite. */
  readonly picked: readonly [from: number, to: number] | undefined;
  /** A stretch was brushed, or a bar clicked. */
  readonly onPick: (from: number, to: number) => void;
  readonly onMove: (name: string, ratio: number) => void;
  /** True while a line is held, false when it is released. */
  readonly onHold: (held: boolean) => void;
}

/**
 * A histogram of Δ with layers that react to the pointer:
 *
 *     canvas           bars and zones; a drag brushes a stretch, a click picks one bar
 *     .picked          the stretch
 *     ThresholdLine    one for each threshold, on top so that it gets the pointer first
 */
export function ThresholdHistogram(props: ThresholdHistogramProps) {
  const { label, picture, thresholds, picked, onPick, onMove, onHold } = props;
  const { box, canvas, width } = useCanvas(picture);
  const brush = useBrush(picture, width, onPick);
  const marked = brush.stretch ?? picked?.map((delta) => placeDelta(picture, width, delta));
  return (
    <div class="threshold-frame">
      <ExportMenu
        name="ratio-histogram"
        svg={() => onPaper(() => histogramSvg(label, picture, thresholds))}
        rows={() => histogramRows(picture)}
      />
      <div class="threshold-histogram" ref={box} style={{ blockSize: `${HEIGHT}px` }}>
        <canvas ref={canvas} role="img" aria-label={label} {...brush.handlers} />
        {marked && (
          <div
            class="picked"
            style={{
              insetInlineStart: `${Math.min(...marked)}px`,
              inlineSize: `${Math.abs(marked[1]! - marked[0]!)}px`,
            }}
          />
        )}
        {thresholds.map((threshold, at) => (
          <ThresholdLine key={threshold.name} {...{ axis: picture.axis, threshold, at, onMove, onHold }} />
        ))}
      </div>
    </div>
  );
}

/** Keeps the canvas as wide as its box, and drawn. */
function useCanvas(picture: HistogramPicture) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { axis, sides } = picture;
  // Separate from the drawing: dragging a line changes zones but no counts.
  const counts = useMemo(() => countColumns(axis, sides, width), [axis, sides, width]);
  // `dark` is not read, but changes the colors.
  useEffect(() => {
    const pen = canvas.current === null || width === 0 ? null : scaledPen(canvas.current, width, HEIGHT);
    if (pen !== null) drawHistogram(pen, width, HEIGHT, picture, counts);
  }, [picture, counts, width, isDark.value]);
  return { box, canvas, width };
}

/** The stretch being brushed, in pixels, and the canvas's event handlers. */
function useBrush({ axis }: HistogramPicture, width: number, onPick: (from: number, to: number) => void) {
  const [stretch, setStretch] = useState<readonly [from: number, to: number]>();
  // Values beyond the axis are in its outermost bars.
  const deltaAt = (x: number): number =>
    x < BAR ? -Infinity : x > width - BAR ? Infinity : axis.value((2 * x) / width - 1);
  const handlers = {
    onPointerDown: (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setStretch([event.offsetX, event.offsetX]);
    },
    onPointerMove: ({ offsetX }: PointerEvent) => stretch && setStretch([stretch[0], offsetX]),
    onPointerCancel: () => setStretch(undefined),
    onPointerUp: () => {
      if (stretch === undefined) return;
      const [from, to] = [Math.min(...stretch), Math.max(...stretch)];
      const room = to - from < BAR ? BAR : 0;
      setStretch(undefined);
      onPick(deltaAt(from - room), deltaAt(to + room));
    },
  };
  return { stretch, handlers };
}

function placeDelta({ axis }: HistogramPicture, width: number, delta: number): number {
  return ((clampPlace(axis.place(delta)) + 1) / 2) * width;
}
