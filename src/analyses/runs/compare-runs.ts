/**
 * From two lists of paths to the certificate: what `logratio compare` prints, as an object.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { isLogratioError, shellCommand, UsageError } from "../../core/base/index.ts";
import type { RecordBatch, SideFacts } from "../../core/schema/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { CompareReport, CompareSide } from "../../results/compare.ts";
import { buildCompareReport, DEFAULT_ALPHA, DEFAULT_WITHIN } from "../compare/build-compare-report.ts";
import { type ColumnPair, type Compared, Comparison } from "../compare/comparison.ts";
import { describeInputs, newestDay } from "./compare-inputs.ts";
import type { FilterOptions } from "./filter-option.ts";
import type { RunInput } from "./input-options.ts";
import { type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio compare` that affect the certificate, under the same names. */
export interface CompareRunsOptions
  extends RunInput,
    FilterOptions,
    Pick<ReadingOptions, "signal" | "onProgress"> {
  /** `NAME`, or `NAME_OF_A,NAME_OF_B`: `rollout`, `trainer` or a further policy; default every column that both have. */
  readonly column?: string;
  /** Tolerance of mean |Δ|, nats; 0: every bit must be equal. Default 0.01. */
  readonly within?: number;
  /** Error rate of each one-sided test; default 0.05. */
  readonly alpha?: number;
  /** Compare two runs by how far apart each run's own two policies are, even if the texts are the same. */
  readonly unpaired?: boolean;
  /** Who certifies. */
  readonly by?: string;
  /** Default: the day on which the newest file was changed. */
  readonly date?: string;
  /** Whether to read files again for their SHA-256. Default true. */
  readonly digests?: boolean;
}

/**
 * Compares two sources that scored the same tokens, two runs, or (without `b`) the two columns of one source: the object
 * that `logratio compare A B --json` prints. B is held in memory while A is read.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { compareRuns } from "logratio/node";
 *
 * const same = await compareRuns("examples/demo/stale", "examples/demo/stale", { steps: "10" });
 * assert.equal(same.certificate, "equal");
 * assert.equal(same.metrics.unequal, 0);
 * const columns = await compareRuns("examples/demo/stale", undefined, { steps: "10", within: 0 });
 * assert.deepEqual([columns.mode, columns.certificate], ["columns", "different"]);
 * assert(columns.columns[0]!.metrics.delta_abs_max! > 0.01); // nats
 * ```
 *
 * @param a files and directories, read as one run
 * @param b the other side; Δ is B − A
 * @returns the certificate with its figures (Δ and k3 in nats; shares and probabilities as fractions), where
 * differences begin, how large they are in units in the last place, and what could not be paired
 * @throws UsageError if options contradict each other
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError if the sides have no column in common
 * @throws SchemaError if no texts are the same, and not both runs have two policies
 * @throws LimitError if B exceeds the memory limit
 * @throws EmptyInputError if no token is left to compare
 */
export async function compareRuns(
  a: string | readonly string[],
  b?: string | readonly string[],
  options: CompareRunsOptions = {},
): Promise<CompareReport> {
  const checked = checkOptions(options);
  const [pathsA, pathsB] = [[a].flat(), b === undefined ? undefined : [b].flat()];
  if (pathsB === undefined && options.unpaired)
    throw new UsageError("comparing runs needs two runs, and one was given", { hint: "give a second path" });
  const comparison = new Comparison({
    ...(checked.columns && { columns: checked.columns }),
    ...(options.unpaired && { unpaired: true }),
  });
  const [sideA, sideB] = [new Side(), new Side()];
  const runB = pathsB && (await sideB.read(pathsB, options, (batch) => comparison.hold(batch)));
  const addA = (batch: RecordBatch): void =>
    runB === undefined ? comparison.addBoth(batch) : comparison.add(batch);
  const runA = await sideA.read(pathsA, options, addA);
  const { compared, joined } = await finish(comparison, [runA, runB], [pathsA, pathsB], options);
  const names = nameSides(runA, runB, pathsA, pathsB);
  const digests = options.digests !== false;
  const [described, other] = [
    await sideA.describe(names.a, runA, digests),
    runB === undefined ? undefined : await sideB.describe(names.b, runB, digests),
  ];
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return buildCompareReport({
    compared,
    a: described,
    b: other ?? { ...described, name: names.b },
    within: checked.within,
    alpha: checked.alpha,
    isDefault: options.within === undefined,
    findings: [runA, runB, joined].flatMap((run) => run?.findings.list() ?? []),
    logratio: version,
    by: options.by,
    date: options.date ?? newestDay([...described.inputs, ...(other?.inputs ?? [])]),
    doctor: suggestDoctor(compared.names, pathsA, pathsB),
  });
}

