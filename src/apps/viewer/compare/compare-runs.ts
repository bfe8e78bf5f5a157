/**
 * A run with another beside it. What comes of the comparison is kept in the first run's cache.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { resultJson } from "../../../core/base/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import {
  type RunComparison,
  type RunInfo,
  type StepSeries,
  VIEW_SCHEMA_VERSION,
} from "../../../results/index.ts";
import type { PreparedRun } from "../prepare/index.ts";
import { matchSequences } from "./match-sequences.ts";
import { measurePairs } from "./measure-pairs.ts";
import { nameRuns } from "./name-runs.ts";
import { readFacts } from "./run-facts.ts";
import { stepDifferences } from "./step-differences.ts";
import { judge } from "./warnings.ts";

/** Counts up whenever a comparison is made otherwise. */
const COMPARISON_VERSION = 2;

/**
 * The run `a` as before, which also answers for `b` and for how they differ. Its version is of both, so that no browser
 * takes an answer of either run alone for one of these. Closing it closes both; they stay open when this throws.
 */
export async function compareRuns(
  a: PreparedRun,
  b: PreparedRun,
  signal?: AbortSignal,
): Promise<PreparedRun> {
  const version = digest([a.info.version, b.info.version, COMPARISON_VERSION]);
  const comparison = await openComparison(a, b, join(a.directory, `compare-${version}.json`), signal);
  const info: RunInfo = { ...a.info, version, compared: nameRuns(a.info, b.info).b };
  const run = Buffer.from(resultJson(info));
  return {
    ...a,
    info,
    compared: { other: b, comparison },
    complete: a.complete && b.complete,
    reused: a.reused && b.reused,
    answer: async (name) => (name === "run" ? run : a.answer(name)),
    async close() {
      await Promise.all([a.close(), b.close()]);
    },
  };
}

async function openComparison(
  a: PreparedRun,
  b: PreparedRun,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const known = await readFile(path).catch(() => undefined);
  if (known !== undefined) return known;
  const made = Buffer.from(resultJson(await compare(a, b, signal)));
  // A cache that others made may be read-only: then it is computed again the next time.
  await writeWholeFile(path, made).catch(() => {});
  return made;
}

async function compare(
  a: PreparedRun,
  b: PreparedRun,
  signal: AbortSignal | undefined,
): Promise<RunComparison> {
  const names = nameRuns(a.info, b.info);
  const [inA, inB] = [await readFacts(a, names.a, signal), await readFacts(b, names.b, signal)];
  const matched = matchSequences(inA.sequences, inB.sequences);
  const { pairs, masks } = await measurePairs(a, b, matched, signal);
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-comparison",
    names,
    ...judge(inA, inB, matched, masks),
    pairs,
    unmatched: { a: a.info.sequences - matched.length, b: b.info.sequences - matched.length },
    steps: stepDifferences(await readSteps(a), await readSteps(b)),
  };
}

async function readSteps(run: PreparedRun): Promise<StepSeries> {
  return JSON.parse(Buffer.from(await run.answer("steps")).toString()) as StepSeries;
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 20);
}
