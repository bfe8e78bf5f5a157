/**
 * The figures of a study as standalone pictures, for files.
 *
 * @module
 */

import { standaloneSvg } from "../../render/charts/index.ts";
import type { KlReport } from "../results/report.ts";
import { caseFigures } from "./case-figures.ts";
import { followUpPictures } from "./follow-up-pictures.ts";
import { categoryPictures, correctnessPictures, type KlPicture, overviewPictures } from "./html-pictures.ts";

/** In the order of the report; `id` is a file name without its ending. */
export function klFigures(report: KlReport): KlPicture[] {
  const pictures = [
    ...overviewPictures(report),
    ...categoryPictures(report),
    ...correctnessPictures(report),
    ...followUpPictures(report),
    ...report.cases.flatMap((study, at) => caseFigures(study, report, `case-${at + 1}`)),
  ];
  return pictures.map(({ id, svg }) => ({ id, svg: standaloneSvg(svg) }));
}
