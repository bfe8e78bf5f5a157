import { TextRefusedError, UsageError } from "../../../core/base/index.ts";
import type { LogitBlock } from "../../../core/kernels/index.ts";
import type { Sampled, SampleOptions } from "../policy.ts";
import type { Cursor, Decoder } from "./decoder.ts";
import { pickToken } from "./pick-token.ts";
import { seededRandom } from "./random.ts";
import { widened } from "./widen.ts";

/**
 * Continues a prompt `n` times. The prompt is read once; with a KV cache every new token is one run of one token,
 * without one it is a run of the whole text so far, so that n tokens after a prompt of p cost n·p + n²/2 token steps.
 *
 * Sample i depends on the prompt, the seed and i alone: {@link seededRandom}. At temperature 0 all n are equal and
 * computed once.
 *
 * @param room the most new tokens that fit into the context
 */
export async function sampleTexts(
  decoder: Decoder,
  promptIds: Int32Array,
  options: SampleOptions,
  room: number,
  signal: AbortSignal | undefined,
): Promise<Sampled[]> {
  const prompt = await decoder.begin(promptIds, signal);
  const samples: Sampled[] = [];
  for (let i = 0; i < options.n; i++) {
    const [before] = samples;
    samples.push(
      options.temperature === 0 && before !== undefined
        ? { ...before, ids: before.ids.slice(), logprobs: before.logprobs.slice() }
        : await sampleOne(prompt, options, i, room, signal),
    );
  }
  return samples;
}

async function sampleOne(
  prompt: Cursor,
  { temperature, topP, maxTokens, seed, stopIds }: SampleOptions,
  index: number,
  room: number,
  signal: AbortSignal | undefined,
): Promise<Sampled> {
  const random = seededRandom(seed, index);
  const ids: number[] = [];
  const logprobs: number[] = [];
  const most = Math.min(maxTokens, room);
  for (let cursor = prompt; ; ) {
    const { id, logprob } = pickToken(usable(cursor.row, ids.length), temperature, topP, random);
    ids.push(id);
    logprobs.push(logprob);
    const stopped = stopIds.includes(id);
    if (stopped || ids.length >= most) {
      return {
        ids: Int32Array.from(ids),
        logprobs: Float64Array.from(logprobs),
        finishReason: stopped ? "stop" : "length",
      };
    }
    cursor = await cursor.advance(id, signal);
  }
}

/** @throws TextRefusedError when nothing can be drawn from a row */
function usable(row: LogitBlock, token: number): Float32Array {
  const logits = widened(row);
  let finite = 0;
  for (let id = 0; id < logits.length; id++) {
    const value = logits[id]!;
    if (Number.isNaN(value) || value === Infinity) {
      throw new TextRefusedError(`the logits after ${token} new tokens hold ${value} for token ${id}`, {
        reason: "non-finite",
        likely:
          row.format === "float16" ? "half precision overflowed" : "the weights or the export are damaged",
        hint: row.format === "float16" ? "export the model in fp32" : "score a text with it in Python",
      });
    }
    if (value !== -Infinity) finite++;
  }
  if (finite > 0) return logits;
  throw new TextRefusedError(
    `the logits after ${token} new tokens are -inf for all ${logits.length} tokens`,
    {
      reason: "non-finite",
    },
  );
}

/** @throws UsageError */
export function checkSampleOptions({ n, temperature, topP, maxTokens, seed }: SampleOptions): void {
  const refuse = (what: string): never => {
    throw new UsageError(`cannot sample: ${what}`);
  };
  if (!Number.isInteger(n) || n < 1) refuse(`n is ${n}, not 1 or more`);
  if (!(temperature >= 0 && temperature < Infinity)) refuse(`temperature is ${temperature}, not 0 or more`);
  if (!(topP > 0 && topP <= 1)) refuse(`topP is ${topP}, not above 0 and at most 1`);
  if (!Number.isInteger(maxTokens) || maxTokens < 1) refuse(`maxTokens is ${maxTokens}, not 1 or more`);
  if (!Number.isSafeInteger(seed)) refuse(`seed is ${seed}, not an integer`);
}
