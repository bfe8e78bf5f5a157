/**
 * State and actions of the page of a sequence. State that can be linked to is in the address and is read from there;
 * hovering, scrolling and focus are in signals and refs.
 *
 *     page-state.ts                                                page-actions.ts
 *     wire ─► model ─► numbers, fates, finder ─┐
 *     address ─► choices ─────────────────────┴─► markup (page.tsx) ─► goToPlace, look, pick, … ─► navigate ─► address
 *     signals: asked (the find box), linked.hovered, linked.sight
 *     refs: root, strip, and follow (how the strip follows the next move)
 *
 * @module
 */
import { useLayoutEffect } from "preact/hooks";
import { navigate } from "../../state/url.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { findActions, pinActions, placeActions } from "./page-actions.ts";
import { type Page, type PageInput, useHandles, useModel } from "./page-state.ts";
import { useSequenceKeys, useStarKey } from "./use-sequence-keys.ts";

export function useSequencePage(input: PageInput) {
  const page = { ...useModel(input), ...useHandles(input) };
  const { model, choices, linked, root } = page;
  useLayoutEffect(() => fillWindow(root.current!), []);
  const places = placeActions(page);
  const finds = findActions(page, places);
  const pinning = pinActions(page);
  useSequenceKeys(input, model, choices, {
    ...{ ...places, ...finds, ...pinning },
    dismiss: () => dismiss(page, finds, pinning),
    firstInSight: () => firstOwn(model, linked.sight.peek().from),
  });
  useStarKey(input, model, choices);
  return { ...page, ...places, ...finds, ...pinning };
}

/** What Escape does: closes the topmost thing that is open. */
function dismiss(
  { linked, asked, find, choices: { pins } }: Page,
  { closeFind }: Pick<ReturnType<typeof findActions>, "closeFind">,
  { setPins }: Pick<ReturnType<typeof pinActions>, "setPins">,
): void {
  if (linked.hovered.peek() !== undefined) linked.hovered.value = undefined;
  else if (asked.value !== 0 || find !== "") closeFind();
  else if (pins.length > 0) setPins(pins.slice(0, -1));
  else navigate({ params: { range: undefined } }, { replace: true });
}

/** The first response token written by the policy, from a place on. */
function firstOwn(model: SequenceModel, from: number): number {
  let place = Math.max(model.prompt, Math.floor(from));
  while (place < model.length - 1 && !model.isOwn(place)) place++;
  return place - model.prompt;
}

/** Makes the page end at the bottom of the window, wherever it starts. */
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
