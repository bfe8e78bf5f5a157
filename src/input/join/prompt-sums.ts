/**
 * Figures of prompts that both sides scored, kept separate, since no policy sampled these tokens.
 *
 * @module
 */
import type { PromptLogprobs, SequenceDraft } from "../../core/schema/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import { findComparison, type Tokens } from "./same-tokens.ts";

/** What servers write for a log-prob of minus infinity. */
const SENTINEL = -9999;
const BLOCK_TOKENS = 1 << 16;

function listTokens({ logprobs, tokenIds, tokens }: PromptLogprobs): Tokens {
  return { count: logprobs.length, ids: tokenIds, texts: tokens };
}

/**
 * The number of equal tokens at the ends of two prompts, 0 for different prompts. A server may return log-probs of
 * only a prompt's last tokens.
 */
function countShared(a: PromptLogprobs, b: PromptLogprobs, isSamePrompt: boolean): number {
  const [first, second] = [listTokens(a), listTokens(b)];
  const count = Math.min(first.count, second.count);
  const same = findComparison(first, second);
  // Without tokens, the same text with as many tokens is the same prompt.
  if (same === undefined) return isSamePrompt && first.count === second.count ? count : 0;
  for (let back = 1; back <= count; back++) if (!same(first.count - back, second.count - back)) return 0;
  return count;
}

function readValue(value: number): number {
  return value > SENTINEL ? value : NaN;
}

export class PromptSums {
  readonly #summary = new MismatchSummary();
  #rollout: number[] = [];
  #trainer: number[] = [];
  #offsets: number[] = [0];
  /** Prompt tokens with a log-prob on both sides that could not be compared. */
  incomparable = 0;

  /** @param a the rollout side's half, `b` the trainer's */
  add(a: SequenceDraft, b: SequenceDraft): void {
    const [first, second] = [a.promptLogprobs, b.promptLogprobs];
    if (first === undefined || second === undefined) return;
    const isSamePrompt = a.promptText !== undefined && a.promptText === b.promptText;
    const count = countShared(first, second, isSamePrompt);
    if (count === 0) {
      this.incomparable += Math.min(first.logprobs.length, second.logprobs.length);
      return;
    }
    const [skipFirst, skipSecond] = [first.logprobs.length - count, second.logprobs.length - count];
    for (let i = 0; i < count; i++) {
      const rollout = readValue(first.logprobs[skipFirst + i]!);
      const trainer = readValue(second.logprobs[skipSecond + i]!);
      // The first token of a text has no log-prob anywhere.
      if (Number.isNaN(rollout) || Number.isNaN(trainer)) continue;
      this.#rollout.push(rollout);
      this.#trainer.push(trainer);
    }
    if (this.#rollout.length === this.#offsets.at(-1)) return;
    this.#offsets.push(this.#rollout.length);
    if (this.#rollout.length > BLOCK_TOKENS) this.#flush();
  }

  #flush(): void {
    if (this.#offsets.length === 1) return;
    const block = {
      rollout: Float64Array.from(this.#rollout),
      trainer: Float64Array.from(this.#trainer),
      mask: new Uint8Array(this.#rollout.length).fill(1),
      offsets: Int32Array.from(this.#offsets),
    };
    this.#summary.merge(MismatchSummary.of(block));
    this.#rollout = [];
    this.#trainer = [];
    this.#offsets = [0];
  }

  /** Sums of all prompts so far; undefined if both sides scored none. */
  summarize(): MismatchSummary | undefined {
    this.#flush();
    return this.#summary.sequences.count === 0 ? undefined : this.#summary;
  }
}
