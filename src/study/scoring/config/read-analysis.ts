/**
 * How scores are analyzed, apart from where they come from.
 *
 * @module
 */

import { DEFAULT_CATEGORIES } from "../../analysis/categories/categories.ts";
import { type CategoryConfig, extendCategories } from "../../analysis/categories/extend-categories.ts";
import {
  type AnalysisSpec,
  DEFAULT_SPIKES,
  FIGURE_FORMATS,
  type FigureSpec,
  type StudySpec,
} from "../study-spec.ts";
import { ConfigFields } from "./fields.ts";
import type { StudyConfig } from "./read-config.ts";
import { DEFAULT_SEED } from "./read-sampling.ts";

const DEFAULT_DPI = 300;

/** Keys that say how scores are analyzed; a study stores them, so that its directory is enough to analyze it again. */
export const ANALYSIS = [
  "spikes",
  "categories",
  "parity",
  "alpha",
  "bootstrap",
  "seed",
  "floor",
  "cases",
  "outcomes",
  "figures",
] as const;

/** How scores are analyzed, apart from where they come from. @throws UsageError as `readStudy` does */
export function readAnalysisConfig(
  config: StudyConfig,
  file: string | undefined,
): Pick<StudySpec, "analysis" | "outcomes" | "figures"> {
  const fields = new ConfigFields(config, "", file);
  const read = {
    analysis: readAnalysis(fields),
    outcomes: readOutcomes(fields),
    figures: readFigures(fields),
  };
  fields.finish();
  return read;
}

export function readOutcomes(fields: ConfigFields): Record<string, string> {
  const given = fields.raw("outcomes");
  return typeof given === "string" ? { "": given } : (fields.textMap("outcomes") ?? {});
}

/** The formats of figures, if figures are written. */
export function readFigures(fields: ConfigFields): FigureSpec {
  const given = fields.fields("figures");
  const formats = given?.choices("formats", FIGURE_FORMATS) ?? ["svg"];
  const dpi = given?.number("dpi", (value) => value >= 24 && value <= 1200, "from 24 to 1200") ?? DEFAULT_DPI;
  given?.finish();
  return { formats, dpi };
}

export function readAnalysis(fields: ConfigFields): AnalysisSpec {
  const spikes = fields.fields("spikes");
  const share = (value: number): boolean => value > 0 && value < 1;
  const spec: AnalysisSpec = {
    spikes: {
      method: spikes?.choice("method", ["zscore", "percentile", "adaptive"]) ?? DEFAULT_SPIKES.method,
      threshold: spikes?.number("threshold") ?? DEFAULT_SPIKES.threshold,
      minDistance: spikes?.count("min_distance", 0) ?? DEFAULT_SPIKES.minDistance,
      percentile:
        spikes?.number("percentile", (value) => value >= 0 && value <= 100, "from 0 to 100") ??
        DEFAULT_SPIKES.percentile,
    },
    categories: fields.has("categories")
      ? extendCategories(fields.raw("categories") as Record<string, CategoryConfig>)
      : DEFAULT_CATEGORIES,
    rlProbe: fields.choice("parity", ["rl-probe"]) !== undefined,
    alpha: fields.number("alpha", share, "between 0 and 1") ?? 0.05,
    bootstrapReplicates: fields.count("bootstrap", 0) ?? 2000,
    seed: fields.count("seed", 0) ?? DEFAULT_SEED,
    floor: fields.number("floor", (value) => value < 0, "a log-prob below 0"),
    cases: fields.count("cases", 0) ?? 6,
  };
  spikes?.finish();
  return spec;
}
