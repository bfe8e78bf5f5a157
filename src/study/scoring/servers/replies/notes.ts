/**
 * Sentences about a policy, some of which are added while texts are scored.
 *
 * @module
 */

export interface Notes {
  /** A growing array, shared with the policy's facts. */
  readonly all: readonly string[];
  /** Adds a sentence, once for each `kind`. */
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
