/**
 * Runs of three columns whose truth is known: tokens are drawn from the rollout's own distribution over a small
 * vocabulary, and every policy is its own logits, so identities hold where they should.
 *
 * @module
 */
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import { drawToken, logSoftmax, makeNormal } from "../logits.test-data.ts";

const VOCABULARY = 16;

/** What happens to the logits of a policy, one value per entry of the vocabulary, at one token. */
export type Distort = (normal: () => number, random: () => number) => (logits: number[]) => number[];

export const exact: Distort = () => (logits) => logits;
/** Rounding: each logit moves by normal noise of this size. */
export const noise =
  (size: number): Distort =>
  (normal) =>
  (logits) =>
    logits.map((logit) => logit + size * normal());
/** A real difference of two policies: few tokens, far off. */
export const jumps =
  (share: number, size: number): Distort =>
  (normal, random) =>
  (logits) =>
    random() < share ? logits.map((logit) => logit + size * normal()) : logits;
export const temperature =
  (value: number): Distort =>
  () =>
  (logits) =>
    logits.map((logit) => logit / value);

export interface ThreeColumns {
  readonly seed: number;
  readonly prompts?: number;
  /** From the prefill's logits: those that tokens are drawn from, which rollout log-probs are recorded of. */
  readonly decode: Distort;
  /** From the prefill's logits: the trainer's. */
  readonly trainer: Distort;
  /** Recorded in place of the rollout's log-prob. */
  readonly record?: (logprob: number, logits: readonly number[], random: () => number) => number;
}

/** Four sequences of 40 tokens for each prompt, one batch. */
export function threeColumns({ seed, prompts = 16, decode, trainer, record }: ThreeColumns): RecordBatch {
  const random = seededRandom(seed);
  const normal = makeNormal(random);
  const [atDecode, atTrainer] = [decode(normal, random), trainer(normal, random)];
  const builder = createRecordBuilder({
    provenance: { file: `three-${seed}`, format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
  });
  for (let row = 0; row < prompts * 4; row++) {
    const length = 40;
    const [a, b, c] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
    const ids = new Int32Array(length);
    for (let t = 0; t < length; t++) {
      const logits = Array.from({ length: VOCABULARY }, (_, id) => (id === 0 ? 6 * random() : 2 * normal()));
      const sampled = atDecode(logits);
      const logprobs = logSoftmax(sampled);
      const id = drawToken(logprobs, random());
      ids[t] = id;
      const logprob = logprobs[id]!;
      a[t] = record === undefined ? logprob : record(logprob, sampled, random);
      b[t] = logSoftmax(logits)[id]!;
      c[t] = logSoftmax(atTrainer(logits))[id]!;
    }
    builder.push({
      length,
      responseMask: new Uint8Array(length).fill(1),
      responseTokenIds: ids,
      rolloutLogprobs: a,
      trainerLogprobs: c,
      policyLogprobs: { rescore: b },
      groupId: `g${Math.floor(row / 4)}`,
      step: 1,
      row,
    });
  }
  return builder.flush();
}
