/**
 * What keeps a run from learning, apart from the difference of its two policies: found in the answers of its dumps, and
 * in the metrics that the trainer logged.
 *
 * @module
 */

export type BesideId =
  | "flat_groups"
  | "truncation"
  | "reward_length"
  | "staleness"
  | "entropy"
  | "clipping"
  | "clip_sides"
  | "gradient_spikes"
  | "gradient_zero"
  | "gradient_vanishing"
  | "reference"
  | "evaluation"
  | "reward_parts"
  | "plateau";

/** Something beyond its limit. */
export interface BesideFinding {
  readonly id: BesideId;
  /** The run's name in the logger; empty if it has none, and for dumps. */
  readonly run: string;
  /** Three to six words. */
  readonly title: string;
  /** `bad`: it alone can be why a run learns nothing. */
  readonly level: "warn" | "bad";
  /** What, with figures, and since when: `entropy fell from 0.52 to 0.009, most of it at step 78`. No full stop. */
  readonly short: string;
  /** The same as a sentence, and what it means. */
  readonly sentence: string;
  /** The first step beyond the limit that is followed only by such steps; null if steps do not tell. */
  readonly since_step: number | null;
  /** Whether it still holds at the end of the run: `over` if the last quarter is free of it. */
  readonly outcome: "lasts" | "over";
  /** What it was judged by, by name: levels, shares, limits. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** What it was read from: logged metrics by name, or `dump`. */
  readonly read_from: readonly string[];
  /** What to change, in a line. */
  readonly do_this: string;
  /** Where the limit comes from. */
  readonly source: string;
}
