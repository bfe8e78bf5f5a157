/**
 * What the list of runs says of one: kept up while its segments become the record, and beside it, so that a restart reads
 * only what came after it was last written.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AlertChange,
  type AlertRule,
  type AlertState,
  evaluateAlerts,
} from "../../../analyses/alerts/index.ts";
import { buildReport, RunSummary, type RunSummaryJson } from "../../../analyses/report/index.ts";
import { isLogratioError, resultJson } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { openRun } from "../../../input/ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { MismatchReport, ServedFigures } from "../../../results/index.ts";
import { partSegment, type RunPlaces } from "../store/places.ts";

/** A summary grows with the run, so it is written only so often, and so is the report made of it. */
const SUMMARY_EVERY_MS = 30_000;
const VERDICT_EVERY_MS = 2000;
/** Of the time that passes, what either may take: making the record of what came is the thread's work. */
const MOST_SHARE = 0.05;

/** What rules of alerts are judged by. */
export interface AlertTask {
  readonly rules: readonly AlertRule[];
  readonly state: AlertState;
  /** Names the run in ids. */
  readonly run: string;
}

/** When something that takes a while is due again. */
class Pace {
  #next = 0;

  constructor(readonly everyMs: number) {}

  get isDue(): boolean {
    return performance.now() >= this.#next;
  }

  async take(work: () => void | Promise<void>): Promise<void> {
    const from = performance.now();
    await work();
    const now = performance.now();
    this.#next = now + Math.max(this.everyMs, (now - from) / MOST_SHARE);
  }
}

interface StoredSummary {
  /** Parts that are in it, by their segments. */
  readonly segments: number;
  readonly figures: ServedFigures;
  readonly summary: RunSummaryJson;
}

const EMPTY: ServedFigures = {
  sequences: 0,
  tokens: 0,
  first_step: null,
  last_step: null,
  verdict: null,
  alarms: 0,
};

/** Sums of a run's batches. */
export class FigureKeeper {
  readonly #places: RunPlaces;
  readonly #name: string;
  #summary: RunSummary | undefined;
  #figures: ServedFigures;
  #segments: number;
  /** Of the last commit, where it made one. */
  #report: MismatchReport | undefined;
  readonly #writing = new Pace(SUMMARY_EVERY_MS);
  readonly #judging = new Pace(VERDICT_EVERY_MS);

  private constructor(places: RunPlaces, name: string, stored: StoredSummary | undefined) {
    this.#places = places;
    this.#name = name;
    this.#summary = stored === undefined ? new RunSummary() : RunSummary.fromJSON(stored.summary);
    this.#figures = stored?.figures ?? EMPTY;
    this.#segments = stored?.segments ?? 0;
  }

  /**
   * Reads what was kept, and the parts of the record that came after it.
   *
   * @param next the segment that comes next: after a power cut the one that was thought to be done may be there again,
   * and then what was kept, which has it, is of no use
   */
  static async open(places: RunPlaces, name: string, next: number): Promise<FigureKeeper> {
    const stored = await readStored(places.summary);
    const keeper = new FigureKeeper(
      places,
      name,
      stored !== undefined && stored.segments < next ? stored : undefined,
    );
    const parts = (await readdir(places.folder)).map((file) => ({ file, segment: partSegment(file) }));
    const later = parts.filter(({ segment }) => segment !== undefined && segment > keeper.#segments);
    for (const { file, segment } of later.sort((a, b) => a.file.localeCompare(b.file))) {
      const run = await openRun([join(places.folder, file)], { onePolicy: true });
      for await (const batch of run.batches()) keeper.add(batch);
      keeper.#segments = Math.max(keeper.#segments, segment!);
    }
    return keeper;
  }

  /** Whether a segment is in the sums. */
  has(segment: number): boolean {
    return segment <= this.#segments;
  }

  add(batch: RecordBatch): void {
    const { sequences, tokens, first_step, last_step } = this.#figures;
    const steps = [...batch.steps].filter((step) => !Number.isNaN(step));
    const [least, most] = [steps.reduce(smaller, Infinity), steps.reduce(larger, -Infinity)];
    this.#figures = {
      ...this.#figures,
      sequences: sequences + batch.length,
      tokens: tokens + batch.responseMask.reduce((sum, one) => sum + (one === 0 ? 0 : 1), 0),
      first_step: steps.length === 0 ? first_step : Math.min(first_step ?? Infinity, least),
      last_step: steps.length === 0 ? last_step : Math.max(last_step ?? -Infinity, most),
    };
    try {
      this.#summary?.add(batch);
    } catch (error) {
      // One policy's log-probs have no verdict.
      if (!isLogratioError(error, "MissingSideError")) throw error;
    }
  }

  /**
   * A segment's parts are in place.
   *
   * @param isLast nothing waits: the verdict is to be that of all that came. While much waits it is made less often.
   */
  async commit(segment: number, isLast: boolean): Promise<ServedFigures> {
    this.#segments = Math.max(this.#segments, segment);
    this.#report = undefined;
    if (isLast || this.#judging.isDue) await this.#judging.take(() => this.#judge());
    if (this.#writing.isDue) await this.#writing.take(() => this.write());
    await writeWholeFile(this.#places.figures, resultJson(this.#figures));
    return this.#figures;
  }

  /** So that the next start need not read what is in it. */
  async write(): Promise<void> {
    if (this.#summary === undefined) return;
    const stored: StoredSummary = {
      segments: this.#segments,
      figures: this.#figures,
      summary: this.#summary.toJSON(),
    };
    await writeWholeFile(this.#places.summary, JSON.stringify(stored));
  }

  /** Rules over the report so far; undefined where this commit did not make one. */
  judgeAlerts({ rules, state, run }: AlertTask): AlertChange | undefined {
    if (this.#report === undefined) return undefined;
    return evaluateAlerts(this.#report, { rules }, state, run);
  }

  #judge(): void {
    const report = buildReport({
      run: this.#name,
      paths: [this.#places.folder],
      summary: this.#summary!,
      parity: [],
      findings: [],
      sources: [],
    });
    this.#report = report;
    this.#figures = {
      ...this.#figures,
      verdict:
        report.metrics.tokens === 0
          ? null
          : { level: report.verdict.level, headline: report.verdict.headline },
      alarms: report.watch.alarms.length,
    };
  }
}

const smaller = (a: number, b: number): number => Math.min(a, b);
const larger = (a: number, b: number): number => Math.max(a, b);

/** Undefined where there is none that this version can read: all is then read again. */
async function readStored(path: string): Promise<StoredSummary | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, "utf8")) as StoredSummary;
    RunSummary.fromJSON(stored.summary);
    return stored;
  } catch {
    return undefined;
  }
}
