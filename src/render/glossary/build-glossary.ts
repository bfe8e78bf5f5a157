import { RUN_METRICS, type RunMetric } from "../../results/metrics/run-metrics.ts";
import type { Glossary } from "../../results/page.ts";
import { GLOSSARY } from "./glossary.ts";

/** The glossary and the names of a report's figures, ready to be found in headings. */
export function buildGlossary(): Glossary {
  const meanings = new Map<string, string>();
  // The glossary explains more than a figure's name does.
  const figures = Object.values<RunMetric>(RUN_METRICS)
    .filter(({ isAmount }) => !isAmount)
    .map(({ label, meaning }) => ({ terms: [label], meaning }));
  for (const { terms, meaning } of [...figures, ...GLOSSARY])
    for (const term of terms)
      for (const form of [term, term.endsWith("y") ? `${term.slice(0, -1)}ies` : `${term}s`])
        meanings.set(form.toLowerCase(), meaning);
  const longestFirst = [...meanings.keys()].sort((a, b) => b.length - a.length);
  return {
    pattern: `(?<![\\p{L}\\p{N}])(${longestFirst.map(escapePattern).join("|")})(?![\\p{L}\\p{N}])`,
    meanings: Object.fromEntries(meanings),
  };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
