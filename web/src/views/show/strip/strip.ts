/**
 * The tokens as text: blocks of a few hundred tokens each that the browser lays out when they come into sight, filled
 * with one element per token near the sight and holding one plain text elsewhere, so that all of it can be found.
 *
 * @module
 */
import { countLines, splitChunks } from "../model/chunks.ts";
import type { TextMode } from "../model/display.ts";
import type { Block, TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { type LiveChunk, liveChunks } from "./live-chunks.ts";
import { foldButton, labelFold, sectionHeading } from "./section-heading.ts";
import { textClasses, tokenSpan } from "./token-span.ts";

export interface StripEvents {
  readonly onToggle: (run: TokenRun) => void;
  /** A response token is asked for. */
  readonly onGoTo: (token: number) => void;
  /** The places in sight, `[from, to)`. */
  readonly onSight: (from: number, to: number) => void;
}

export interface Strip {
  /** Other classes for the same tokens: rewrites those that are there now. */
  readonly paint: (chooseClasses: (place: number) => string) => void;
  /** The same for a few. */
  readonly repaint: (places: Iterable<number>) => void;
  /** With `numbers` there is room above the lines for places. */
  readonly setMode: (mode: TextMode, numbers: boolean) => void;
  /** @param noteOf said of a run, beside what it is */
  readonly setFolded: (isFolded: (run: TokenRun) => boolean, noteOf: (run: TokenRun) => string) => void;
  /** The token's element, made if need be; undefined while it is folded away. */
  readonly spanOf: (place: number) => HTMLElement | undefined;
  /** The foldable run that a place is in. */
  readonly foldOf: (place: number) => TokenRun | undefined;
  readonly chunkOf: (place: number) => HTMLElement | undefined;
  readonly stop: () => void;
}

interface StripChunk extends LiveChunk {
  readonly from: number;
  readonly to: number;
  readonly fold: TokenRun | undefined;
}

interface Fold {
  readonly run: TokenRun;
  readonly button: HTMLButtonElement;
  readonly body: HTMLElement;
}

/** Builds the strip inside `scroller`. */
export function buildStrip(scroller: HTMLElement, model: SequenceModel, events: StripEvents): Strip {
  let mode: TextMode = "reading";
  let numbers = false;
  let classesOf: (place: number) => string = () => "";
  const chunks: StripChunk[] = [];
  const folds: Fold[] = [];
  const live = liveChunks(scroller);
  const isFolded = (run: TokenRun | undefined): boolean =>
    run !== undefined && folds.some((fold) => fold.run === run && fold.body.hidden);

  const classNames = (place: number): string => `${textClasses(model, place, mode)} ${classesOf(place)}`;
  const buildChunk = (from: number, to: number, broken: boolean, fold: TokenRun | undefined): HTMLElement => {
    const element = document.createElement("div");
    element.className = broken ? "chunk broken" : "chunk";
    const chunk: StripChunk = {
      element,
      from,
      to,
      fold,
      tokens: to - from,
      fill: () => {
        const spans = document.createDocumentFragment();
        for (let place = from; place < to; place++) {
          const span = tokenSpan(model, place, mode);
          span.className = classNames(place);
          spans.append(span);
        }
        element.replaceChildren(spans);
      },
      empty: () => {
        element.textContent = model.shown(from, to, mode);
      },
    };
    chunk.empty();
    chunks.push(chunk);
    return element;
  };
  const buildBlock = ({ from, to, fold }: Block): Node => {
    const pieces = splitChunks({ from, to }, model.endsLine).map((piece) =>
      buildChunk(piece.from, piece.to, piece.broken, fold),
    );
    const body = document.createElement("div");
    body.append(...pieces);
    if (fold === undefined) {
      body.className = "flow";
      return body;
    }
    body.className = `flow aside ${fold.kind}`;
    const button = foldButton(fold, () => events.onToggle(fold));
    labelFold(button, fold, false, "");
    // The browser's own search opens what it finds.
    body.addEventListener("beforematch", () => events.onToggle(fold));
    folds.push({ run: fold, button, body });
    const block = document.createElement("div");
    block.className = "foldable";
    block.append(button, body);
    return block;
  };

  const root = document.createElement("div");
  root.className = "strip-text";
  scroller.replaceChildren(root);
  // Measured before the text is there: with it, asking would lay out all of it.
  const character = characterSize(root);
  for (const { head, blocks } of model.sections) {
    const section = document.createElement("section");
    section.className = `turn-section ${head.kind}`;
    if (blocks[0]?.fold === undefined) section.append(sectionHeading(model, head, events.onGoTo));
    section.append(...blocks.map(buildBlock));
    root.append(section);
  }

  const measure = ({ width, lineHeight }: CharacterSize): void => {
    const columns = Math.max(20, Math.floor((root.clientWidth - SIDES) / width));
    for (const { element, from, to } of chunks) {
      const lines = mode === "reading" ? countLines(model.cellBytes(from, to), columns) : 0;
      const text = mode === "reading" ? "" : (element.textContent ?? "");
      const rows = mode === "reading" ? lines : Math.ceil(text.length / columns) + text.split("\n").length;
      element.style.containIntrinsicHeight = `auto ${rows * lineHeight}px`;
    }
  };
  measure(character);
  for (const chunk of chunks) live.add(chunk);

  const sight = watchSight(scroller, () => chunks.filter(({ fold }) => !isFolded(fold)), events.onSight);
  let width = root.clientWidth;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth !== width) measure(characterSize(root));
    width = root.clientWidth;
    sight.changed();
  });
  resized.observe(root);

  const chunkAt = (place: number): StripChunk | undefined => {
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (chunks[middle]!.from <= place) low = middle;
      else high = middle - 1;
    }
    const found = chunks[low];
    return found !== undefined && place >= found.from && place < found.to ? found : undefined;
  };
  const spanIn = (chunk: StripChunk, place: number): HTMLElement | undefined =>
    chunk.element.children[place - chunk.from] as HTMLElement | undefined;

  return {
    paint: (next) => {
      classesOf = next;
      for (const chunk of live.live()) {
        const { from, element } = chunk as StripChunk;
        let place = from;
        for (let span = element.firstElementChild; span !== null; span = span.nextElementSibling) {
          span.className = classNames(place++);
        }
      }
    },
    repaint: (places) => {
      for (const place of places) {
        const chunk = chunkAt(place);
        if (chunk === undefined || !live.isLive(chunk)) continue;
        const span = spanIn(chunk, place);
        if (span !== undefined) span.className = classNames(place);
      }
    },
    setMode: (next, withNumbers) => {
      if (next === mode && withNumbers === numbers) return;
      const sameText = next === mode;
      mode = next;
      numbers = withNumbers;
      root.dataset.mode = next;
      root.dataset.numbers = withNumbers ? "on" : "off";
      for (const chunk of sameText ? [] : chunks) {
        if (live.isLive(chunk)) chunk.fill();
        else chunk.empty();
      }
      measure(characterSize(root));
      sight.changed();
    },
    setFolded: (folded, noteOf) => {
      for (const { run, button, body } of folds) {
        const hide = folded(run);
        labelFold(button, run, hide, noteOf(run));
        if (hide) body.setAttribute("hidden", "until-found");
        else body.removeAttribute("hidden");
      }
      sight.changed();
    },
    spanOf: (place) => {
      const chunk = chunkAt(place);
      if (chunk === undefined || isFolded(chunk.fold)) return undefined;
      live.need(chunk);
      return spanIn(chunk, place);
    },
    foldOf: (place) => chunkAt(place)?.fold,
    chunkOf: (place) => chunkAt(place)?.element,
    stop: () => {
      live.stop();
      resized.disconnect();
      sight.stop();
      scroller.replaceChildren();
    },
  };
}

