/**
 * The tokens as text, in chunks of a few hundred tokens that the browser lays out when they come into sight. Chunks
 * near the visible area have one element per token; the others hold plain text, so that the browser can find all of it.
 *
 *     strip-markup.ts   the elements, once          chunk.ts          one chunk: filled or plain
 *     live-chunks.ts    which chunks are filled     chunk-heights.ts  how tall the others will be
 *     watch-sight.ts    which places are in sight   looks.ts          mode and classes, read at each fill
 *
 * @module
 */
import type { TextMode } from "../model/display.ts";
import type { TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { findChunk, type StripChunk, spanIn } from "./chunk.ts";
import { type CharacterSize, guessHeights, measureCharacter } from "./chunk-heights.ts";
import { type LiveChunks, liveChunks } from "./live-chunks.ts";
import { classNames, type Looks } from "./looks.ts";
import { labelFold } from "./section-heading.ts";
import { buildMarkup, type MarkupEvents, type StripMarkup } from "./strip-markup.ts";
import { type SightWatch, watchSight } from "./watch-sight.ts";

export interface StripEvents extends MarkupEvents {
  /** The places in sight, `[from, to)`. */
  readonly onSight: (from: number, to: number) => void;
}

/** The text of one sequence inside `scroller`, until it is stopped. */
export class Strip {
  readonly #scroller: HTMLElement;
  readonly #model: SequenceModel;
  readonly #looks: Looks = { mode: "reading", numbers: false, chooseClasses: () => "" };
  readonly #root = document.createElement("div");
  readonly #markup: StripMarkup;
  readonly #live: LiveChunks<StripChunk>;
  readonly #sight: SightWatch;
  readonly #resized = new ResizeObserver(() => this.#onResize());
  #width: number;

  constructor(scroller: HTMLElement, model: SequenceModel, events: StripEvents) {
    this.#scroller = scroller;
    this.#model = model;
    this.#root.className = "strip-text";
    scroller.replaceChildren(this.#root);
    // Measured before the text is added: afterwards, measuring would lay out all of it.
    const character = measureCharacter(this.#root);
    this.#markup = buildMarkup(model, this.#looks, events);
    this.#root.append(...this.#markup.sections);
    this.#guessHeights(character);
    // Only after the heights are estimated, when few chunks are near the visible area.
    this.#live = liveChunks(scroller);
    for (const chunk of this.#markup.chunks) this.#live.add(chunk);
    this.#sight = watchSight(scroller, () => this.#listShown(), events.onSight);
    this.#width = this.#root.clientWidth;
    this.#resized.observe(this.#root);
  }

  /** Sets other classes for the same tokens, rewriting those that have elements. */
  paint(chooseClasses: (place: number) => string): void {
    this.#looks.chooseClasses = chooseClasses;
    for (const { from, element } of this.#live.live()) {
      let place = from;
      for (let span = element.firstElementChild; span !== null; span = span.nextElementSibling)
        span.className = classNames(this.#model, this.#looks, place++);
    }
  }

  /** The same for a few places. */
  repaint(places: Iterable<number>): void {
    for (const place of places) {
      const chunk = this.#chunkAt(place);
      if (chunk === undefined || !this.#live.isLive(chunk)) continue;
      const span = spanIn(chunk, place);
      if (span !== undefined) span.className = classNames(this.#model, this.#looks, place);
    }
  }

  /** `numbers` makes room above the lines for place values. */
  setMode(mode: TextMode, numbers: boolean): void {
    const looks = this.#looks;
    if (mode === looks.mode && numbers === looks.numbers) return;
    const hasOtherText = mode !== looks.mode;
    looks.mode = mode;
    looks.numbers = numbers;
    this.#root.dataset.mode = mode;
    this.#root.dataset.numbers = numbers ? "on" : "off";
    if (hasOtherText) this.#rewrite();
    this.#guessHeights(measureCharacter(this.#root));
    this.#sight.changed();
  }

  /** @param writeNote the note on a run, beside what it is */
  setFolded(isFolded: (run: TokenRun) => boolean, writeNote: (run: TokenRun) => string): void {
    for (const { run, button, body } of this.#markup.folds) {
      const hide = isFolded(run);
      labelFold(button, run, hide, writeNote(run));
      if (hide) body.setAttribute("hidden", "until-found");
      else body.removeAttribute("hidden");
    }
    this.#sight.changed();
  }

  /** The token's element, created if necessary; undefined while it is folded. */
  spanOf(place: number): HTMLElement | undefined {
    const chunk = this.#chunkAt(place);
    if (chunk === undefined || this.#isHidden(chunk)) return undefined;
    this.#live.need(chunk);
    return spanIn(chunk, place);
  }

  /** The foldable run that a place is in. */
  foldOf(place: number): TokenRun | undefined {
    return this.#chunkAt(place)?.fold;
  }

  chunkOf(place: number): HTMLElement | undefined {
    return this.#chunkAt(place)?.element;
  }

  stop(): void {
    this.#live.stop();
    this.#resized.disconnect();
    this.#sight.stop();
    this.#scroller.replaceChildren();
  }

  #chunkAt(place: number): StripChunk | undefined {
    return findChunk(this.#markup.chunks, place);
  }

  #isHidden({ fold }: StripChunk): boolean {
    return fold !== undefined && this.#markup.folds.some(({ run, body }) => run === fold && body.hidden);
  }

  #listShown(): StripChunk[] {
    return this.#markup.chunks.filter((chunk) => !this.#isHidden(chunk));
  }

  #rewrite(): void {
    for (const chunk of this.#markup.chunks) {
      if (this.#live.isLive(chunk)) chunk.fill();
      else chunk.empty();
    }
  }

  #guessHeights(character: CharacterSize): void {
    guessHeights(this.#root, this.#markup.chunks, this.#model, this.#looks, character);
  }

  #onResize(): void {
    const width = this.#root.clientWidth;
    // Folding only changes the height, and measuring a character would lay out the text.
    if (width !== this.#width) this.#guessHeights(measureCharacter(this.#root));
    this.#width = width;
    this.#sight.changed();
  }
}
