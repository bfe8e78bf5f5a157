import { useRef } from "preact/hooks";
import type { Linked } from "../linked.ts";
import type { Axis, TokenRange } from "../model/axis.ts";
import type { SequenceModel } from "../model/sequence-model.ts";

/** Pixels of movement that turn a click into a drag. */
const DRAG = 4;

export interface Pointing {
  readonly model: SequenceModel;
  readonly axis: Axis;
  readonly linked: Linked;
  /** Where arrow keys start from. */
  readonly here: number;
  /** Place from the first prompt token. */
  readonly onJump: (place: number) => void;
  readonly onRange: (range: TokenRange | undefined) => void;
}

/** What pointer and keys do on the minimap: hover, click to go, drag (or Shift with arrows) to choose a range. */
export function usePointing({ model, axis, linked, here, onJump, onRange }: Pointing) {
  const drag = useRef<{ x: number; place: number; moved: boolean } | undefined>(undefined);
  /** Where a range by keys begins. */
  const anchor = useRef<number | undefined>(undefined);
  const placeAt = ({ clientX }: PointerEvent, on: HTMLElement): number =>
    axis.tokenAt(clientX - on.getBoundingClientRect().left);
  const choose = (a: number, b: number): void => {
    const from = Math.max(0, Math.min(a, b) - model.prompt);
    const to = Math.max(a, b) - model.prompt;
    // Ranges consist of response tokens; one with prompt tokens only selects nothing.
    onRange(to < 0 ? undefined : { from, to });
  };
  type OnPointer = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => void;
  const onPointerDown: OnPointer = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, place: placeAt(event, event.currentTarget), moved: false };
  };
  const onPointerMove: OnPointer = (event) => {
    const at = placeAt(event, event.currentTarget);
    if (linked.hovered.peek()?.place !== at) linked.hovered.value = { place: at, on: "minimap" };
    if (drag.current === undefined) return;
    drag.current.moved ||= Math.abs(event.clientX - drag.current.x) > DRAG;
    if (drag.current.moved) choose(drag.current.place, at);
  };
  const onPointerUp: OnPointer = (event) => {
    if (drag.current !== undefined && !drag.current.moved) onJump(placeAt(event, event.currentTarget));
    drag.current = undefined;
  };
  const onPointerCancel = (): void => {
    drag.current = undefined;
  };
  const onPointerLeave = (): void => {
    linked.hovered.value = undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = placeAfter(event.key, here, model.length);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.shiftKey) {
      anchor.current ??= here;
      choose(anchor.current, to);
    } else anchor.current = undefined;
    onJump(to);
  };
  return { onKeyDown, onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave };
}

/** Arrow keys move by a hundredth of the sequence, page keys by a tenth. */
function placeAfter(key: string, from: number, length: number): number | undefined {
  const small = Math.max(1, Math.round(length / 100));
  const large = Math.max(1, Math.round(length / 10));
  const to: Readonly<Record<string, number>> = {
    ArrowRight: from + small,
    ArrowLeft: from - small,
    PageDown: from + large,
    PageUp: from - large,
    Home: 0,
    End: length - 1,
  };
  const wanted = to[key];
  return wanted === undefined ? undefined : Math.min(length - 1, Math.max(0, wanted));
}
