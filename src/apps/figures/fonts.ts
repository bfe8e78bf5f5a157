/**
 * The fonts that figures are drawn with. Charts name none, because pages choose one; a picture needs an installed font,
 * or its text is missing.
 *
 * @module
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { loadFigurePackage } from "./load-package.ts";

/** As narrow as charts assume; covers Latin, Greek, Cyrillic, Arabic, mathematics. */
export const FONT_FAMILY = "DejaVu Sans Condensed";
const FILES = ["DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"];

/** @throws UnsupportedError if the package of the font is not installed */
export async function findFonts(): Promise<readonly string[]> {
  const manifest = await loadFigurePackage("dejavu-fonts-ttf", () =>
    createRequire(import.meta.url).resolve("dejavu-fonts-ttf/package.json"),
  );
  return FILES.map((file) => join(dirname(manifest), "ttf", file));
}
