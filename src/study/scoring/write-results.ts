import { dirname } from "node:path";
import { makeDirectory, writeWholeFile } from "../../input/io/index.ts";
import type { KlReport } from "../results/report.ts";
import { paths } from "./store/manifest.ts";

/** Writes a file for each checkpoint, with its part of the report. */
export async function writeResults(dir: string, report: KlReport): Promise<void> {
  const { schemaVersion, reference, settings } = report;
  for (const [name, figures] of Object.entries(report.checkpoints)) {
    const isOwn = ({ checkpoint }: { readonly checkpoint: string }): boolean => checkpoint === name;
    const file = paths.results(dir, name);
    makeDirectory(dirname(file));
    const result = {
      schemaVersion,
      kind: "kl-checkpoint",
      checkpoint: name,
      reference,
      settings,
      figures,
      categories: report.categories[name],
      spike_distribution: report.spike_distribution[name],
      top_problems: report.top_problems[name],
      attention: report.attention.find(isOwn) ?? null,
      gradients: report.gradients.find(isOwn) ?? null,
      continuations: report.continuations.filter(isOwn),
    };
    await writeWholeFile(file, `${JSON.stringify(result, null, 2)}\n`);
  }
}
