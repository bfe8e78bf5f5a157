/**
 * What the page of a sequence knows, and what can be done on it. Whatever can be linked to is in the address, and comes
 * back from there; what only the hand or the eye does is a signal or a ref.
 *
 *     wire ─► model ─► numbers, fates, finder ─┐
 *     address ─► settings ───────────────────────┴─► markup (page.tsx) ─► goToPlace, look, step, pick, … ─► navigate ─► address
 *     signals: asked (the find box), linked.hovered, linked.sight
 *     refs: root, strip, and follow: how the strip is to come along with the next move
 *
 * @module
 */
import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RunInfo } from "../../../../src/results/index.ts";
import type { WireSequence } from "../../../../src/results/wire/index.ts";
import { formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { navigate, route } from "../../state/url.ts";
import { loadAlternatives } from "./card/alternatives.ts";
import type { Follow, Hovered, Linked } from "./linked.ts";
import { judgeTokens } from "./model/fate.ts";
import { nextHit } from "./model/find.ts";
import { finderIn } from "./model/finding.ts";
import { openNumbers } from "./model/numbers.ts";
import type { Order } from "./model/order.ts";
import { type SequenceModel, sequenceModel } from "./model/sequence-model.ts";
import { closedFind, MOST_PINS, moveToPlace, readChoices } from "./settings.ts";
import type { Source } from "./source.ts";
import { centre } from "./strip/reveal.ts";
import type { Strip } from "./strip/strip.ts";
import { useSequenceKeys } from "./use-sequence-keys.ts";

export interface PageInput {
  readonly info: RunInfo;
  readonly wire: WireSequence;
  readonly source: Source;
  /** Undefined until the table of sequences is there. */
  readonly order: Order | undefined;
}

export function useSequencePage({ info, wire, source, order }: PageInput) {
  const model = useMemo(() => sequenceModel(wire), [wire]);
  const linked = useMemo<Linked>(
    () => ({ hovered: signal<Hovered | undefined>(undefined), sight: signal({ from: 0, to: 0 }) }),
    [wire],
  );
  const alternatives = useMemo(
    () => (info.top_k.length === 0 ? undefined : loadAlternatives(source, wire.meta.index, model.response)),
    [model, info.top_k.length],
  );
  const numbers = useMemo(() => openNumbers(model), [model]);
  const wanted = readChoices(route.value, info, model);
  // Where there is no number, nothing steps back for one.
  const settings = { ...wanted, numbers: wanted.numbers && numbers.any };
  const { metric, correction, place, current, pins, find = "", findsText } = settings;
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
  /** A step by the keyboard replaces the address, a jump is one that Back undoes. */
  const goToPlace = (to: number, how: Follow = "centre"): void => {
    if (to === place) {
      // The address stays, so nothing would be drawn anew: who was led away from the place is brought back here.
      if (how === "centre") show(to);
      return;
    }
    follow.current = how;
    navigate(moveToPlace(model, to), { replace: how !== "centre" });
  };
  const goTo = (token: number): void => goToPlace(token + model.prompt);
  const openFind = (): void => {
    asked.value = Math.max(0, asked.value) + 1;
  };
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
  /** A click on a token: the first one goes to it and pins it, another on the same takes the pin away or back. */
  const pick = (token: number): void => {
    // The token is under the pointer already: the strip must not move below it.
    follow.current = "stay";
    if (token === current) togglePin(token);
    else {
      const next = pins.includes(token) ? pins : [...pins, token].slice(-MOST_PINS);
      navigate({ token, params: { prompt: undefined, pins: next.join("_") } }, { replace: true });
    }
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
  /** Escape, from what lies on top to what lies below. */
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
    openFind,
    stepFind: (way) => step(way),
    firstInSight: () => firstOwn(model, linked.sight.peek().from),
  });
  return {
    ...{ model, linked, alternatives, numbers, settings, values, fates, finding, find, asked },
    ...{ strip, follow, root },
    ...{ goToPlace, goTo, look, step, pick, setPins, openFind, closeFind },
  };
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
