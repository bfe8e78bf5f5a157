/**
 * Finds log-probs that are not finite, for the assessment.
 *
 * @module
 */
import type { Finite } from "../../results/finite.ts";
import type { SourceSummary, StepMetrics } from "../../results/report.ts";
import { assessFinite, type FiniteBefore, type Values } from "../assessment/finite.ts";
import { pooledMetrics } from "./metrics.ts";
import type { RunSummary } from "./run-summary.ts";
import { makeSlice } from "./slices.ts";

/** Formats with arrays of numbers, which have NaN but not null. */
const ARRAYS: ReadonlySet<string> = new Set(["npz", "npy", "memmap", "torch", "pickle", "safetensors"]);

export function assessColumns(
  { nonFinite }: RunSummary,
  perStep: readonly Pick<StepMetrics, "step" | "tokens">[],
  sources: readonly Pick<SourceSummary, "format" | "found">[],
): Finite {
  const steps = perStep.map(({ step, tokens }) => {
    const counts = nonFinite.at(step ?? Number.NaN);
    return {
      step: step ?? Number.NaN,
      counts,
      all: tokens + (counts?.tokens ?? 0) + (counts?.readAsMissing ?? 0),
    };
  });
  const column = (of: "rollout" | "trainer"): Values => ({
    of,
    breaks: () => true,
    name: nameColumn(sources, `${of} log-probs: `),
    mayBeNull: sources.some(({ format }) => !ARRAYS.has(format)),
    steps: steps.map(({ step, counts, all }) => {
      return { step, nan: counts?.[`${of}NaN`] ?? 0, infinite: counts?.[`${of}Infinite`] ?? 0, all };
    }),
  });
  const readAsMissing = steps.reduce((sum, { counts }) => sum + (counts?.readAsMissing ?? 0), 0);
  return assessFinite([column("rollout"), column("trainer")], readAsMissing);
}

/** The column's name in the source, as noticed while reading; null if files differ or do not say. */
function nameColumn(sources: readonly Pick<SourceSummary, "found">[], label: string): string | null {
  const names = sources.flatMap(({ found }) =>
    found.flatMap((line) => (line.startsWith(label) ? (line.slice(label.length).split(",")[0] ?? []) : [])),
  );
  const [name, ...others] = new Set(names);
  return name === undefined || others.length > 0 ? null : name;
}

/** The figures of the steps before the first non-finite one, if what began there lasts to the end. */
export function measureBefore({ steps }: RunSummary, { found }: Finite): FiniteBefore | undefined {
  const first = Math.min(...found.map(({ first_step }) => first_step ?? Number.NEGATIVE_INFINITY));
  if (!Number.isFinite(first) || !found.some(({ since_step }) => since_step === first)) return undefined;
  const before = makeSlice();
  let until: number | undefined;
  for (const [step, slice] of steps.sorted()) {
    if (!(step < first)) break;
    before.merge(slice);
    until = step;
  }
  return until === undefined ? undefined : { until, metrics: pooledMetrics(before) };
}
