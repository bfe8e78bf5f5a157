/**
 * Estimates the heights of chunks before the browser lays them out, so that the scroll bar is about right for a text of
 * 100,000 tokens of which only a screenful is laid out.
 *
 * @module
 */
import { countLines } from "../model/chunks.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { StripChunk } from "./chunk.ts";
import type { Looks } from "./looks.ts";

/** Pixels beside the text. */
const SIDES = 24;
const LEAST_COLUMNS = 20;

/** Pixels of one character of the text's font. */
export interface CharacterSize {
  readonly width: number;
  readonly lineHeight: number;
}

export function measureCharacter(root: HTMLElement): CharacterSize {
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

/** Sets the height that a chunk has while out of sight; `auto` lets the browser remember the true one. */
export function guessHeights(
  root: HTMLElement,
  chunks: readonly StripChunk[],
  model: SequenceModel,
  { mode }: Looks,
  { width, lineHeight }: CharacterSize,
): void {
  const columns = Math.max(LEAST_COLUMNS, Math.floor((root.clientWidth - SIDES) / width));
  for (const { element, from, to } of chunks) {
    const rows =
      mode === "reading"
        ? countLines(model.cellBytes(from, to), columns)
        : countRows(element.textContent ?? "", columns);
    element.style.containIntrinsicHeight = `auto ${rows * lineHeight}px`;
  }
}

function countRows(text: string, columns: number): number {
  return Math.ceil(text.length / columns) + text.split("\n").length;
}
