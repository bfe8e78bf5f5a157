import type { SweepCorrection, SweepReport } from "../../results/sweep.ts";

/** Trainers' defaults that users compare with: TIS at 2, IcePop's band, TRL's sequence mask, geometric rejection. */
const BASELINES = [
  "none",
  "token-tis 2",
  "icepop 0.5–5",
  "seq-mis 3",
  "geo-rs 0.99–1.01",
  "geo-rs 0.999–1.001",
];

/** Rows of the front that fit on a first screen next to its config. */
const FEW_ROWS = 4;

/**
 * Rows of the table: `default` is the front, the baselines, the recommended and chosen ones, and requested ones; `few`
 * the same without the baselines and with only the first rows of the front.
 */
export type RowChoice = "default" | "few" | "all" | number;

/** In order of the weight mass moved; a number limits the rows, taking the front first, then by ESS. */
export function chosenRows(report: SweepReport, choice: RowChoice): SweepCorrection[] {
  const musts = ["none", report.recommendation.name, report.chosen];
  const always = new Set([
    ...musts,
    ...(choice === "few" ? firstOf(report.front, FEW_ROWS, musts) : [...report.front, ...BASELINES]),
  ]);
  const rows =
    choice === "all"
      ? [...report.corrections]
      : choice === "default" || choice === "few"
        ? report.corrections.filter((row) => always.has(row.name) || isAskedFor(row))
        : [...report.corrections]
            .sort((a, b) => Number(b.on_front) - Number(a.on_front) || b.ess_tokens - a.ess_tokens)
            .slice(0, choice);
  return rows.sort((a, b) => a.mass_moved - b.mass_moved || b.ess_tokens - a.ess_tokens);
}

/** The first names, as many as leave room for the others that are shown anyway. */
function firstOf(names: readonly string[], most: number, shown: readonly string[]): string[] {
  const musts = new Set(shown);
  return names.filter((name) => !musts.has(name)).slice(0, most - musts.size);
}

/** A row of `--preset`, `--setting` or `--correction`: the first two have a preset, the last is named by its text. */
function isAskedFor({ name, preset, correction_text }: SweepCorrection): boolean {
  return preset !== null || name === correction_text;
}
