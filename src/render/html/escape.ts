import { escapeMarkup } from "../charts/svg.ts";
import { printable } from "../text/printable.ts";

/** Foreign or own text as HTML text or attribute value: nothing in it can become markup, or reorder the line. */
export function escapeHtml(text: string): string {
  return escapeMarkup(printable(text));
}
