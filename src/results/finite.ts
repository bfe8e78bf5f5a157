/** Values of one column or logged metric that are NaN, null or infinite. Steps are null if not known. */
export interface NonFinite {
  /** The side of log-probs, or a logged metric. */
  readonly of: "rollout" | "trainer" | "logged";
  /** The source's name for the column or the metric; null if it has several names or none. */
  readonly name: string | null;
  /** Whether it makes the run broken; false for means over what a step may lack, such as rewards or lengths by kind. */
  readonly breaks: boolean;
  /** NaN or null. */
  readonly nan: number;
  readonly infinite: number;
  /** Share of the tokens with mask 1, or of the logged values, in the steps that have such values. */
  readonly share: number;
  /** The same share in the first of these steps, and in the last. */
  readonly share_first: number;
  readonly share_last: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  /** The step from which every step to the end of the run has such values; null if the last step has none. */
  readonly since_step: number | null;
  /** Steps that have such values, and all steps of the column or the metric. */
  readonly steps: number;
  readonly steps_all: number;
  /** In words: `since step 59`, `in steps 3–4`; null if steps are not known. */
  readonly when: string | null;
}

/** What is not finite in a run. */
export interface Finite {
  /** First what breaks the run, then what lasts to its end. Empty if everything is finite. */
  readonly found: readonly NonFinite[];
  /** What is not finite, and when; null if everything is finite. */
  readonly sentence: string | null;
  /**
   * Tokens with mask 1 in none of the figures although the source has numbers for them: placeholders such as -9999,
   * positive numbers, and tokens that a shift left without an entry.
   */
  readonly read_as_missing: number;
}
