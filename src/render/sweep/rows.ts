import type { SweepCorrection, SweepReport } from "../../results/index.ts";

/** Trainers' defaults that users compare with: TIS at 2, IcePop's band, TRL's sequence mask, geometric rejection. */
const BASELINES = [
  "none",
  "token-tis 2",
  "icepop 0.5–5",
  "seq-mis 3",
  "geo-rs 0.99–1.01",
  "geo-rs 0.999–1.001",
];

/** Rows of the table: `default` is the front, the baselines, the recommended and chosen ones, and requested ones. */
export type RowChoice = "default" | "all" | number;

/** In the order of weight mass moved; a number limits the rows, the front first, then by ESS. */
export function chosenRows(report: SweepReport, choice: RowChoice): SweepCorrection[] {
  const always = new Set([...report.front, ...BASELINES, report.recommendation.name, report.chosen]);
  const rows =
    choice === "all"
      ? [...report.corrections]
      : choice === "default"
        ? report.corrections.filter((row) => always.has(row.name) || isAskedFor(row))
        : [...report.corrections]
            .sort((a, b) => Number(b.on_front) - Number(a.on_front) || b.ess_tokens - a.ess_tokens)
            .slice(0, choice);
  return rows.sort((a, b) => a.mass_moved - b.mass_moved || b.ess_tokens - a.ess_tokens);
}

/** A row of `--preset`, `--setting` or `--correction`: the first two have a preset, the last is named by its text. */
function isAskedFor({ name, preset, correction_text }: SweepCorrection): boolean {
  return preset !== null || name === correction_text;
}
