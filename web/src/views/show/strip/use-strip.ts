/**
 * Tells the strip what has changed. The order of the effects matters: before it is scrolled to, a text must have its
 * elements, its mode and its folds.
 *
 *     model                  ─► a new Strip                          (other elements)
 *     mode, numbers          ─► setMode, and back to what was seen   (other text)
 *     toggled, hits          ─► setFolded
 *     metric, fates, hits, … ─► paint                                (classes of all tokens that have elements)
 *     place, pins, hovered   ─► repaint                              (classes of a few)
 *     place                  ─► reveal                               (scrolls)
 *
 * @module
 */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatCounted } from "../../../../../src/render/text/display/index.ts";
import type { Held } from "../linked.ts";
import { hitsWithin } from "../model/find.ts";
import { numberClasses } from "../model/numbers.ts";
import { foldedAtFirst, type TokenRun } from "../model/runs.ts";
import { classesFor, hitClasses } from "./classes.ts";
import { bringIntoSight, centre } from "./reveal.ts";
import { Strip } from "./strip.ts";
import type { TokenStripProps } from "./token-strip-props.ts";
import { markClasses, useMarks } from "./use-marks.ts";

type Scroller = Held<HTMLDivElement | null>;

/** Keeps the text in `scroller` in sync with the properties. */
export function useStrip(scroller: Scroller, props: TokenStripProps): void {
  useBuilt(scroller, props);
  useMode(scroller, props);
  useFolds(props);
  usePaint(props);
  useReveal(scroller, props);
}

function useBuilt(scroller: Scroller, { model, linked, strip, onGoTo, onToggle }: TokenStripProps): void {
  // The strip outlives a render; its callbacks do not.
  const events = useRef({ onGoTo, onToggle });
  events.current = { onGoTo, onToggle };
  useLayoutEffect(() => {
    const built = new Strip(scroller.current!, model, {
      onToggle: (run) => events.current.onToggle(run),
      onGoTo: (token) => events.current.onGoTo(token),
      onSight: (from, to) => {
        linked.sight.value = { from, to };
      },
    });
    strip.current = built;
    return () => {
      built.stop();
      strip.current = undefined;
    };
  }, [model]);
}

function useMode(scroller: Scroller, { model, choices, linked, strip }: TokenStripProps): void {
  const { mode, numbers, place } = choices;
  useLayoutEffect(() => {
    const { from, to } = linked.sight.peek();
    strip.current?.setMode(mode, numbers);
    // Nothing has been in sight yet.
    if (to === 0) return;
    // The new text is longer or shorter; keep what was in sight.
    const kept = place !== undefined && place >= from && place < to ? place : Math.floor((from + to) / 2);
    centre(scroller.current!, () => strip.current?.spanOf(kept));
  }, [model, mode, numbers]);
}

function useFolds({ model, choices, hits, strip }: TokenStripProps): void {
  const { toggled } = choices;
  useLayoutEffect(() => {
    const writeNote = ({ from, to }: TokenRun): string => {
      const count = hits === undefined ? 0 : hitsWithin(hits, from, to);
      return count === 0 ? "" : ` · ${formatCounted(count, "hit")}`;
    };
    strip.current?.setFolded((run) => isFolded(run, toggled), writeNote);
  }, [model, [...toggled].join(), hits]);
}

function usePaint(props: TokenStripProps): void {
  const { model, choices, fates, values, numbers, hits, strip } = props;
  const { numbers: showsNumbers, scale, range } = choices;
  const marks = useMarks(props);
  useLayoutEffect(() => {
    const classes = classesFor(model, { values, scale, fates, range });
    // Called for each token that comes into sight.
    strip.current?.paint((at) => {
      let names = classes(at);
      if (showsNumbers) names += numberClasses(numbers.at(at));
      if (hits !== undefined) names += hitClasses(hits.marked[at]!);
      return names + markClasses(marks.current, at);
    });
  }, [model, values, showsNumbers, hits, scale.domain, scale.end, fates, range?.from, range?.to]);
}

/** Brings the current token into sight when it changes. */
function useReveal(scroller: Scroller, { model, choices, follow, strip, onToggle }: TokenStripProps): void {
  const { place, toggled } = choices;
  const revealed = useRef<number | undefined>(undefined);
  useEffect(() => {
    const how = follow.current;
    if (place === undefined || revealed.current === place) return;
    const fold = strip.current?.foldOf(place);
    if (fold !== undefined && isFolded(fold, toggled)) {
      // The effect runs again once it is unfolded.
      onToggle(fold);
      return;
    }
    revealed.current = place;
    // The default for the next move, unless it sets something else.
    follow.current = "centre";
    const span = strip.current?.spanOf(place);
    if (span === undefined || how === "stay") return;
    if (how === "near" && bringIntoSight(scroller.current!, span)) return;
    centre(scroller.current!, () => strip.current?.spanOf(place));
  }, [model, place, [...toggled].join()]);
}

/** The address lists the runs whose folding differs from the default. */
function isFolded(run: TokenRun, toggled: ReadonlySet<number>): boolean {
  return foldedAtFirst(run) !== toggled.has(run.index);
}
