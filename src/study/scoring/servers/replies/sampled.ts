/**
 * The parts of sampling that all protocols share.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import type { Sampled, SampleOptions } from "../../policy.ts";

/** @throws UsageError */
export function checkSampling(promptIds: Int32Array, options: SampleOptions): void {
  const { n, temperature, topP, maxTokens } = options;
  if (promptIds.length === 0) throw new UsageError("a prompt to sample from must have at least 1 token");
  if (!Number.isInteger(n) || n < 1) throw new UsageError(`n must be at least 1, not ${n}`);
  if (!Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new UsageError(`maxTokens must be at least 1, not ${maxTokens}`);
  }
  if (!(temperature >= 0)) throw new UsageError(`temperature must be at least 0, not ${temperature}`);
  if (!(topP > 0 && topP <= 1)) throw new UsageError(`topP must be above 0 and at most 1, not ${topP}`);
}

export function finishReason(reason: unknown): Sampled["finishReason"] {
  return reason === "stop" || reason === "length" ? reason : "other";
}

/** Greedy decoding gives the same continuation each time, so only one is requested (vLLM refuses n > 1). */
export function distinct(options: SampleOptions): number {
  return options.temperature === 0 ? 1 : options.n;
}

/** `n` samples: copies if sampling was greedy. */
export function repeated(sampled: readonly Sampled[], n: number): Sampled[] {
  return Array.from({ length: n }, (_, index) => {
    const { ids, logprobs, finishReason: reason } = sampled[index % sampled.length]!;
    return index < sampled.length
      ? sampled[index]!
      : { ids: ids.slice(), logprobs: logprobs.slice(), finishReason: reason };
  });
}