/**
 * What was found. Where nothing belongs together, and each side is one file with one policy, one may have scored the
 * other's text as its prompt: the join that `report` makes of the two then has both.
 */
async function finish(
  comparison: Comparison,
  runs: readonly [Run, Run | undefined],
  [a, b]: readonly [readonly string[], readonly string[] | undefined],
  options: CompareRunsOptions,
): Promise<{ readonly compared: Compared; readonly joined?: Run }> {
  try {
    return { compared: comparison.finish() };
  } catch (error) {
    const areHalves = runs.every((run) => run?.onePolicy !== undefined && run.sources.length === 1);
    if (!isLogratioError(error, "SchemaError") || b === undefined || !areHalves) throw error;
    try {
      const { run: joined, batches } = await startReading([...a, ...b], options, { pair: true });
      const scored = new Comparison();
      for await (const batch of batches) scored.addJoined(batch);
      return { compared: scored.finish(), joined };
    } catch (second) {
      // What the files have in common is nothing: the first error says why.
      throw isLogratioError(second) ? error : second;
    }
  }
}

interface CheckedOptions {
  readonly columns?: ColumnPair;
  readonly within: number;
  readonly alpha: number;
}

function checkOptions({
  column,
  within = DEFAULT_WITHIN,
  alpha = DEFAULT_ALPHA,
}: CompareRunsOptions): CheckedOptions {
  if (!(within >= 0) || within === Number.POSITIVE_INFINITY)
    throw new UsageError(`--within must be a number of nats from 0 on, not "${within}"`);
  if (!(alpha > 0 && alpha < 0.5))
    throw new UsageError(`--alpha must be a number between 0 and 0.5, not "${alpha}"`);
  if (column === undefined) return { within, alpha };
  const names = column.split(",").map((name) => name.trim());
  const [first, second = first] = names;
  if (names.length > 2 || names.some((name) => name === ""))
    throw new UsageError(`--column must be NAME or NAME_OF_A,NAME_OF_B, not "${column}"`);
  return { within, alpha, columns: [first!, second!] };
}

/** What is read from one side, and how it describes itself. */
class Side {
  readonly #facts = new Set<string>();

  async read(
    paths: readonly string[],
    options: CompareRunsOptions,
    take: (batch: RecordBatch) => void,
  ): Promise<Run> {
    const { run, batches } = await startReading(paths, options, { onePolicy: true });
    for await (const batch of batches) {
      for (const fact of listFacts(batch)) this.#facts.add(fact);
      take(batch);
    }
    return run;
  }

  async describe(
    name: string,
    run: Run,
    digests: boolean,
  ): Promise<Omit<CompareSide, "sequences" | "tokens" | "columns">> {
    return { name, facts: [...this.#facts].sort(), inputs: await describeInputs(run.sources, digests) };
  }
}

function listFacts({ sides, sampling }: RecordBatch): string[] {
  const ofSide = (side: string, facts: SideFacts | undefined): string[] =>
    Object.entries(facts ?? {}).map(([fact, value]) => `${side} ${fact}: ${value}`);
  return [
    ...ofSide("rollout", sides?.rollout),
    ...ofSide("trainer", sides?.trainer),
    ...(sampling.logprobsMode === undefined ? [] : [`log-prob mode: ${sampling.logprobsMode}`]),
    ...(sampling.temperature === undefined ? [] : [`temperature: ${sampling.temperature}`]),
  ];
}

/** Runs are named after folders; if both have the same name, they are named by the paths given. */
function nameSides(
  a: Run,
  b: Run | undefined,
  pathsA: readonly string[],
  pathsB: readonly string[] | undefined,
): { a: string; b: string } {
  if (b === undefined) return { a: a.name, b: a.name };
  if (a.name !== b.name) return { a: a.name, b: b.name };
  const [first, second] = [pathsA.join(" "), pathsB!.join(" ")];
  return first === second ? { a: `${a.name} (A)`, b: `${b.name} (B)` } : { a: first, b: second };
}

/** The doctor looks at rollout and trainer: of one source, of B where it has both, or of two files with one each. */
function suggestDoctor(
  { a, b }: { readonly a: readonly string[]; readonly b: readonly string[] },
  pathsA: readonly string[],
  pathsB: readonly string[] | undefined,
): string | undefined {
  const hasBoth = (names: readonly string[]): boolean =>
    names.includes("rollout") && names.includes("trainer");
  if (pathsB === undefined) return shellCommand("doctor", pathsA);
  if (hasBoth(b)) return shellCommand("doctor", pathsB);
  if (hasBoth(a)) return shellCommand("doctor", pathsA);
  const isPair = a.length === 1 && b.length === 1 && pathsA.length === 1 && pathsB.length === 1;
  return isPair ? shellCommand("doctor", [...pathsA, ...pathsB], ["--pair"]) : undefined;
}
