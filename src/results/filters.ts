/**
 * Named filters, and what the terms of a filter match.
 *
 * @module
 */

export interface SavedFilter {
  readonly name: string;
  /** As it is written. */
  readonly filter: string;
}

/** A change to a saved filter: null removes it. */
export interface SavedFilterChange {
  readonly name: string;
  readonly filter: string | null;
}

/** A run's stored filters, next to its cache: the first saved first. */
export interface SavedFilterList {
  readonly schemaVersion: 1;
  readonly kind: "view-filters";
  readonly filters: readonly SavedFilter[];
}

/** Prompts that contain all words of a text. */
export interface PromptMatches {
  /** The first matches. */
  readonly prompts: readonly {
    /** Its question, shortened if it is long. */
    readonly prompt: string;
    /** Index of its first sequence, and how many have it. */
    readonly sequence: number;
    readonly sequences: number;
  }[];
  /** How many there are in all. */
  readonly found: number;
}

/** What each term of a filter matches alone in the whole run, in the order of the filter. */
export interface TermCounts {
  readonly terms: readonly {
    readonly text: string;
    /** Sequences with a matching token. */
    readonly sequences: number;
    readonly tokens: number;
  }[];
}
