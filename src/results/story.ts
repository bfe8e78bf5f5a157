/**
 * Starred places of a run, and the page that shows them.
 *
 * @module
 */

/** A sequence or token that the user marked, with a note. */
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

/** A run's stars as stored next to its cache: in the order of starring, until the user moves one. */
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
   * The index in the table of sequences; null if the run does not (or no longer) have it, and nothing else is known.
   */
  readonly sequence: number | null;
  /** The response token shown: the starred one, or the one with the largest |Δ| in a starred sequence. */
  readonly token: number | null;
  /** Name and value, in reading order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The end of the prompt; null if not known. */
  readonly prompt: string | null;
  /** The surrounding tokens, in order. */
  readonly strip: readonly StoryPiece[];
  /** |Δ| along the response with the token marked, as SVG; null if no token has a Δ. */
  readonly picture: string | null;
  /** Both policies' most probable tokens there, likeliest first; null if neither has any. */
  readonly alternatives: readonly StoryCandidate[] | null;
  /** The same as values, for exports. */
  readonly row: StoryRow;
}

export interface StoryPiece {
  readonly text: string;
  /** Nats; null if missing, and for tokens that the policy did not sample. */
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
