/**
 * Answers of the server as signals, requested when first read.
 *
 * @module
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { RunComparison, RunInfo, StepSeries } from "../../../src/results/view.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";
import { client } from "../api/client.ts";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly message: string };

const askedFor = new Set<() => Promise<void>>();

/** Repeats every request made so far. Old answers stay until the new ones arrive. */
export async function reload(): Promise<void> {
  client.forget();
  // The run first: all other requests carry its version.
  await client.run();
  await Promise.all([...askedFor].map((ask) => ask()));
}

export interface Lazy<T> {
  (): ReadonlySignal<Loaded<T>>;
  /** Asks again; the old answer stays until the new one arrives. */
  readonly again: () => Promise<void>;
}

/** A signal that asks when it is first read. */
export function lazily<T>(ask: () => Promise<T>): Lazy<T> {
  const result = signal<Loaded<T>>({ state: "loading" });
  const again = (): Promise<void> => settle(ask(), result);
  const read = (): ReadonlySignal<Loaded<T>> => {
    if (!askedFor.has(again)) {
      askedFor.add(again);
      void again();
    }
    return result;
  };
  return Object.assign(read, { again });
}

export function settle<T>(promise: Promise<T>, result: { value: Loaded<T> }): Promise<void> {
  return promise.then(
    (value) => {
      result.value = { state: "ready", value };
    },
    (error: unknown) => {
      result.value = { state: "failed", message: error instanceof Error ? error.message : String(error) };
    },
  );
}

export const run = lazily(client.run);
export const answerTables = lazily(() => client.answerTables());
export const report = lazily(client.report);
export const reportTables = lazily(() => client.reportTables());
export const steps = lazily(client.steps);
export const alerts = lazily(client.alerts);
export const logged = lazily(client.logged);
export const table = lazily(client.table);
export const turns = lazily(client.turns);
export const topTokens = lazily(client.tokens);
export const correctBins = lazily(() => client.correctBins());
export const healthTables = lazily(() => client.healthTables());
export const digitsTables = lazily(client.digitsTables);
export const doctorTables = lazily(client.doctorTables);
export const glossary = lazily(client.glossary);
export const comparedRuns = lazily(client.comparedRuns);

/** A run that this one is compared with. */
export interface OtherRun {
  readonly comparison: Lazy<RunComparison>;
  readonly run: Lazy<RunInfo>;
  readonly steps: Lazy<StepSeries>;
  readonly table: Lazy<SequenceTable>;
}

const others = new Map<number, OtherRun>();

/** @param at its place in `RunInfo.compared` */
export function otherRun(at: number): OtherRun {
  const known = others.get(at);
  if (known !== undefined) return known;
  const { run, steps, table } = client.other(at);
  const made: OtherRun = {
    comparison: lazily(() => client.comparison(at)),
    run: lazily(run),
    steps: lazily(steps),
    table: lazily(table),
  };
  others.set(at, made);
  return made;
}

export const studyTables = lazily(client.study.tables);
export const studyTexts = lazily(client.study.texts);
