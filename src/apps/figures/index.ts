/**
 * Figures as files: SVG directly, PNG and PDF through packages loaded on first use. What is drawn belongs in
 * src/render.
 *
 * @module
 */
import { join } from "node:path";
import { makeDirectory, writeWholeFile } from "../../input/io/index.ts";
import type { FigureFormat, FigureSpec } from "../../study/scoring/index.ts";
import { drawPdf } from "./draw-pdf.ts";
import { readFigure } from "./draw-png.ts";
import { FIGURES_KIND, FIGURES_MANIFEST } from "./figures-directory.ts";
import { findFonts } from "./fonts.ts";
import { loadFigurePackage } from "./load-package.ts";

export { checkFiguresDirectory } from "./figures-directory.ts";

export interface Figure {
  /** File name without its ending. */
  readonly id: string;
  /** Complete, including its colors. */
  readonly svg: string;
}

/**
 * Checks for the packages that the formats need, before anything is computed.
 *
 * @throws UnsupportedError without the drawing packages
 */
export async function checkFigureFormats(formats: readonly FigureFormat[]): Promise<void> {
  if (formats.every((format) => format === "svg")) return;
  await loadFigurePackage("@resvg/resvg-js", () => import("@resvg/resvg-js"));
  await findFonts();
  if (formats.includes("pdf")) await loadFigurePackage("pdfkit", () => import("pdfkit"));
}

/**
 * Writes every figure in every format, such as `DIR/kl-over-checkpoints.png`, and `figures.json`, which lists them.
 *
 * @returns the figures' files
 */
export async function writeFigures(
  dir: string,
  figures: readonly Figure[],
  { formats, dpi }: FigureSpec,
): Promise<string[]> {
  makeDirectory(dir);
  const files: string[] = [];
  // First, so that files left by an interrupt are recognized as ours.
  const told = figures.map(({ id, svg }) => ({
    title: readTitle(svg),
    files: formats.map((format) => `${id}.${format}`),
  }));
  const manifest = { schemaVersion: 1, kind: FIGURES_KIND, figures: told };
  await writeWholeFile(join(dir, FIGURES_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const { id, svg } of figures) {
    for (const format of formats) {
      const file = join(dir, `${id}.${format}`);
      await writeWholeFile(file, await drawFigure(svg, format, dpi));
      files.push(file);
    }
  }
  return files;
}

async function drawFigure(svg: string, format: FigureFormat, dpi: number): Promise<string | Buffer> {
  if (format === "svg") return svg;
  const figure = await readFigure(svg, dpi);
  return format === "png" ? figure.draw() : drawPdf(figure.outline(), readTitle(svg));
}

/** The first sentence of its description, which is its heading. */
function readTitle(svg: string): string {
  return (/aria-label="([^"]*)"/.exec(svg)?.[1] ?? "").split(". ")[0] ?? "";
}
