/**
 * Compares a run with others. The result of each comparison is kept in the first run's cache.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { resultJson } from "../../../core/base/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import {
  type ComparedRun,
  type ComparedRuns,
  type RunComparison,
  type RunInfo,
  type StepSeries,
  VIEW_SCHEMA_VERSION,
} from "../../../results/view.ts";
import type { OtherRun, PreparedRun } from "../prepare/cache/prepared-run.ts";
import { measureDifferences } from "./difference.ts";
import { matchSequences } from "./match-sequences.ts";
import { measurePairs } from "./measure-pairs.ts";
import { nameRuns } from "./name-runs.ts";
import { type RunFacts, readFacts } from "./run-facts.ts";
import { stepDifferences } from "./step-differences.ts";
import { judge } from "./warnings.ts";

/** Incremented whenever the comparison changes. */
const COMPARISON_VERSION = 3;

/** A run that another is to be compared with. */
export interface LabeledRun {
  readonly run: PreparedRun;
  /** Its name in the comparison; default its own name, or the part of its path that distinguishes it. */
  readonly label?: string;
}

/**
 * The run `a`, which also answers for the others and for its differences from each. Its version covers all runs, so
 * that no browser confuses its answers with those of one run alone. Closing it closes all; they stay open if this
 * throws.
 */
export async function compareRuns(
  a: PreparedRun,
  others: readonly LabeledRun[],
  signal?: AbortSignal,
): Promise<PreparedRun> {
  const [nameA = "", ...names] = nameRuns([a.info, ...others.map(({ run, label }) => toName(run, label))]);
  const version = digest([
    a.info.version,
    others.map(({ run }) => run.info.version),
    nameA,
    names,
    COMPARISON_VERSION,
  ]);
  let facts: Promise<RunFacts> | undefined;
  const first: FirstRun = {
    run: a,
    name: nameA,
    readFacts: () => {
      facts ??= readFacts(a, nameA, signal);
      return facts;
    },
  };
  const made: Made[] = [];
  for (const [at, { run }] of others.entries())
    made.push(await openComparison(first, { run, name: names[at]! }, signal));
  const info: RunInfo = { ...a.info, version, compared: names };
  const own = Buffer.from(resultJson(info));
  return {
    ...a,
    info,
    compared: {
      first: a,
      others: others.map(
        ({ run }, at): OtherRun => ({ run, comparison: Buffer.from(resultJson(made[at]!.comparison)) }),
      ),
      together: Buffer.from(resultJson(await putTogether(first, names, others, made))),
    },
    complete: a.complete && others.every(({ run }) => run.complete),
    reused: a.reused && others.every(({ run }) => run.reused),
    answer: async (name) => (name === "run" ? own : a.answer(name)),
    async close() {
      await Promise.all([a, ...others.map(({ run }) => run)].map((run) => run.close()));
    },
  };
}

/**
 * Compares the run with one more, in addition to the existing ones. Its rows keep their numbers; everything stays open
 * if this throws.
 */
export async function addComparedRun(
  run: PreparedRun,
  { run: other, label }: Required<LabeledRun>,
  signal?: AbortSignal,
): Promise<PreparedRun> {
  const { first = run, others = [] } = run.compared ?? {};
  const names = run.info.compared;
  const known = others.map((one, at): LabeledRun => ({ run: one.run, label: names[at]! }));
  const isTaken = (name: string): boolean => name === first.info.name || names.includes(name);
  let name = label;
  for (let count = 2; isTaken(name); count++) name = `${label} (${count})`;
  return compareRuns(first, [...known, { run: other, label: name }], signal);
}

function toName({ info: { name, input } }: PreparedRun, label: string | undefined) {
  return { name, input, ...(label !== undefined && { label }) };
}

interface NamedRun {
  readonly run: PreparedRun;
  readonly name: string;
}

/** Read once for all comparisons, and not at all if every comparison is cached. */
interface FirstRun extends NamedRun {
  readFacts(): Promise<RunFacts>;
}

/** The cached result of comparing with one run. */
interface Made {
  readonly comparison: RunComparison;
  readonly differences: ComparedRun["differences"];
}

async function openComparison(a: FirstRun, b: NamedRun, signal: AbortSignal | undefined): Promise<Made> {
  const key = digest([a.run.info.version, b.run.info.version, a.name, b.name, COMPARISON_VERSION]);
  const path = join(a.run.directory, `compare-${key}.json`);
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as Made;
  const made = resultJson(await compare(a, b, signal));
  // Another user's cache may be read-only: then the comparison is computed again the next time.
  await writeWholeFile(path, Buffer.from(made)).catch(() => {});
  return JSON.parse(made) as Made;
}

async function compare(a: FirstRun, b: NamedRun, signal: AbortSignal | undefined): Promise<Made> {
  const [inA, inB] = [await a.readFacts(), await readFacts(b.run, b.name, signal)];
  const matched = matchSequences(inA.sequences, inB.sequences);
  const { pairs, masks, sums } = await measurePairs(a.run, b.run, matched, signal);
  const comparison: RunComparison = {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-comparison",
    names: { a: a.name, b: b.name },
    ...judge(inA, inB, matched, masks),
    pairs,
    unmatched: { a: inA.info.sequences - matched.length, b: inB.info.sequences - matched.length },
    steps: stepDifferences(await readSteps(a.run), await readSteps(b.run)),
  };
  return { comparison, differences: measureDifferences(inA, inB, sums) };
}

async function putTogether(
  first: FirstRun,
  names: readonly string[],
  others: readonly LabeledRun[],
  made: readonly Made[],
): Promise<ComparedRuns> {
  const readMetrics = async (run: PreparedRun) =>
    (JSON.parse(Buffer.from(await run.answer("report")).toString()) as MismatchReport).metrics;
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-compared-runs",
    first: { name: first.name, metrics: await readMetrics(first.run) },
    others: await Promise.all(
      others.map(async ({ run }, at) => ({
        name: names[at]!,
        metrics: await readMetrics(run),
        differences: made[at]!.differences,
      })),
    ),
  };
}

async function readSteps(run: PreparedRun): Promise<StepSeries> {
  return JSON.parse(Buffer.from(await run.answer("steps")).toString()) as StepSeries;
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 20);
}
