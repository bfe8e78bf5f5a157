/**
 * The figures of a run in the list of runs: updated as its segments become the record, and stored next to it, so that a
 * restart reads only later parts.
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
import { wordNow } from "../../../analyses/assessment/index.ts";
import { answerRun, RunEvidence, type RunEvidenceJson } from "../../../analyses/evidence/index.ts";
import { isLogratioError, resultJson } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { openRun } from "../../../ingest/index.ts";
import { partSegment, type RunPlaces } from "../../../input/batch-log/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { ServedFigures } from "../../../results/serve.ts";

/** A summary grows with the run, so it and the report are written at most this often. */
const SUMMARY_EVERY_MS = 30_000;
const VERDICT_EVERY_MS = 2000;
/** The share of time that either may take: the thread's main work is making the record. */
const MOST_SHARE = 0.05;

/** Steps of which the list of runs draws mean |Δ|. */
const MOST_RECENT = 60;

/** What alert rules are evaluated with. */
export interface AlertTask {
  readonly rules: readonly AlertRule[];
  readonly state: AlertState;
  /** Names the run in ids. */
  readonly run: string;
}

/** Decides when an expensive task is due again. */
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
  /** Segments of the parts in the summary. */
  readonly segments: number;
  readonly figures: ServedFigures;
  readonly evidence: RunEvidenceJson;
}

const EMPTY: ServedFigures = {
  sequences: 0,
  tokens: 0,
  first_step: null,
  last_step: null,
  verdict: null,
  recent: [],
  alarms: 0,
};

/** Sums of a run's batches. */
export class FigureKeeper {
  readonly #places: RunPlaces;
  readonly #name: string;
  #evidence: RunEvidence | undefined;
  #figures: ServedFigures;
  #segments: number;
  readonly #troubles: string[] = [];
  /** The report of the last commit, if it made one. */
  #report: MismatchReport | undefined;
  readonly #writing = new Pace(SUMMARY_EVERY_MS);
  readonly #judging = new Pace(VERDICT_EVERY_MS);

  private constructor(places: RunPlaces, name: string, stored: StoredSummary | undefined) {
    this.#places = places;
    this.#name = name;
    this.#evidence = stored === undefined ? new RunEvidence() : RunEvidence.fromJSON(stored.evidence);
    this.#figures = { ...EMPTY, ...stored?.figures };
    this.#segments = stored?.segments ?? 0;
  }

  /**
   * Reads the stored summary, and the parts of the record that came after it.
   *
   * @param next the next segment: after a power cut, a segment that was done may be there again, and then the stored
   * summary, which contains it, cannot be used
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
      await keeper.#addPart(join(places.folder, file));
      keeper.#segments = Math.max(keeper.#segments, segment!);
    }
    return keeper;
  }

  /** @throws FileSystemError and what the system reports; a damaged part is only reported */
  async #addPart(path: string): Promise<void> {
    try {
      const run = await openRun([path], { onePolicy: true });
      for await (const batch of run.batches()) this.add(batch);
    } catch (error) {
      // It holds nothing to compare.
      if (isLogratioError(error, "EmptyInputError")) return;
      if (!isLogratioError(error) || error._tag === "FileSystemError") throw error;
      this.#troubles.push(`its figures leave out ${path}: ${error.message}`);
    }
  }

  /** Sentences about what went wrong since the last call. */
  takeTroubles(): string[] {
    return this.#troubles.splice(0);
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
      this.#evidence?.add(batch);
    } catch (error) {
      // With one policy's log-probs there is no verdict.
      if (isLogratioError(error, "MissingSideError")) return;
      // The sums may contain part of the batch; what is counted above stays right.
      this.#evidence = undefined;
      this.#troubles.push(
        `there is no verdict: its sums failed at ${batch.provenance.file}: ${(error as Error).message}`,
      );
    }
  }

  /**
   * Adds a segment whose parts are in place.
   *
   * @param isLast nothing is waiting, so the verdict must cover everything received; while segments are waiting it is
   * updated less often
   */
  async commit(segment: number, isLast: boolean): Promise<ServedFigures> {
    this.#segments = Math.max(this.#segments, segment);
    this.#report = undefined;
    if (isLast || this.#judging.isDue) await this.#judging.take(() => this.#judge());
    // Without it, the next start reads the parts.
    if (this.#writing.isDue) await this.#writing.take(() => this.write().catch(() => {}));
    await writeWholeFile(this.#places.figures, resultJson(this.#figures)).catch((error: Error) =>
      this.#troubles.push(`its figures are not saved: ${error.message}`),
    );
    return this.#figures;
  }

  /** Writes the summary, so that the next start need not read its parts. */
  async write(): Promise<void> {
    if (this.#evidence === undefined) return;
    const stored: StoredSummary = {
      segments: this.#segments,
      figures: this.#figures,
      evidence: this.#evidence.toJSON(),
    };
    await writeWholeFile(this.#places.summary, JSON.stringify(stored));
  }

  /** Evaluates rules on the report so far; undefined where this commit did not make one. */
  judgeAlerts({ rules, state, run }: AlertTask): AlertChange | undefined {
    if (this.#report === undefined) return undefined;
    return evaluateAlerts(this.#report, { rules }, state, run);
  }

  #judge(): void {
    if (this.#evidence === undefined) {
      this.#figures = { ...this.#figures, verdict: null, recent: [] };
      return;
    }
    const { report } = answerRun({
      run: this.#name,
      paths: [this.#places.folder],
      evidence: this.#evidence,
      parity: [],
      findings: [],
      sources: [],
    });
    this.#report = report;
    this.#figures = {
      ...this.#figures,
      verdict: report.metrics.tokens === 0 ? null : wordNow(report),
      recent: report.per_step.slice(-MOST_RECENT).map(({ delta_abs_mean }) => delta_abs_mean),
      alarms: report.watch.alarms.length,
    };
  }
}

const smaller = (a: number, b: number): number => Math.min(a, b);
const larger = (a: number, b: number): number => Math.max(a, b);

/** Undefined where there is none that this version can read: everything is then read again. */
async function readStored(path: string): Promise<StoredSummary | undefined> {
  try {
    const stored = JSON.parse(await readFile(path, "utf8")) as StoredSummary;
    RunEvidence.fromJSON(stored.evidence);
    return stored;
  } catch {
    return undefined;
  }
}
