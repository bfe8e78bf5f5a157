import { signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunInfo } from "../../../../src/protocol/view.ts";
import type { WireSequence } from "../../../../src/wire/index.ts";
import { navigate, route } from "../../state/url.ts";
import { alternativesOf } from "./card/alternatives.ts";
import { HoverCard } from "./card/hover-card.tsx";
import { PinnedCards } from "./card/pinned-cards.tsx";
import { SequenceHeader } from "./header.tsx";
import { StripLegend } from "./legend.tsx";
import type { Follow, Hovered, Linked } from "./linked.ts";
import { Minimap } from "./minimap/minimap.tsx";
import { formatRange } from "./model/axis.ts";
import { effectsOn } from "./model/fate.ts";
import { numbersOf } from "./model/numbers.ts";
import { toggledWith } from "./model/runs.ts";
import { type SequenceModel, sequenceModel } from "./model/sequence-model.ts";
import { Readout } from "./readout.tsx";
import { MOST_PINS, settingsOf } from "./settings.ts";
import { centre } from "./strip/reveal.ts";
import type { Strip } from "./strip/strip.ts";
import { TokenStrip } from "./strip/token-strip.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useSequenceKeys } from "./use-sequence-keys.ts";

/** Everything about one sequence, once it is there. */
export function SequencePage({ info, wire }: { readonly info: RunInfo; readonly wire: WireSequence }) {
  const model = useMemo(() => sequenceModel(wire), [wire]);
  const linked = useMemo<Linked>(
    () => ({ hovered: signal<Hovered | undefined>(undefined), sight: signal({ from: 0, to: 0 }) }),
    [wire],
  );
  const alternatives = useMemo(
    () => (info.top_k.length === 0 ? undefined : alternativesOf(wire.meta.index, model.response)),
    [model, info.top_k.length],
  );
  const numbers = useMemo(() => numbersOf(model), [model]);
  const wanted = settingsOf(route.value, info, model);
  // Where there is no number, nothing steps back for one.
  const settings = { ...wanted, numbers: wanted.numbers && numbers.any };
  const { metric, thresholds, current, pins, toggled, palette } = settings;
  const values = useMemo(() => metric.values(wire), [wire, metric.name]);
  const effects = useMemo(() => effectsOn(model.deltas, thresholds), [model, ...Object.values(thresholds)]);
  const strip = useRef<Strip>(undefined);
  const follow = useRef<Follow>("centre");
  const root = useRef<HTMLElement>(null);

  useLayoutEffect(() => fillWindow(root.current!), []);

  const show = (place: number): void => {
    const scroller = root.current?.querySelector<HTMLElement>(".strip");
    if (scroller) centre(scroller, () => strip.current?.spanOf(place) ?? strip.current?.chunkOf(place));
  };
  const goTo = (token: number, how: Follow = "centre"): void => {
    if (token === current) {
      if (how === "centre") show(token + model.prompt);
      return;
    }
    follow.current = how;
    navigate({ token }, { replace: how !== "centre" });
  };
  const setPins = (next: readonly number[]): void => {
    navigate({ params: { pins: next.length === 0 ? undefined : next.join("_") } }, { replace: true });
  };
  const togglePin = (token: number): void =>
    setPins(pins.includes(token) ? pins.filter((pin) => pin !== token) : [...pins, token].slice(-MOST_PINS));
  const dismiss = (): void => {
    if (linked.hovered.peek() !== undefined) linked.hovered.value = undefined;
    else if (pins.length > 0) setPins(pins.slice(0, -1));
    else navigate({ params: { range: undefined } }, { replace: true });
  };
  useSequenceKeys(info, model, settings, {
    goTo,
    togglePin,
    dismiss,
    firstInSight: () => firstOwn(model, linked.sight.peek().from),
  });

  const card = { model, numbers, thresholds, vetoedBy: effects.vetoedBy, alternatives };
  return (
    <article ref={root} class="sequence scaled" data-palette={palette}>
      <SequenceHeader info={info} model={model} current={current} />
      <Toolbar settings={settings} numbers={info.has.texts ? numbers.any : undefined} />
      <StripLegend settings={settings} effects={effects} />
      <Minimap
        {...{ model, settings, values, linked }}
        onJump={(place) => (place < model.prompt ? show(place) : goTo(place - model.prompt))}
        onRange={(range) =>
          navigate(
            { params: { range: range === undefined ? undefined : formatRange(range) } },
            { replace: true },
          )
        }
      />
      <Readout model={model} settings={settings} numbers={numbers} vetoedBy={effects.vetoedBy} />
      <div class={pins.length === 0 ? "strip-row" : "strip-row with-pins"}>
        <TokenStrip
          {...{ model, settings, values, numbers, linked, follow, strip }}
          onPick={(token) => {
            follow.current = "stay";
            if (token === current) togglePin(token);
            else {
              const next = pins.includes(token) ? pins : [...pins, token].slice(-MOST_PINS);
              navigate({ token, params: { pins: next.join("_") } }, { replace: true });
            }
          }}
          onGoTo={(token) => goTo(token)}
          onToggle={(run) =>
            navigate({ params: { toggled: toggledWith(toggled, run.index) } }, { replace: true })
          }
        />
        <PinnedCards {...card} pins={pins} onUnpin={togglePin} />
      </div>
      <HoverCard {...card} linked={linked} spanOf={(place) => strip.current?.spanOf(place)} />
    </article>
  );
}

/** The first response token from a place on that the policy wrote. */
function firstOwn(model: SequenceModel, from: number): number {
  let place = Math.max(model.prompt, Math.floor(from));
  while (place < model.length - 1 && !model.isOwn(place)) place++;
  return place - model.prompt;
}

/** Makes the page end with the window, wherever it begins in it. */
function fillWindow(element: HTMLElement): () => void {
  const measure = (): void => {
    const top = element.getBoundingClientRect().top + scrollY;
    element.style.setProperty("--page-top", `${Math.round(top)}px`);
  };
  measure();
  const resized = new ResizeObserver(measure);
  resized.observe(document.body);
  addEventListener("resize", measure);
  return () => {
    resized.disconnect();
    removeEventListener("resize", measure);
  };
}
