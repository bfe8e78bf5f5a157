/**
 * A model small enough to know every log-prob: each token depends only on the one before, by a table of logits.
 *
 * @module
 */

export const VOCABULARY = 50;
export const CONTEXT = 64;

/** Deterministic numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomNumbers(7);
const LOGITS = Array.from({ length: VOCABULARY }, () =>
  Float64Array.from({ length: VOCABULARY }, () => 8 * random() - 4),
);

/** Log-probs of the token after `last`, at a temperature. */
export function logprobsAfter(last: number, temperature = 1): Float64Array {
  const scaled = LOGITS[last]!.map((logit) => logit / temperature);
  const sum = scaled.reduce((total, logit) => total + Math.exp(logit), 0);
  return scaled.map((logit) => logit - Math.log(sum));
}

export interface Entry {
  readonly id: number;
  readonly logprob: number;
  readonly rank: number;
}

/** Most probable first. */
export function ranked(logprobs: Float64Array): Entry[] {
  return Array.from(logprobs, (logprob, id) => ({ id, logprob }))
    .sort((a, b) => b.logprob - a.logprob)
    .map((entry, index) => ({ ...entry, rank: index + 1 }));
}

/** Texts of tokens; 48 and 49 are halves of one character, so that neither has a text of its own. */
export function tokenText(id: number): string {
  return id >= 48 ? "\uFFFD" : ` w${id}`;
}

export function encode(text: string): number[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .flatMap((word) => (/^w\d+$/.test(word) ? [Number(word.slice(1))] : [47, 47]));
}

export function decode(ids: readonly number[]): string {
  return ids.map(tokenText).join("");
}

export interface Continuation {
  readonly ids: number[];
  /** Log-probs at temperature 1. */
  readonly raw: number[];
  /** Log-probs at the sampling temperature. */
  readonly processed: number[];
  readonly finish: "stop" | "length";
}

export function generate(
  promptIds: readonly number[],
  maxTokens: number,
  temperature: number,
  stopIds: readonly number[],
  seed: number,
): Continuation {
  const draw = randomNumbers(seed);
  const found: Continuation = { ids: [], raw: [], processed: [], finish: "length" };
  let last = promptIds.at(-1)!;
  for (let step = 0; step < maxTokens; step++) {
    const processed = logprobsAfter(last, temperature === 0 ? 1 : temperature);
    let id = ranked(processed)[0]!.id;
    if (temperature > 0) {
      const threshold = draw();
      let sum = 0;
      id = processed.findIndex((logprob) => {
        sum += Math.exp(logprob);
        return sum >= threshold;
      });
      if (id === -1) id = VOCABULARY - 1;
    }
    found.ids.push(id);
    found.processed.push(processed[id]!);
    found.raw.push(logprobsAfter(last)[id]!);
    if (stopIds.includes(id)) return { ...found, finish: "stop" };
    last = id;
  }
  return found;
}

/** The correct log-probs of a text's response. */
export function expectedLogprobs(ids: Int32Array, promptLength: number): number[] {
  return Array.from(
    ids.subarray(promptLength),
    (id, index) => logprobsAfter(ids[promptLength + index - 1]!)[id]!,
  );
}
