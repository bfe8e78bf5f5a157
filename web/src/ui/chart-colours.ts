/**
 * Colours of lines: names, the variables of the style sheet that hold them for light and dark pages, and what they are
 * on paper. Neighbours differ in lightness as well as in hue, and by their dashes, for all who see colours otherwise.
 *
 * @module
 */
export const CHART_COLOURS = {
  blue: { variable: "--blue", paper: "#2062ad" },
  orange: { variable: "--orange", paper: "#b44d00" },
  grey: { variable: "--grey", paper: "#777d87" },
  teal: { variable: "--teal", paper: "#00786b" },
  purple: { variable: "--purple", paper: "#7a3fa3" },
  gold: { variable: "--gold", paper: "#8a6a00" },
  pink: { variable: "--pink", paper: "#b0306e" },
  faint: { variable: "--faint", paper: "#c3c8cf" },
} as const;
export type ChartColour = keyof typeof CHART_COLOURS;

const SLICES: readonly ChartColour[] = ["blue", "orange", "teal", "purple", "gold", "pink", "grey"];
const DASHES: readonly (readonly number[])[] = [[], [], [6, 3], [2, 3], [8, 3, 2, 3], [4, 2], [1, 3]];

/** So many groups have a colour of their own. */
export const MOST_COLOURED = SLICES.length;

/** The look of the `index`th group; from the eighth on they share a faint one. */
export function sliceLook(index: number): { readonly colour: ChartColour; readonly dash: readonly number[] } {
  return { colour: SLICES[index] ?? "faint", dash: DASHES[index] ?? [] };
}
