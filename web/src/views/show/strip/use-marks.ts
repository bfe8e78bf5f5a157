import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Held } from "../linked.ts";
import type { TokenStripProps } from "./token-strip-props.ts";

/** Places that are marked independently of the metric. */
export interface Marks {
  readonly current: number | undefined;
  readonly pins: readonly number[];
  readonly hovered: number | undefined;
}

/**
 * Keeps the marks and repaints only tokens whose marks change: moving the pointer over the text changes two tokens and
 * must not repaint thousands.
 */
export function useMarks({ model, choices, linked, strip }: TokenStripProps): Held<Marks> {
  const { place, pins } = choices;
  const marks = useRef<Marks>({ current: undefined, pins: [], hovered: undefined });
  const mark = (next: Partial<Marks>): void => {
    const before = marks.current;
    marks.current = { ...before, ...next };
    const places = [before, marks.current].flatMap((of) => [of.current, of.hovered, ...of.pins]);
    strip.current?.repaint(new Set(places.filter((at) => at !== undefined)));
  };
  useLayoutEffect(() => {
    mark({ current: place, pins: pins.map((token) => token + model.prompt) });
  }, [model, place, pins.join()]);
  useSignalEffect(() => mark({ hovered: linked.hovered.value?.place }));
  return marks;
}

/** The classes of a place's marks, each with a space before it. */
export function markClasses({ current, pins, hovered }: Marks, place: number): string {
  let names = "";
  if (place === current) names += " current";
  if (pins.includes(place)) names += " pinned";
  if (place === hovered) names += " hovered";
  return names;
}
