import type { TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { LiveChunk } from "./live-chunks.ts";
import { classNames, type Looks } from "./looks.ts";
import { tokenSpan } from "./token-span.ts";
import { findLast } from "./watch-sight.ts";

/** A few hundred tokens, `[from, to)`, that are filled and released together. */
export interface StripChunk extends LiveChunk {
  readonly from: number;
  readonly to: number;
  /** The run that it folds with. */
  readonly fold: TokenRun | undefined;
}

/** A chunk that holds its plain text until it is filled. */
export function buildChunk(
  model: SequenceModel,
  looks: Looks,
  { from, to, broken }: { readonly from: number; readonly to: number; readonly broken: boolean },
  fold: TokenRun | undefined,
): StripChunk {
  const element = document.createElement("div");
  element.className = broken ? "chunk broken" : "chunk";
  const empty = (): void => {
    element.textContent = model.shown(from, to, looks.mode);
  };
  const fill = (): void => {
    const spans = document.createDocumentFragment();
    for (let place = from; place < to; place++) {
      const span = tokenSpan(model, place, looks.mode);
      span.className = classNames(model, looks, place);
      spans.append(span);
    }
    element.replaceChildren(spans);
  };
  empty();
  return { element, from, to, fold, tokens: to - from, fill, empty };
}

/** The chunk that a place is in; undefined outside the text. */
export function findChunk(chunks: readonly StripChunk[], place: number): StripChunk | undefined {
  const found = chunks[findLast(chunks.length, (index) => chunks[index]!.from <= place)];
  return found !== undefined && place >= found.from && place < found.to ? found : undefined;
}

/** The token's element in a chunk that is filled. */
export function spanIn({ element, from }: StripChunk, place: number): HTMLElement | undefined {
  return element.children[place - from] as HTMLElement | undefined;
}
