/**
 * Figures for Prometheus, in its text exposition format 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 *
 * @module
 */
import type { DataStore } from "../store/data-store.ts";
import type { IngestGate } from "./ingest-gate.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Durations, counted by upper bounds. */
export class Histogram {
  readonly #counts = new Array<number>(SECONDS.length).fill(0);
  #sum = 0;
  #count = 0;

  /** @param ms milliseconds */
  add(ms: number): void {
    const seconds = ms / 1000;
    const bucket = SECONDS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.#counts[bucket]!++;
    this.#sum += seconds;
    this.#count++;
  }

  lines(name: string): string[] {
    let below = 0;
    const buckets = SECONDS.map((bound, at) => {
      below += this.#counts[at]!;
      return `${name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#sum}`,
      `${name}_count ${this.#count}`,
    ];
  }
}

/** Requests by status; statuses are few, so each has a series. */
export class RequestCounts {
  readonly #byStatus = new Map<number, number>();

  add(status: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  list(): [status: number, count: number][] {
    return [...this.#byStatus].sort(([a], [b]) => a - b);
  }
}

export interface Measured {
  readonly store: DataStore;
  readonly gate: IngestGate;
  /** Of requests that bring batches. */
  readonly requests: RequestCounts;
  readonly receivedBytes: () => number;
  readonly requestTime: Histogram;
  readonly syncTime: Histogram;
  readonly sealTime: Histogram;
  readonly removedRuns: () => number;
  readonly viewers: () => number;
}

const family = (name: string, type: string, help: string, lines: readonly string[]): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.map((line) => `${line}\n`).join("")}`;
const one = (name: string, type: "counter" | "gauge", help: string, value: number): string =>
  family(`logratio_serve_${name}`, type, help, [`logratio_serve_${name} ${value}`]);

export function renderMetrics(of: Measured): string {
  const { counts } = of.store;
  const requests = of.requests
    .list()
    .map(([status, count]) => `logratio_serve_batch_requests_total{status="${status}"} ${count}`);
  return [
    family(
      "logratio_serve_batch_requests_total",
      "counter",
      "Requests with a batch, by HTTP status.",
      requests,
    ),
    one("batches_stored_total", "counter", "Batches made durable.", counts.stored),
    one("batches_known_total", "counter", "Batches received again.", counts.known),
    one(
      "batches_conflicting_total",
      "counter",
      "Batches refused because their key holds a different batch.",
      counts.conflicts,
    ),
    one("batches_sealed_total", "counter", "Batches added to the record.", counts.sealed),
    one("batches_refused_total", "counter", "Batches that cannot be read, set aside.", counts.refused),
    one("received_bytes_total", "counter", "Bytes of batches received.", of.receivedBytes()),
    one(
      "damaged_bytes_total",
      "counter",
      "Bytes of the log that were no whole batch, set aside.",
      counts.damaged,
    ),
    one(
      "seal_failures_total",
      "counter",
      "Failed attempts to add a segment to the record.",
      counts.sealFailures,
    ),
    one("runs_removed_total", "counter", "Runs removed by retention.", of.removedRuns()),
    ...listGauges(of),
    family(
      "logratio_serve_batch_seconds",
      "histogram",
      "Time from a request's first byte to its answer.",
      of.requestTime.lines("logratio_serve_batch_seconds"),
    ),
    family(
      "logratio_serve_sync_seconds",
      "histogram",
      "Time of a write and sync of the log.",
      of.syncTime.lines("logratio_serve_sync_seconds"),
    ),
    family(
      "logratio_serve_seal_seconds",
      "histogram",
      "Time to add a segment to the record.",
      of.sealTime.lines("logratio_serve_seal_seconds"),
    ),
  ].join("");
}

function listGauges(of: Measured): string[] {
  const { waiting } = of.store;
  const runs = of.store.list();
  return [
    one("runs", "gauge", "Runs.", runs.length),
    one("runs_writing", "gauge", "Runs being written.", runs.filter(({ writing }) => writing).length),
    one("viewers", "gauge", "Running viewers.", of.viewers()),
    one("inflight_bytes", "gauge", "Bytes of batches being received.", of.gate.bytes),
    one("waiting_segments", "gauge", "Segments not yet in the record.", waiting.segments),
    one("waiting_batches", "gauge", "Batches in closed segments not yet in the record.", waiting.batches),
    one("waiting_bytes", "gauge", "Bytes of segments not yet in the record.", waiting.bytes),
  ];
}
