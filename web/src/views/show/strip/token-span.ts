import { isUnseen, type TextMode, turnsDirection } from "../model/display.ts";
import type { SequenceModel } from "../model/sequence-model.ts";

/** The element of one token, created once; its classes change with every metric. */
export function tokenSpan(model: SequenceModel, place: number, mode: TextMode): HTMLSpanElement {
  const span = document.createElement("span");
  const text = model.shownOne(place, mode);
  // Text from a model must only become a text node, never markup.
  span.textContent = text;
  span.dataset.i = String(place);
  return span;
}

const ONLY_NEWLINES = /^[\r\n]+$/;

/** Classes that depend on the text alone. */
export function textClasses(model: SequenceModel, place: number, mode: TextMode): string {
  if (mode === "ids") return "t";
  const text = model.cellText(place);
  let names = "t";
  if (text === "" || (mode === "reading" && isUnseen(text))) names += " tick";
  else if (mode === "reading" && ONLY_NEWLINES.test(text)) names += " newline";
  if (model.isSpecial(place)) names += " special";
  if (text.length > 0 && turnsDirection(text)) names += " isolated";
  return names;
}

/** The place of the token that an event happened on. */
export function findPlace(target: EventTarget | null): number | undefined {
  const node = target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
  const place = node?.closest<HTMLElement>(".t")?.dataset.i;
  return place === undefined ? undefined : Number(place);
}
