/**
 * The actions on the page of a sequence. Every action changes the address, from which the page is drawn; small ones
 * replace it, so that Back does not undo them one by one.
 *
 * @module
 */
import { navigate, route } from "../../state/url.ts";
import { closedFind, MOST_PINS, moveToPlace } from "./choices.ts";
import type { Follow } from "./linked.ts";
import { nextHit } from "./model/find.ts";
import type { Page } from "./page-state.ts";
import { centre } from "./strip/reveal.ts";

/** Going to a place. */
export function placeActions({ model, choices: { place }, strip, follow, root }: Page) {
  const show = (at: number): void => {
    const scroller = root.current?.querySelector<HTMLElement>(".strip");
    if (scroller) centre(scroller, () => strip.current?.spanOf(at) ?? strip.current?.chunkOf(at));
  };
  /** A keyboard step replaces the address; a jump can be undone with Back. */
  const goToPlace = (to: number, how: Follow = "centre"): void => {
    if (to === place) {
      // The address is unchanged, so nothing would be redrawn; scroll back to the place here.
      if (how === "centre") show(to);
      return;
    }
    follow.current = how;
    navigate(moveToPlace(model, to), { replace: how !== "centre" });
  };
  const goTo = (token: number): void => goToPlace(token + model.prompt);
  return { show, goToPlace, goTo };
}

/** The find box, and going from hit to hit. */
export function findActions(
  { model, choices: { place, findsText }, find, finder, asked, linked, root }: Page,
  { show }: Pick<ReturnType<typeof placeActions>, "show">,
) {
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
  /** Goes from one hit to the next; without a current place, starts from what is in sight. */
  const stepFind = (way: 1 | -1, text = find): void => {
    if (text === "") return;
    if (text !== find) look(text);
    const { hits } = finder(text, findsText && text === find);
    const next = nextHit(hits, place ?? Math.floor(linked.sight.peek().from) - 1, way);
    if (next === undefined) return;
    const to = hits.from[next]!;
    if (to === place) show(to);
    else navigate(moveToPlace(model, to), { replace: true });
  };
  const closeFind = (): void => {
    asked.value = 0;
    root.current?.querySelector<HTMLElement>(".strip")?.focus({ preventScroll: true });
    navigate({ params: closedFind(route.value) }, { replace: true });
  };
  return { openFind, look, stepFind, closeFind };
}

/** Pinned cards. */
export function pinActions({ choices: { current, pins }, follow }: Page) {
  const withPin = (token: number): number[] => [...pins, token].slice(-MOST_PINS);
  const setPins = (next: readonly number[]): void => {
    navigate({ params: { pins: next.length === 0 ? undefined : next.join("_") } }, { replace: true });
  };
  const togglePin = (token: number): void =>
    setPins(pins.includes(token) ? pins.filter((pin) => pin !== token) : withPin(token));
  /** A click on a token: the first goes to it and pins it, further clicks toggle the pin. */
  const pick = (token: number): void => {
    // The token is already under the pointer, so the strip must not move.
    follow.current = "stay";
    if (token === current) {
      togglePin(token);
      return;
    }
    const next = pins.includes(token) ? pins : withPin(token);
    navigate({ token, params: { prompt: undefined, pins: next.join("_") } }, { replace: true });
  };
  return { setPins, togglePin, pick };
}
