/**
 * Finds prompts of a run by their words, in a list of the distinct ones.
 *
 * @module
 */
import type { PromptMatches } from "../../../../results/filters.ts";
import type { SequenceBrief } from "../../../../results/wire/briefs.ts";

/** Further ones are only counted. */
const MOST_PROMPTS = 10;

export interface KnownPrompt {
  readonly prompt: string;
  readonly lower: string;
  /** The place of its first sequence, and how many there are. */
  readonly sequence: number;
  sequences: number;
}

/** @param briefs of all sequences, in their order */
export async function listPrompts(briefs: AsyncIterable<readonly SequenceBrief[]>): Promise<KnownPrompt[]> {
  const known = new Map<string, KnownPrompt>();
  let sequence = 0;
  for await (const some of briefs) {
    for (const { prompt } of some) {
      const same = known.get(prompt);
      if (same !== undefined) same.sequences++;
      else if (prompt !== "")
        known.set(prompt, { prompt, lower: prompt.toLowerCase(), sequence, sequences: 1 });
      sequence++;
    }
  }
  return [...known.values()];
}

/** Prompts that contain all words, whatever their case; those with the text as a whole come first. */
export function findPrompts(known: readonly KnownPrompt[], text: string): PromptMatches {
  const whole = text.trim().toLowerCase().replace(/\s+/gu, " ");
  const words = whole.split(" ").filter((word) => word !== "");
  if (words.length === 0) return { prompts: [], found: 0 };
  const found = known.filter(({ lower }) => words.every((word) => lower.includes(word)));
  const asWhole = found.filter(({ lower }) => lower.includes(whole));
  const others = found.filter(({ lower }) => !lower.includes(whole));
  return {
    prompts: [...asWhole, ...others]
      .slice(0, MOST_PROMPTS)
      .map(({ prompt, sequence, sequences }) => ({ prompt, sequence, sequences })),
    found: found.length,
  };
}
