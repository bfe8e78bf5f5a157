import { useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatCounted } from "../../../../../src/render/text/display/index.ts";
import type { Follow, Held, Linked } from "../linked.ts";
import type { Fates } from "../model/fate.ts";
import { type Hits, hitsWithin } from "../model/find.ts";
import { type Numbers, numberClasses } from "../model/numbers.ts";
import { foldedAtFirst, type TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { Settings } from "../settings.ts";
import { classesFor, hitClasses } from "./classes.ts";
import { copyText } from "./copy-text.ts";
import { bringIntoSight, centre } from "./reveal.ts";
import { buildStrip, type Strip } from "./strip.ts";
import { findPlace } from "./token-span.ts";

export interface TokenStripProps {
  readonly model: SequenceModel;
  readonly settings: Settings;
  readonly fates: Fates;
  readonly values: Float64Array;
  readonly numbers: Numbers;
  readonly hits: Hits | undefined;
  readonly linked: Linked;
  /** How the next change of the current token is followed. */
  readonly follow: Held<Follow>;
  readonly strip: Held<Strip | undefined>;
  readonly onPick: (token: number) => void;
  readonly onGoTo: (token: number) => void;
  readonly onToggle: (run: TokenRun) => void;
}

/** The text of the sequence, colored. The elements in it are the strip's own. */
export function TokenStrip({
  model,
  settings,
  fates,
  values,
  numbers,
  hits,
  linked,
  follow,
  strip,
  onPick,
  onGoTo,
  onToggle,
}: TokenStripProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const events = useRef({ onPick, onGoTo, onToggle });
  events.current = { onPick, onGoTo, onToggle };
  const marks = useRef<{ current: number | undefined; pins: readonly number[]; hovered: number | undefined }>(
    {
      current: undefined,
      pins: [],
      hovered: undefined,
    },
  );
  const revealed = useRef<number | undefined>(undefined);
  const { mode, numbers: showsNumbers, domain, range, place, current, pins, toggled } = settings;

  useLayoutEffect(() => {
    const built = buildStrip(scroller.current!, model, {
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

  useLayoutEffect(() => {
    const { from, to } = linked.sight.peek();
    strip.current?.setMode(mode, showsNumbers);
    if (to === 0) return;
    // Another text is longer or shorter: what was looked at stays in sight.
    const kept = place !== undefined && place >= from && place < to ? place : Math.floor((from + to) / 2);
    centre(scroller.current!, () => strip.current?.spanOf(kept));
  }, [model, mode, showsNumbers]);

  useLayoutEffect(() => {
    const writeNote = ({ from, to }: TokenRun): string => {
      const count = hits === undefined ? 0 : hitsWithin(hits, from, to);
      return count === 0 ? "" : ` · ${formatCounted(count, "hit")}`;
    };
    strip.current?.setFolded((run) => foldedAtFirst(run) !== toggled.has(run.index), writeNote);
  }, [model, [...toggled].join(), hits]);

  useLayoutEffect(() => {
    const classes = classesFor(model, { values, domain, fates, range });
    strip.current?.paint((at) => {
      const { current: here, pins: pinned, hovered } = marks.current;
      let names = classes(at);
      if (showsNumbers) names += numberClasses(numbers.at(at));
      if (hits !== undefined) names += hitClasses(hits.marked[at]!);
      if (at === here) names += " current";
      if (pinned.includes(at)) names += " pinned";
      if (at === hovered) names += " hovered";
      return names;
    });
  }, [model, values, showsNumbers, hits, domain, fates, range?.from, range?.to]);

  const mark = (next: Partial<typeof marks.current>): void => {
    const before = marks.current;
    marks.current = { ...before, ...next };
    const places = [before, marks.current].flatMap((of) => [of.current, of.hovered, ...of.pins]);
    strip.current?.repaint(new Set(places.filter((place) => place !== undefined)));
  };

  useLayoutEffect(() => {
    mark({
      current: place,
      pins: pins.map((token) => token + model.prompt),
    });
  }, [model, place, pins.join()]);

  useSignalEffect(() => {
    const hovered = linked.hovered.value;
    mark({ hovered: hovered?.place });
  });

  useEffect(() => {
    const how = follow.current;
    if (place === undefined || revealed.current === place) return;
    const fold = strip.current?.foldOf(place);
    if (fold !== undefined && foldedAtFirst(fold) !== toggled.has(fold.index)) {
      // Comes here again once it is open.
      onToggle(fold);
      return;
    }
    revealed.current = place;
    follow.current = "centre";
    const span = strip.current?.spanOf(place);
    if (span === undefined || how === "stay") return;
    if (how === "near" && bringIntoSight(scroller.current!, span)) return;
    centre(scroller.current!, () => strip.current?.spanOf(place));
  }, [model, place, [...toggled].join()]);

  const hover = (target: EventTarget | null): void => {
    const at = findPlace(target);
    const before = linked.hovered.peek();
    if (at === before?.place) return;
    linked.hovered.value = at === undefined ? undefined : { place: at, on: "strip" };
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a region would list every strip among the page's landmarks
    <div
      ref={scroller}
      class="strip"
      role="group"
      aria-label="Tokens of the sequence"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onPointerOver={(event) => hover(event.target)}
      onPointerLeave={() => hover(null)}
      onCopy={copyText}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget && current !== undefined)
          onPick(current);
      }}
      onClick={(event) => {
        const selection = getSelection();
        if (selection !== null && !selection.isCollapsed) return;
        const at = findPlace(event.target);
        if (at !== undefined && at >= model.prompt) onPick(at - model.prompt);
      }}
    />
  );
}
