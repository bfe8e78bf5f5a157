/**
 * Sentences about a policy, some of which only come up while texts are scored.
 *
 * @module
 */

export interface Notes {
  /** Grows; the facts of a policy hold this very array. */
  readonly all: readonly string[];
  /** Once for each `kind`. */
  add(kind: string, sentence: string): void;
}

export function createNotes(first: readonly string[]): Notes {
  const all = [...first];
  const kinds = new Set<string>();
  return {
    all,
    add(kind, sentence) {
      if (kinds.has(kind)) return;
      kinds.add(kind);
      all.push(sentence);
    },
  };
}
