import { FONT_FAMILY, findFonts } from "./fonts.ts";
import { loadFigurePackage } from "./load-package.ts";

/** Units of an SVG that make an inch. */
const UNITS_PER_INCH = 96;

/** A figure that the renderer has read. */
export interface ReadFigure {
  /** As PNG. */
  draw(): Buffer;
  /** The same figure in paths alone, its text too. */
  outline(): string;
}

/**
 * @param svg whole, with the colors in it
 * @param dpi pixels per inch
 * @throws UnsupportedError without the packages that draw
 */
export async function readFigure(svg: string, dpi: number): Promise<ReadFigure> {
  const { Resvg } = await loadFigurePackage("@resvg/resvg-js", () => import("@resvg/resvg-js"));
  const figure = new Resvg(svg.replace(/font-family="[^"]*"/g, `font-family="${FONT_FAMILY}"`), {
    // The system's fonts for what ours lacks, such as Chinese.
    font: { fontFiles: [...(await findFonts())], loadSystemFonts: true, defaultFontFamily: FONT_FAMILY },
    fitTo: { mode: "zoom", value: dpi / UNITS_PER_INCH },
    background: "#ffffff",
  });
  return { draw: () => figure.render().asPng(), outline: () => figure.toString() };
}
