/**
 * The one answer about a run, which every verb, the page and every client show first: what is wrong, since when and how
 * sure. Names are snake_case; log quantities are in nats, shares are fractions of 1, null is "not known".
 *
 * @module
 */
import type { Nats } from "../core/base/index.ts";
import type { Finite } from "./finite.ts";
import type { ReadingLevel, VerdictLevel } from "./reading-level.ts";

/**
 * Whether the ratios are so uneven that a correction is needed: `none`; `few`: for a few tokens outside [1/2, 2] only;
 * `all`: their ESS is low.
 */
export type CorrectionNeed = "none" | "few" | "all";

export interface Assessment {
  /** The worst of what its parts say. */
  readonly level: VerdictLevel;
  /** The verdict in one sentence, with when. */
  readonly sentence: string;
  /** What is NaN, null or infinite, and when. */
  readonly finite: Finite;
  /** In which steps. */
  readonly when: When;
  /** What `sweep` says of the same data: its recommendation has the same `need`. Null where no token can be compared. */
  readonly correction: { readonly need: CorrectionNeed } | null;
}

/** Steps in a row whose mean |Δ| does not jump. */
export interface StepSegment {
  readonly from_step: number;
  readonly to_step: number;
  /** Steps in it that have enough tokens, or have them together with their neighbors. */
  readonly steps: number;
  /** Those whose own figures read at `level`. */
  readonly steps_at_level: number;
  /** Tokens of these steps; the figures are over them. */
  readonly tokens: number;
  readonly delta_abs_mean: Nats;
  readonly k3: Nats;
  /** Of k3, mean |Δ| and mean |Δp| by the published baselines. */
  readonly level: ReadingLevel;
}

export interface When {
  /** `in steps 10–30; normal since step 50`; null where the steps allow no such words. */
  readonly words: string | null;
  /** In order; more than one only where both sides of a jump differ in level or by a factor of 2. */
  readonly segments: readonly StepSegment[];
  /** Steps in no segment, since they have too few tokens or sequences. */
  readonly steps_skipped: number;
  /** Chance that a run without a jump has more than one segment, at most. */
  readonly false_alarm_rate: number;
}
