/**
 * Numbers as pages and pictures show them: those of `core/text`, with a true minus sign, `∞`, and `–` for missing ones.
 * Terminals, Markdown and files keep the plain signs, which can be searched and copied.
 *
 * @module
 */
import * as plain from "../../../core/text/index.ts";

export { type Figure, type FigureKind, isFigure, isMissing } from "../../../core/text/index.ts";

/** Shown in place of a missing figure. */
export const MISSING = "–";

const WHOLE: Readonly<Record<string, string>> = {
  [plain.MISSING]: MISSING,
  inf: "∞",
  "-inf": "−∞",
  "+inf": "+∞",
};

/** A figure, or a text with figures in it, with typographic signs. Names with hyphens are unchanged. */
export function displayed(text: string): string {
  return (
    WHOLE[text] ??
    text
      .replace(/(?<![\w.)\]}'"/-])-(?=\.?\d|inf\b)/g, "−")
      .replace(/^1-(?=\d\.\de-\d+$)|(?<=\d)e-(?=\d)/g, (found) => found.replace("-", "−"))
  );
}

export function formatNumber(value: plain.Figure, digits?: number): string {
  return displayed(plain.formatNumber(value, digits));
}

export function formatSigned(value: plain.Figure, digits?: number): string {
  return displayed(plain.formatSigned(value, digits));
}

export function formatCount(value: plain.Figure): string {
  return displayed(plain.formatCount(value));
}

/** A number used as a name, such as a step. */
export function formatId(value: plain.Figure): string {
  return displayed(plain.formatId(value));
}

export function formatShare(fraction: plain.Figure): string {
  return displayed(plain.formatShare(fraction));
}

export function formatNearOne(value: plain.Figure): string {
  return displayed(plain.formatNearOne(value));
}

export function formatNearWhole(fraction: plain.Figure): string {
  return displayed(plain.formatNearWhole(fraction));
}

export function formatProbability(value: plain.Figure): string {
  return displayed(plain.formatProbability(value));
}

export function formatPlainShare(fraction: plain.Figure): string {
  return displayed(plain.formatPlainShare(fraction));
}

export function formatPlain(value: plain.Figure): string {
  return displayed(plain.formatPlain(value));
}

export function formatFigure(value: plain.Figure, kind: plain.FigureKind): string {
  return displayed(plain.formatFigure(value, kind));
}

export function formatColumn(values: readonly plain.Figure[], kind: plain.FigureKind): string[] {
  return plain.formatColumn(values, kind).map(displayed);
}

/** `1 token`, `25,257 tokens`. */
export function formatCounted(value: number, noun: string): string {
  return displayed(plain.plural(value, noun));
}
