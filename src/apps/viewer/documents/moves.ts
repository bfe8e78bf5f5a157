/**
 * Where parts of a run lead on the page.
 *
 * @module
 */
import { quoted } from "../../../analyses/filter/index.ts";
import type { PageMove } from "../../../results/page.ts";

/** Filters that select a part's sequences, by the kind of part and by its table. */
const FILTERS: Readonly<Record<string, (name: string) => string | undefined>> = {
  correctness: (name) => ({ correct: "correct:yes", incorrect: "correct:no" })[name],
  environment: (name) => `env=${quoted(name)}`,
  engine: (name) => `engine=${quoted(name)}`,
  "finish-reason": (name) => `finish=${quoted(name)}`,
  rank: (name) => `rank:${name}`,
};

/** The sequences of `correctness`, `environment`, … with this name; null if no filter selects them. */
export function sequencesOf(kind: string, name: string): PageMove | null {
  const filter = FILTERS[kind]?.(name);
  return filter === undefined ? null : { view: "sequences", params: { filter } };
}

/** From a row of a report's table. */
export function moveFromRow(table: string, name: string): PageMove | null {
  if (table === "steps")
    return /^\d+$/.test(name) ? { view: "sequences", params: { steps: `${name}..${name}` } } : null;
  return sequencesOf(table.replace(/s$/, ""), name) ?? sequencesOf(table, name);
}

/** `q12.t40` of a study. */
export function moveInStudy(handle: string): PageMove | null {
  const [, text, token] = /^q(\d+)(?:\.t(\d+))?$/.exec(handle) ?? [];
  if (text === undefined) return null;
  return { view: "checkpoints", params: { part: "texts", text, ...(token !== undefined && { token }) } };
}
