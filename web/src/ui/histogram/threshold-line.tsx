import { formatPlain, formatSigned } from "../../../../src/render/text/display/index.ts";
import { type Axis, clampPlace } from "./axis.ts";
import type { Threshold } from "./threshold.ts";

/** Share of the axis per press of an arrow key. */
const [STEP, LARGE_STEP] = [1 / 250, 1 / 25];

/** A line that is dragged, or moved with the arrow keys. */
export function ThresholdLine({
  axis,
  threshold: { name, label, kind, ratio },
  at,
  onMove,
  onHold,
}: {
  readonly axis: Axis;
  readonly threshold: Threshold;
  /** Its index among the lines; its tag stands below those of the lines before it. */
  readonly at: number;
  readonly onMove: (name: string, ratio: number) => void;
  /** True while it is held, false when it is released. */
  readonly onHold: (held: boolean) => void;
}) {
  const place = clampPlace(axis.place(Math.log(ratio)));
  const [least, most] = [Math.exp(-axis.reach), Math.exp(axis.reach)];
  const move = (to: number): void => onMove(name, Math.exp(axis.value(clampPlace(to))));
  return (
    <div
      class={`threshold ${kind}`}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Math.max(least, Math.min(most, ratio))}
      aria-valuetext={`ratio ${formatPlain(ratio)}, Δ ${formatSigned(Math.log(ratio))} nats`}
      style={{ insetInlineStart: `${((place + 1) / 2) * 100}%` }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
        onHold(true);
      }}
      onPointerMove={({ currentTarget: line, pointerId, clientX }) => {
        const bounds = line.parentElement?.getBoundingClientRect();
        if (bounds === undefined || !line.hasPointerCapture(pointerId)) return;
        move((2 * (clientX - bounds.left)) / bounds.width - 1);
      }}
      onLostPointerCapture={() => onHold(false)}
      onKeyDown={(event) => {
        const to = placeAfter(event.key, place, 2 * (event.shiftKey ? LARGE_STEP : STEP));
        if (to === undefined) return;
        event.preventDefault();
        // The view binds arrow keys, too.
        event.stopPropagation();
        onHold(true);
        move(to);
      }}
      onKeyUp={() => onHold(false)}
      onBlur={() => onHold(false)}
    >
      <span class={`tag ${place > 0.6 ? "before" : ""}`} style={{ insetBlockStart: `${22 + at * 22}px` }}>
        {label} <b>{formatPlain(ratio)}</b>
      </span>
    </div>
  );
}

function placeAfter(key: string, place: number, step: number): number | undefined {
  if (key === "ArrowRight" || key === "ArrowUp") return place + step;
  if (key === "ArrowLeft" || key === "ArrowDown") return place - step;
  if (key === "PageUp") return place + 10 * step;
  if (key === "PageDown") return place - 10 * step;
  if (key === "Home") return -1;
  return key === "End" ? 1 : undefined;
}
