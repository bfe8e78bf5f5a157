/**
 * Scores many texts at a time by a policy whose model runs in another process.
 *
 * @module
 */
import type { TextRefusedError } from "../../core/base/index.ts";
import type { BatchScoring, ForcedText, LogitsPolicy, TextFigures } from "./policy.ts";
import type { TextScores } from "./score-text.ts";

export interface BatchRun<T> {
  readonly topK: number;
  readonly keep: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onScores: (text: T, scores: TextScores) => Promise<void>;
  readonly onRefused: (text: T, error: TextRefusedError) => void;
}

/** The policy's batch scoring if it reaches all partners; undefined otherwise. */
export function findBatches(
  policy: LogitsPolicy,
  partners: readonly LogitsPolicy[],
): BatchScoring | undefined {
  const { batches } = policy;
  return batches !== undefined && partners.every((partner) => batches.reaches(partner)) ? batches : undefined;
}

/**
 * The longest texts come first: lack of memory shows at once, and the texts of a batch have similar lengths, so there
 * is little padding.
 */
export async function scoreBatches<T extends { readonly forced: ForcedText }>(
  batches: BatchScoring,
  partners: readonly LogitsPolicy[],
  texts: readonly T[],
  { topK, keep, signal, onScores, onRefused }: BatchRun<T>,
): Promise<void> {
  for (const batch of cutBatches(texts, batches.tokens)) {
    if (signal?.aborted) return;
    const found: [T, TextFigures | TextRefusedError][] = [];
    let saved: Promise<unknown> = Promise.resolve();
    const save = async (): Promise<void> => {
      for (const [text, figures] of found.splice(0)) {
        if (figures instanceof Error) onRefused(text, figures);
        else
          await onScores(text, {
            ...figures,
            pairs: Object.fromEntries(partners.map(({ name }, i) => [name, figures.pairs[i]!])),
          });
      }
    };
    try {
      await batches.score(
        batch.map(({ forced }) => forced),
        partners,
        {
          topK,
          keep,
          signal,
          onText: (place, figures) => {
            found.push([batch[place]!, figures]);
            // One save after another: a file of scores takes one text at a time.
            saved = saved.then(save);
            saved.catch(() => undefined);
          },
        },
      );
    } finally {
      // Keep what was scored before a failure or an interrupt.
      await saved;
    }
  }
}

/** Batches of at most `tokens` tokens including padding; a longer text is a batch by itself. */
export function cutBatches<T extends { readonly forced: ForcedText }>(
  texts: readonly T[],
  tokens: number,
): T[][] {
  const ordered = [...texts].sort((a, b) => b.forced.ids.length - a.forced.ids.length);
  const batches: T[][] = [];
  for (let start = 0; start < ordered.length; ) {
    const count = Math.max(1, Math.floor(tokens / ordered[start]!.forced.ids.length));
    batches.push(ordered.slice(start, start + count));
    start += count;
  }
  return batches;
}
