/**
 * Starred places of a run, and the page that shows them.
 *
 * @module
 */

/** A sequence or token that somebody marked, with a note. */
export interface Star {
  /** `s30.q48`, or `s30.q48.t39`. */
  readonly handle: string;
  /** May be empty. */
  readonly note: string;
}

/** A change of a star: its note (null removes the star), or the star that it should come before (null: the end). */
export type StarChange =
  | { readonly handle: string; readonly note: string | null }
  | { readonly handle: string; readonly before: string | null };

/** A run's stars as stored next to its cache: the first starred first, until somebody moves one. */
export interface StarList {
  readonly schemaVersion: 1;
  readonly kind: "view-stars";
  readonly stars: readonly Star[];
}

/** The page of a run's stars, in their order. */
export interface StoryPage {
  readonly entries: readonly StoryEntry[];
}

export interface StoryEntry extends Star {
  /**
   * The place in the table of sequences; null where the run does not (or no longer) have it, and nothing else is known.
   */
  readonly sequence: number | null;
  /** The response token that is shown: the starred one, or that with the largest |Δ| of a starred sequence. */
  readonly token: number | null;
  /** Name and value, in the order in which they are read. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The end of the prompt; null where it is not known. */
  readonly prompt: string | null;
  /** The tokens around, in order. */
  readonly strip: readonly StoryPiece[];
  /** |Δ| along the response with the token marked, as SVG; null where no token has a Δ. */
  readonly picture: string | null;
  /** Both policies' most probable tokens there, the likeliest first; null where neither has any. */
  readonly alternatives: readonly StoryCandidate[] | null;
  /** The same as values, for exports. */
  readonly row: StoryRow;
}

export interface StoryPiece {
  readonly text: string;
  /** Nats; null where it is missing, and for tokens that the policy did not sample. */
  readonly delta: number | null;
  readonly kind: "prompt" | "tool" | "own";
  readonly isShown: boolean;
}

export interface StoryCandidate {
  readonly text: string;
  readonly sampled: boolean;
  /** Probabilities in words. */
  readonly rollout: string;
  readonly trainer: string;
}

export interface StoryRow extends Star {
  readonly step: number | null;
  readonly correct: number | null;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly token: number | null;
  readonly token_id: number | null;
  readonly token_text: string | null;
  readonly context: string | null;
  readonly rollout_logprob: number | null;
  readonly trainer_logprob: number | null;
  readonly delta: number | null;
  /** `[text, probability]`, the likeliest first. */
  readonly rollout_alternatives: readonly (readonly [string, number])[];
  readonly trainer_alternatives: readonly (readonly [string, number])[];
}
