/**
 * The elements of a strip, made once:
 *
 *     .strip-text
 *     └─ section.turn-section            one for each section of the model
 *        ├─ h2                           in sight as long as the section is
 *        ├─ div.flow                     a block of text
 *        │  ├─ div.chunk  "plain text"   far from sight: one text node, so that the browser's search finds it
 *        │  └─ div.chunk  <span><span>…  near it: an element per token
 *        └─ div.foldable                 a block of prompt or tool output
 *           ├─ button                    folds it away and brings it back
 *           └─ div.flow.aside
 *              └─ div.chunk …
 *
 * @module
 */
import { splitChunks } from "../model/chunks.ts";
import type { Block, TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { buildChunk, type StripChunk } from "./chunk.ts";
import type { Looks } from "./looks.ts";
import { foldButton, labelFold, sectionHeading } from "./section-heading.ts";

export interface Fold {
  readonly run: TokenRun;
  readonly button: HTMLButtonElement;
  readonly body: HTMLElement;
}

export interface StripMarkup {
  readonly sections: readonly HTMLElement[];
  /** All chunks, in the order of the text. */
  readonly chunks: readonly StripChunk[];
  readonly folds: readonly Fold[];
}

export interface MarkupEvents {
  readonly onToggle: (run: TokenRun) => void;
  /** Called when a response token is asked for. */
  readonly onGoTo: (token: number) => void;
}

export function buildMarkup(model: SequenceModel, looks: Looks, events: MarkupEvents): StripMarkup {
  const chunks: StripChunk[] = [];
  const folds: Fold[] = [];
  const buildBody = ({ from, to, fold }: Block): HTMLElement => {
    const own = splitChunks({ from, to }, model.endsLine).map((piece) =>
      buildChunk(model, looks, piece, fold),
    );
    chunks.push(...own);
    const body = document.createElement("div");
    body.className = "flow";
    body.append(...own.map(({ element }) => element));
    return body;
  };
  const buildBlock = (block: Block): HTMLElement => {
    const body = buildBody(block);
    if (block.fold === undefined) return body;
    const fold = buildFold(block.fold, body, events.onToggle);
    folds.push(fold);
    const element = document.createElement("div");
    element.className = "foldable";
    element.append(fold.button, body);
    return element;
  };
  const sections = model.sections.map(({ head, blocks }) => {
    const section = document.createElement("section");
    section.className = `turn-section ${head.kind}`;
    // A fold's button replaces the heading.
    if (blocks[0]?.fold === undefined) section.append(sectionHeading(model, head, events.onGoTo));
    section.append(...blocks.map(buildBlock));
    return section;
  });
  return { sections, chunks, folds };
}

function buildFold(run: TokenRun, body: HTMLElement, onToggle: (run: TokenRun) => void): Fold {
  body.classList.add("aside", run.kind);
  const button = foldButton(run, () => onToggle(run));
  labelFold(button, run, false, "");
  // The browser's own search unfolds what it finds.
  body.addEventListener("beforematch", () => onToggle(run));
  return { run, button, body };
}
