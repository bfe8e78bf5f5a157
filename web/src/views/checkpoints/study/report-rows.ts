/**
 * What is behind the tables and pictures of a study's report, with all its digits, for export.
 *
 * @module
 */
import type { KlReport } from "../../../../../src/protocol/kl.ts";
import { type Cell, flatRows, type Row } from "../../../ui/export.ts";

/** Intervals and other small objects become columns of their own: `mean_kl_interval.low`. */
function unfolded(item: object, prefix = ""): Record<string, unknown> {
  const entries = Object.entries(item).flatMap(([name, value]: [string, unknown]): [string, unknown][] =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.entries(unfolded(value, `${prefix}${name}.`))
      : [[prefix + name, value]],
  );
  return Object.fromEntries(entries);
}

export function rowsOf(items: readonly object[]): Row[] {
  return flatRows(items.map((item) => unfolded(item)));
}

export function checkpointRows({ checkpoints }: KlReport): Row[] {
  return rowsOf(Object.entries(checkpoints).map(([checkpoint, figures]) => ({ checkpoint, ...figures })));
}

/** A row per checkpoint and category. */
export function categoryRows({ categories }: KlReport): Row[] {
  return rowsOf(
    Object.entries(categories).flatMap(([checkpoint, figures]) =>
      Object.entries(figures).map(([category, own]) => ({ checkpoint, category, ...own })),
    ),
  );
}

export function progressionRows({ progression }: KlReport): Row[] {
  if (progression === null) return [];
  const { checkpoints, steps, mean_kl, mean_entropy, spikes_mean, category_mean_kl } = progression;
  return checkpoints.map((checkpoint, at) => ({
    checkpoint,
    step: steps[at],
    mean_kl: mean_kl[at],
    mean_entropy: mean_entropy[at],
    spikes_mean: spikes_mean[at],
    ...Object.fromEntries(
      Object.entries(category_mean_kl).map(([category, values]): [string, Cell] => [
        `mean_kl ${category}`,
        values[at],
      ]),
    ),
  }));
}

/** A row per checkpoint and range of spikes. */
export function spikeRangeRows({ spike_distribution }: KlReport): Row[] {
  return rowsOf(
    Object.entries(spike_distribution).flatMap(([checkpoint, ranges]) =>
      ranges.map((range) => ({ checkpoint, ...range })),
    ),
  );
}

export function stageRows({ progression }: KlReport): Row[] {
  return (progression?.stages ?? []).map(({ checkpoints, ...stage }) => ({
    ...stage,
    checkpoints: checkpoints.join(" "),
  }));
}

/** Where a handle of the report leads: `q12.t40`. */
export function placeOf(handle: string): { readonly text: number; readonly token?: number } | undefined {
  const [, text, token] = /^q(\d+)(?:\.t(\d+))?$/.exec(handle) ?? [];
  if (text === undefined) return undefined;
  return { text: Number(text), ...(token !== undefined && { token: Number(token) }) };
}

export type SentencePart = { readonly text: string; readonly handle: boolean };

/** A sentence of the report, apart where it names a text or a token. */
export function sentenceParts(sentence: string): SentencePart[] {
  return sentence
    .split(/\b(q\d+(?:\.t\d+)?)\b/)
    .map((text, at) => ({ text, handle: at % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
