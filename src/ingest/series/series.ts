/**
 * Collects logged values by run and metric.
 *
 * @module
 */
import { checkMemory } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";

/** Shapes of JSON and Parquet, by who writes them. */
export type SeriesForm =
  | "verl's file logger"
  | "JSON lines with a step"
  | "metric to steps (NeMo-RL)"
  | "golden values (Megatron-LM)"
  | "Trainer state (transformers)"
  | "table (columns and data)"
  | "W&B summary"
  | "Parquet with a step";

/** One metric of one run; steps ascend, each once. */
export interface LoggedSeries {
  /** Empty when the file holds one unnamed run. */
  readonly run: string;
  readonly metric: string;
  readonly steps: readonly number[];
  /** NaN and infinities as they were logged. */
  readonly values: readonly number[];
}

export interface SeriesFile {
  readonly file: string;
  /** Who wrote it. */
  readonly form: string;
  readonly series: readonly LoggedSeries[];
}

/** Approximate bytes of a step and its value in a Map. */
const VALUE_BYTES = 64;
const CHECKED_EVERY = 4096;

export class SeriesBuilder {
  readonly #file: string;
  readonly #runs = new Map<string, Map<string, Map<number, number>>>();
  #count = 0;
  #repeated = 0;
  #firstRepeated = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** The last value of a step counts: a run that was resumed logs the steps since its checkpoint again. */
  add(metric: string, step: number, value: number, run = ""): void {
    const metrics = this.#runs.get(run) ?? new Map<string, Map<number, number>>();
    this.#runs.set(run, metrics);
    const series = metrics.get(metric) ?? new Map<number, number>();
    metrics.set(metric, series);
    if (series.has(step)) {
      if (this.#repeated++ === 0) this.#firstRepeated = `${metric} at step ${step}`;
    } else if (++this.#count % CHECKED_EVERY === 0) {
      checkMemory(this.#count * VALUE_BYTES, "the logged metrics", { file: this.#file });
    }
    series.set(step, value);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  finish(form: string, findings: FindingLog): SeriesFile {
    if (this.#repeated > 0) {
      const [repeated, first] = [this.#repeated, this.#firstRepeated];
      findings.add({
        code: "note",
        severity: "info",
        subject: this.#file,
        count: repeated,
        at: { file: this.#file },
        likely: "the run was resumed from a checkpoint",
        describe: (count) =>
          `${plural(count, "value")} logged again for the same step, the first: ${first}; the last value counts`,
      });
    }
    const series = [...this.#runs].flatMap(([run, metrics]) =>
      [...metrics].map(([metric, values]): LoggedSeries => {
        const sorted = [...values].sort(([a], [b]) => a - b);
        return { run, metric, steps: sorted.map(([step]) => step), values: sorted.map(([, value]) => value) };
      }),
    );
    return { file: this.#file, form, series };
  }
}

/** Numbers as loggers write them, including NaN and infinities; undefined for text. */
export function toLogged(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A step as loggers write it; ms-swift's `12/547` is the step and the last one. */
export function toStep(value: unknown): number | undefined {
  return toLogged(typeof value === "string" ? value.replace(/^(\d+)\/\d+$/, "$1") : value);
}

/** Loggers' names of the step; the first one in a row counts. */
export const STEP_NAMES: readonly string[] = [
  "step",
  "_step",
  "Step",
  "global_step",
  "trainer/global_step",
  "train/global_step",
  "training/global_step",
  "progress/batch",
  "rollout/step",
  "train/step",
  "system/step",
  "global_step/max_steps",
  "iteration",
];

/** Names of columns that are not metrics. */
export const NOT_METRICS: ReadonlySet<string> = new Set([
  ...STEP_NAMES,
  "_timestamp",
  "_runtime",
  "timestamp",
  "time",
  "wall_time",
  "Wall time",
  "Relative Time (Wall)",
  "Relative Time (Process)",
  "id",
  "run_name",
  "run_id",
  "run",
]);
