/**
 * Filters that were given a name, and what the terms of a filter match.
 *
 * @module
 */

export interface SavedFilter {
  readonly name: string;
  /** As it is written. */
  readonly filter: string;
}

/** What is done to a saved filter: null takes it away. */
export interface SavedFilterChange {
  readonly name: string;
  readonly filter: string | null;
}

/** What is kept of a run's filters, beside its cache: the first saved first. */
export interface SavedFilterList {
  readonly schemaVersion: 1;
  readonly kind: "view-filters";
  readonly filters: readonly SavedFilter[];
}

/** Prompts that hold all words of a text. */
export interface PromptMatches {
  /** The first of them. */
  readonly prompts: readonly {
    /** Its question, cut where it is long. */
    readonly prompt: string;
    /** Place of its first sequence, and how many have it. */
    readonly sequence: number;
    readonly sequences: number;
  }[];
  /** How many there are in all. */
  readonly found: number;
}

/** What each term of a filter matches by itself in the whole run, in the order of the filter. */
export interface TermCounts {
  readonly terms: readonly {
    readonly text: string;
    /** With such a token. */
    readonly sequences: number;
    readonly tokens: number;
  }[];
}
