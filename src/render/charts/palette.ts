/**
 * Colors as CSS variables, so that a page decides on light and dark; the fallbacks make a separately saved chart
 * readable on white. Blue, gray and orange are distinguishable with every common color blindness; neighbors among the
 * further ones differ in lightness as well as in hue.
 *
 * @module
 */
export const PALETTE = {
  /** The rollout engine's side: Δ below 0, where the token is likelier under rollout. */
  blue: "var(--lr-blue, #2062ad)",
  /** The trainer's side: Δ above 0; and what is worst. */
  orange: "var(--lr-orange, #b44d00)",
  grey: "var(--lr-grey, #777d87)",
  teal: "var(--lr-teal, #00786b)",
  purple: "var(--lr-purple, #7a3fa3)",
  gold: "var(--lr-gold, #8a6a00)",
  pink: "var(--lr-pink, #b0306e)",
  faint: "var(--lr-faint, #c3c8cf)",
  ink: "var(--lr-ink, #1c1e21)",
  muted: "var(--lr-muted, #5c626b)",
  grid: "var(--lr-grid, #dfe2e6)",
} as const;

export type PaletteColor = keyof typeof PALETTE;
