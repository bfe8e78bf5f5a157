/**
 * Evidence of a change during a run: `watch` of `report --json`.
 *
 * @module
 */
import type { Nats } from "../core/base/index.ts";

export interface WatchAlarm {
  readonly test: "unit_mean" | "delta_abs_mean";
  /** The step at which the change probably started, and the one at which it was detected. */
  readonly since: number;
  readonly at: number;
  readonly log_evidence: Nats;
  /** One sentence. */
  readonly text: string;
}

export interface WatchReport {
  /** Chance that a healthy run ever raises an alarm, however often it is checked. */
  readonly false_alarm_rate: number;
  /** ln of the evidence at which an alarm is raised. */
  readonly alarm_at: Nats;
  /** The first alarm of each test. */
  readonly alarms: readonly WatchAlarm[];
  /** ln of the evidence after each step. */
  readonly per_step: readonly {
    readonly step: number;
    readonly unit_mean: Nats;
    readonly delta_abs_mean: Nats;
  }[];
}
