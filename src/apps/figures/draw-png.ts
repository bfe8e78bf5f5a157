import { FONT_FAMILY, findFonts } from "./fonts.ts";
import { loadFigurePackage } from "./load-package.ts";

/** Units of an SVG that make an inch. */
const UNITS_PER_INCH = 96;

/** A figure parsed by the renderer. */
export interface ReadFigure {
  /** Renders it as PNG. */
  draw(): Buffer;
  /** The same figure as paths only, including its text. */
  outline(): string;
}

/**
 * @param svg complete, including its colors
 * @param dpi pixels per inch
 * @throws UnsupportedError without the drawing packages
 */
export async function readFigure(svg: string, dpi: number): Promise<ReadFigure> {
  const { Resvg } = await loadFigurePackage("@resvg/resvg-js", () => import("@resvg/resvg-js"));
  const figure = new Resvg(svg.replace(/font-family="[^"]*"/g, `font-family="${FONT_FAMILY}"`), {
    // The system's fonts for characters that ours lack, such as Chinese.
    font: { fontFiles: [...(await findFonts())], loadSystemFonts: true, defaultFontFamily: FONT_FAMILY },
    fitTo: { mode: "zoom", value: dpi / UNITS_PER_INCH },
    background: "#ffffff",
  });
  return { draw: () => figure.render().asPng(), outline: () => figure.toString() };
}
