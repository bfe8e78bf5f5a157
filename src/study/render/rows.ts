/**
 * The rows that the tables and pictures of a study export.
 *
 * @module
 */

import type { KlReport } from "../results/report.ts";

export function checkpointRows({ checkpoints }: KlReport): object[] {
  return Object.entries(checkpoints).map(([checkpoint, figures]) => ({ checkpoint, ...figures }));
}

/** A row per checkpoint and category. */
export function allCategoryRows({ categories }: KlReport): object[] {
  return Object.entries(categories).flatMap(([checkpoint, figures]) =>
    Object.entries(figures).map(([category, own]) => ({ checkpoint, category, ...own })),
  );
}

export function progressionRows({ progression }: KlReport): object[] {
  if (progression === null) return [];
  const { checkpoints, steps, mean_kl, mean_entropy, spikes_mean, category_mean_kl } = progression;
  return checkpoints.map((checkpoint, at) => ({
    checkpoint,
    step: steps[at] ?? null,
    mean_kl: mean_kl[at] ?? null,
    mean_entropy: mean_entropy[at] ?? null,
    spikes_mean: spikes_mean[at] ?? null,
    ...Object.fromEntries(
      Object.entries(category_mean_kl).map(([category, values]) => [
        `mean_kl ${category}`,
        values[at] ?? null,
      ]),
    ),
  }));
}

/** A row per checkpoint and range of spikes. */
export function spikeRangeRows({ spike_distribution }: KlReport): object[] {
  return Object.entries(spike_distribution).flatMap(([checkpoint, ranges]) =>
    ranges.map((range) => ({ checkpoint, ...range })),
  );
}

export function stageRows({ progression }: KlReport): object[] {
  return (progression?.stages ?? []).map(({ checkpoints, ...stage }) => ({
    ...stage,
    checkpoints: checkpoints.join(" "),
  }));
}

export function hiddenRows({ attention }: KlReport): object[] {
  return attention.flatMap(({ checkpoint, hidden }) => (hidden === null ? [] : [{ checkpoint, ...hidden }]));
}

export function policyRows({ policies }: KlReport): object[] {
  return Object.entries(policies).map(([policy, { notes, ...facts }]) => ({
    policy,
    ...facts,
    notes: notes.join(" "),
  }));
}
