/**
 * Line styles: those of groups also differ in dashes, for readers who do not see the colors.
 *
 * @module
 */
import type { PaletteColor } from "./palette.ts";

export type ChartColor = Exclude<PaletteColor, "ink" | "muted" | "grid">;

const SLICES: readonly ChartColor[] = ["blue", "orange", "teal", "purple", "gold", "pink", "grey"];
const DASHES: readonly (readonly number[])[] = [[], [], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 3]];

/** The number of groups with their own color. */
export const MOST_COLORED = SLICES.length;

/** The look of the `index`th group; from the eighth on, groups share a faint one. */
export function sliceLook(index: number): { readonly color: ChartColor; readonly dash: readonly number[] } {
  return { color: SLICES[index] ?? "faint", dash: DASHES[index] ?? [] };
}
