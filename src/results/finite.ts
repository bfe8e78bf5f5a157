/** Values of one column or logged metric that are NaN, null or infinite. Steps are null where they are not known. */
export interface NonFinite {
  /** The side of log-probs, or a logged metric. */
  readonly of: "rollout" | "trainer" | "logged";
  /** As the source calls the column or the metric; null where it has several names or none. */
  readonly name: string | null;
  /** Whether it makes the run broken; false of means over what a step may lack, such as rewards or lengths by kind. */
  readonly breaks: boolean;
  /** NaN or null. */
  readonly nan: number;
  readonly infinite: number;
  /** Of the tokens with mask 1 or of the logged values in the steps that have such values. */
  readonly share: number;
  /** The same share in the first of these steps, and in the last. */
  readonly share_first: number;
  readonly share_last: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  /** From this step to the end of the run each step has such values; null where the last step has none. */
  readonly since_step: number | null;
  /** Steps that have such values, and all steps of the column or the metric. */
  readonly steps: number;
  readonly steps_all: number;
  /** In words: `since step 59`, `in steps 3–4`; null where steps are not known. */
  readonly when: string | null;
}

/** What of a run is not finite. */
export interface Finite {
  /** What breaks the run first, then what lasts to its end. Empty where everything is finite. */
  readonly found: readonly NonFinite[];
  /** What is not finite, and when; null where everything is finite. */
  readonly sentence: string | null;
  /**
   * Tokens with mask 1 that are in no figure although the source has numbers for them: placeholders such as -9999,
   * positive numbers, and tokens that a shift left without an entry.
   */
  readonly read_as_missing: number;
}