/** Pixels beside the text. */
const SIDES = 24;

interface CharacterSize {
  readonly width: number;
  readonly lineHeight: number;
}

function characterSize(root: HTMLElement): CharacterSize {
  const probe = document.createElement("div");
  probe.className = "chunk";
  const text = document.createElement("span");
  text.textContent = "0".repeat(100);
  probe.append(text);
  root.append(probe);
  const width = text.getBoundingClientRect().width / 100;
  const lineHeight = Number.parseFloat(getComputedStyle(probe).lineHeight);
  probe.remove();
  return { width: width || 8, lineHeight: lineHeight || 22 };
}

/** Tells which places are in sight whenever that changes, once per frame. */
function watchSight(
  scroller: HTMLElement,
  shownChunks: () => StripChunk[],
  onSight: (from: number, to: number) => void,
): { readonly changed: () => void; readonly stop: () => void } {
  let frame = 0;
  let shown: StripChunk[] | undefined;
  const look = (): void => {
    frame = 0;
    shown ??= shownChunks();
    if (shown.length === 0) return;
    const { top } = scroller.getBoundingClientRect();
    onSight(placeAt(shown, top), Math.ceil(placeAt(shown, top + scroller.clientHeight)));
  };
  const schedule = (): void => {
    if (frame === 0) frame = requestAnimationFrame(look);
  };
  scroller.addEventListener("scroll", schedule, { passive: true });
  return {
    changed: () => {
      shown = undefined;
      schedule();
    },
    stop: () => {
      cancelAnimationFrame(frame);
      scroller.removeEventListener("scroll", schedule);
    },
  };
}

/** The place at a height, between the ends of its chunk in proportion. */
function placeAt(chunks: readonly StripChunk[], y: number): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chunks[middle]!.element.getBoundingClientRect().top <= y) low = middle;
    else high = middle - 1;
  }
  const { element, from, to } = chunks[low]!;
  const { top, height } = element.getBoundingClientRect();
  const share = height === 0 ? 0 : Math.min(1, Math.max(0, (y - top) / height));
  return from + share * (to - from);
}
