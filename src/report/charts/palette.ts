/**
 * Colours as CSS variables, so that a page decides on light and dark; the fallbacks make a chart that is saved on its
 * own readable on white. Blue, grey and orange stay apart for every common colour blindness.
 *
 * @module
 */
export const PALETTE = {
  /** The trainer's side: positive Δ. */
  blue: "var(--lr-blue, #1f66ad)",
  /** The rollout engine's side: negative Δ; and what is worst. */
  orange: "var(--lr-orange, #c85a00)",
  grey: "var(--lr-grey, #7a7f87)",
  ink: "var(--lr-ink, #1c1e21)",
  muted: "var(--lr-muted, #5c626b)",
  grid: "var(--lr-grid, #dfe2e6)",
} as const;

export type PaletteColour = keyof typeof PALETTE;
