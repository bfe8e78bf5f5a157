/** Tokens of exact softmaxes over many words, of which some places are sure and others are not. */
import { seededRandom } from "../../../core/statistics/random.ts";
import { drawToken, logSoftmax, makeNormal } from "../logits.test-data.ts";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import type { View } from "../sample/view.ts";

type Change = (logits: readonly number[], normal: () => number) => readonly number[];

export interface Words {
  /** Of the vocabulary; default 60. */
  readonly words?: number;
  readonly rollout?: Change;
  readonly trainer?: Change;
  /** What the tokens are drawn from; default: the rollout's logits. */
  readonly sampled?: Change;
  readonly hasEntropies?: boolean;
}

const ROWS = 60;
const LENGTH = 40;
const keep: Change = (logits) => logits;

export const scale =
  (factor: number): Change =>
  (logits) =>
    logits.map((logit) => factor * logit);
export const noisy =
  (size: number): Change =>
  (logits, normal) =>
    logits.map((logit) => logit + size * normal());

export function drawWords(given: Words): View {
  const { words = 60, rollout = keep, trainer = keep, sampled = rollout, hasEntropies = false } = given;
  const random = seededRandom(7);
  const normal = makeNormal(random);
  const rows = Array.from({ length: ROWS }, (_, r): GivenRow => {
    const [ours, theirs]: [number[], number[]] = [[], []];
    const entropies: [number[], number[]] = [[], []];
    const ids: number[] = [];
    for (let t = 0; t < LENGTH; t++) {
      const logits = drawLogits(words, random, normal);
      const [a, c] = [logSoftmax(rollout(logits, normal)), logSoftmax(trainer(logits, normal))];
      const id = drawToken(logSoftmax(sampled(logits, normal)), random());
      ids.push(id);
      ours.push(a[id]!);
      theirs.push(c[id]!);
      entropies[0].push(entropy(a));
      entropies[1].push(entropy(c));
    }
    return {
      ...{ rollout: ours, trainer: theirs, ids: Int32Array.from(ids), group: Math.floor(r / 4) },
      ...(hasEntropies && {
        rolloutEntropy: Float32Array.from(entropies[0]),
        trainerEntropy: Float32Array.from(entropies[1]),
      }),
    };
  });
  return makeView(rows);
}

/** A few words fit the place, some of them far better than the rest. */
function drawLogits(words: number, random: () => number, normal: () => number): number[] {
  const logits = Array.from({ length: words }, () => 1.5 * normal());
  for (let k = 0; k < 3; k++) logits[Math.floor(words * random())]! += 14 * random();
  return logits;
}

function entropy(logprobs: readonly number[]): number {
  return logprobs.reduce((sum, logprob) => sum - Math.exp(logprob) * logprob, 0);
}
