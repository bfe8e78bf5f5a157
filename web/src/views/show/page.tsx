import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunInfo } from "../../../../src/results/index.ts";
import type { WireSequence } from "../../../../src/results/wire/index.ts";
import { formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { navigate, route } from "../../state/url.ts";
import { alternativesOf } from "./card/alternatives.ts";
import { HoverCard } from "./card/hover-card.tsx";
import { PinnedCards } from "./card/pinned-cards.tsx";
import { FindBand } from "./find-band.tsx";
import { SequenceHeader } from "./header.tsx";
import { StripLegend } from "./legend.tsx";
import type { Follow, Hovered, Linked } from "./linked.ts";
import { Minimap } from "./minimap/minimap.tsx";
import { formatRange } from "./model/axis.ts";
import { judgeTokens } from "./model/fate.ts";
import { hitAt, nextHit } from "./model/find.ts";
import { finderIn } from "./model/finding.ts";
import { numbersOf } from "./model/numbers.ts";
import type { Order } from "./model/order.ts";
import { toggledWith } from "./model/runs.ts";
import { type SequenceModel, sequenceModel } from "./model/sequence-model.ts";
import { Readout } from "./readout.tsx";
import { closedFind, MOST_PINS, moveToPlace, settingsOf } from "./settings.ts";
import type { Source } from "./source.ts";
import { centre } from "./strip/reveal.ts";
import type { Strip } from "./strip/strip.ts";
import { TokenStrip } from "./strip/token-strip.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useSequenceKeys } from "./use-sequence-keys.ts";

/** Everything about one sequence, once it is there. */
export function SequencePage({
  info,
  wire,
  source,
  order,
}: {
  readonly info: RunInfo;
  readonly wire: WireSequence;
  readonly source: Source;
  /** Undefined until the table of sequences is there. */
  readonly order: Order | undefined;
}) {
  const model = useMemo(() => sequenceModel(wire), [wire]);
  const linked = useMemo<Linked>(
    () => ({ hovered: signal<Hovered | undefined>(undefined), sight: signal({ from: 0, to: 0 }) }),
    [wire],
  );
  const alternatives = useMemo(
    () => (info.top_k.length === 0 ? undefined : alternativesOf(source, wire.meta.index, model.response)),
    [model, info.top_k.length],
  );
  const numbers = useMemo(() => numbersOf(model), [model]);
  const wanted = settingsOf(route.value, info, model);
  // Where there is no number, nothing steps back for one.
  const settings = { ...wanted, numbers: wanted.numbers && numbers.any };
  const { metric, correction, place, current, pins, toggled, palette, find = "", findsText } = settings;
  const values = useMemo(() => metric.values(wire), [wire, metric.name]);
  const correctionText = correction && formatCorrection(correction);
  const fates = useMemo(() => judgeTokens(correction, model), [model, correctionText]);
  const finder = useMemo(() => finderIn(model, info.has.texts), [model, info.has.texts]);
  const finding = find === "" ? undefined : finder(find, findsText);
  /** How often the box was asked for, below 0 where it was opened otherwise; it stays while nothing is written in it. */
  const asked = useSignal(0);
  const strip = useRef<Strip>(undefined);
  const follow = useRef<Follow>("centre");
  const root = useRef<HTMLElement>(null);

  useLayoutEffect(() => fillWindow(root.current!), []);

  const show = (at: number): void => {
    const scroller = root.current?.querySelector<HTMLElement>(".strip");
    if (scroller) centre(scroller, () => strip.current?.spanOf(at) ?? strip.current?.chunkOf(at));
  };
  const goToPlace = (to: number, how: Follow = "centre"): void => {
    if (to === place) {
      if (how === "centre") show(to);
      return;
    }
    follow.current = how;
    navigate(moveToPlace(model, to), { replace: how !== "centre" });
  };
  const goTo = (token: number): void => goToPlace(token + model.prompt);
  const look = (text: string): void => {
    asked.value ||= -1;
    navigate(
      { params: { ...closedFind(route.value), ...(text !== "" && { find: text }) } },
      { replace: true },
    );
  };
  /** From one hit to the next; where there is no place yet, from what is in sight. */
  const step = (way: 1 | -1, text = find): void => {
    if (text === "") return;
    if (text !== find) look(text);
    const { hits } = finder(text, findsText && text === find);
    const next = nextHit(hits, place ?? Math.floor(linked.sight.peek().from) - 1, way);
    if (next === undefined) return;
    const to = hits.from[next]!;
    if (to === place) show(to);
    else navigate(moveToPlace(model, to), { replace: true });
  };
  const setPins = (next: readonly number[]): void => {
    navigate({ params: { pins: next.length === 0 ? undefined : next.join("_") } }, { replace: true });
  };
  const togglePin = (token: number): void =>
    setPins(pins.includes(token) ? pins.filter((pin) => pin !== token) : [...pins, token].slice(-MOST_PINS));
  const closeFind = (): void => {
    asked.value = 0;
    root.current?.querySelector<HTMLElement>(".strip")?.focus({ preventScroll: true });
    navigate({ params: closedFind(route.value) }, { replace: true });
  };
  const dismiss = (): void => {
    if (linked.hovered.peek() !== undefined) linked.hovered.value = undefined;
    else if (asked.value !== 0 || find !== "") closeFind();
    else if (pins.length > 0) setPins(pins.slice(0, -1));
    else navigate({ params: { range: undefined } }, { replace: true });
  };
  useSequenceKeys(info, model, settings, order, {
    goToPlace,
    togglePin,
    dismiss,
    openFind: () => {
      asked.value = Math.max(0, asked.value) + 1;
    },
    stepFind: (way) => step(way),
    firstInSight: () => firstOwn(model, linked.sight.peek().from),
  });

  const card = { model, numbers, fates, alternatives };
  return (
    <article ref={root} class="sequence scaled" data-palette={palette}>
      <SequenceHeader model={model} current={current} order={order} badge={source.badge} info={info} />
      <Toolbar
        settings={settings}
        numbers={info.has.texts ? numbers.any : undefined}
        onFind={() => {
          asked.value = Math.max(0, asked.value) + 1;
        }}
      />
      <StripLegend settings={settings} fates={fates} />
      <Minimap
        {...{ model, settings, values, hits: finding?.hits, linked }}
        onJump={goToPlace}
        onRange={(range) =>
          navigate(
            { params: { range: range === undefined ? undefined : formatRange(range) } },
            { replace: true },
          )
        }
      />
      <Readout model={model} settings={settings} numbers={numbers} fates={fates} />
      {(asked.value !== 0 || find !== "") && (
        <FindBand
          {...{ find, finding, findsText }}
          at={finding === undefined ? -1 : hitAt(finding.hits, place)}
          inFocus={asked.value}
          onFind={look}
          onStep={step}
          onClose={closeFind}
        />
      )}
      <div class={pins.length === 0 ? "strip-row" : "strip-row with-pins"}>
        <TokenStrip
          {...{ model, settings, fates, values, numbers, hits: finding?.hits, linked, follow, strip }}
          onPick={(token) => {
            follow.current = "stay";
            if (token === current) togglePin(token);
            else {
              const next = pins.includes(token) ? pins : [...pins, token].slice(-MOST_PINS);
              navigate({ token, params: { prompt: undefined, pins: next.join("_") } }, { replace: true });
            }
          }}
          onGoTo={goTo}
          onToggle={(run) =>
            navigate({ params: { toggled: toggledWith(toggled, run.index) } }, { replace: true })
          }
        />
        <PinnedCards {...card} pins={pins} onPins={setPins} />
      </div>
      <HoverCard {...card} linked={linked} spanOf={(at) => strip.current?.spanOf(at)} />
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
