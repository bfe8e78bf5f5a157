/**
 * Scores the texts that a policy has no scores for yet, and saves them as they finish.
 *
 * @module
 */
import { isLogratioError, type TextRefusedError } from "../../core/base/index.ts";
import type { TopK } from "../../core/schema/index.ts";
import type { AttentionPlan } from "./attention-plan.ts";
import type { ForcedText, LogitsPolicy, Policy } from "./policy.ts";
import { noAttention, scoreAttention } from "./score-attention.ts";
import { findBatches, scoreBatches } from "./score-batches.ts";
import { type ScoreTextOptions, scoreText, type TextScores } from "./score-text.ts";
import type { RefusedText } from "./store/manifest.ts";
import type { PolicyScoresFile } from "./store/policy-scores.ts";

/** After a server has failed on this many texts in a row, the others are not sent. */
const GIVE_UP_AFTER = 8;

/** A text with the digest that identifies its scores. */
export interface KeyedText {
  readonly key: string;
  readonly forced: ForcedText;
  /** What attention to measure; undefined if not requested. */
  readonly plan?: AttentionPlan | undefined;
}

export interface ScorePolicyOptions extends ScoreTextOptions {
  /** Texts at a time, if the policy is a server. */
  readonly concurrency: number;
  /** Names of the partners to compare with while tokens are hidden; undefined if no attention is requested. */
  readonly attention?: readonly string[] | undefined;
  readonly onText: (text: KeyedText, refused: boolean) => void;
}

export interface ScoredPolicy {
  readonly scored: number;
  readonly refused: readonly RefusedText[];
  /** Texts that were not sent, because the server had failed too often in a row. */
  readonly givenUp: number;
}

export async function scorePolicy(
  policy: Policy,
  partners: readonly LogitsPolicy[],
  texts: readonly KeyedText[],
  file: Pick<PolicyScoresFile, "add">,
  options: ScorePolicyOptions,
): Promise<ScoredPolicy> {
  const { signal, topK, onText } = options;
  const refused: RefusedText[] = [];
  const queue = texts.values();
  let scored = 0;
  let asked = 0;
  let failures = 0;
  const keep = async (text: KeyedText, scores: TextScores): Promise<void> => {
    await file.add({ ...scores, topK: resize(scores.topK, topK), text: text.forced.id, key: text.key });
    scored++;
    onText(text, false);
  };
  const refuse = (text: KeyedText, error: TextRefusedError): void => {
    refused.push(refusedText(text, error));
    onText(text, true);
  };
  const batches = policy.gives === "logits" ? findBatches(policy, partners) : undefined;
  if (batches !== undefined) {
    const again = options.cache.keeps(policy.name);
    // Attention is read one text at a time.
    const onScores = async (text: KeyedText, plain: TextScores): Promise<void> => {
      try {
        await keep(text, await withAttention(policy, partners, text, plain, options));
      } catch (error) {
        if (!isLogratioError(error, "TextRefusedError")) throw error;
        refuse(text, error);
      }
    };
    const run = { topK, keep: again, signal, onScores, onRefused: refuse };
    await scoreBatches(batches, partners, texts, run).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
    return { scored, refused, givenUp: 0 };
  }
  // Figures of logits are computed in this process, and memory allows blocks of one text at a time.
  const lanes = policy.gives === "logits" ? 1 : options.concurrency;

  const lane = async (): Promise<void> => {
    for (const text of queue) {
      if (signal?.aborted || failures >= GIVE_UP_AFTER) return;
      asked++;
      try {
        const plain = await scoreText(policy, partners, text.forced, options);
        const scores = await withAttention(policy, partners, text, plain, options);
        await keep(text, scores);
        failures = 0;
      } catch (error) {
        if (signal?.aborted) return;
        if (!isLogratioError(error, "TextRefusedError")) throw error;
        failures = error.reason === "server-failed" ? failures + 1 : 0;
        refuse(text, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, lanes) }, lane));
  return { scored, refused, givenUp: signal?.aborted ? 0 : texts.length - asked };
}

async function withAttention(
  policy: Policy,
  partners: readonly LogitsPolicy[],
  { forced, plan }: KeyedText,
  scores: TextScores,
  options: ScorePolicyOptions,
): Promise<TextScores> {
  const { attention: names } = options;
  if (names === undefined || policy.gives !== "logits") return scores;
  const hiding = partners.filter(({ name }) => names.includes(name));
  const { columns, hidden } =
    plan === undefined
      ? noAttention(scores.logprobs.length, hiding)
      : await scoreAttention(policy, hiding, forced, plan, options);
  const pairs = Object.entries(scores.pairs).map(([name, pair]) => [name, { ...pair, ...hidden[name] }]);
  return { ...scores, attention: columns, pairs: Object.fromEntries(pairs) };
}

function refusedText({ key, forced }: KeyedText, error: TextRefusedError): RefusedText {
  return {
    text: forced.id,
    key,
    reason: error.reason,
    message: error.message,
    ...(error.likely !== undefined && { likely: error.likely }),
    ...(error.hint !== undefined && { hint: error.hint }),
  };
}

/** The same with exactly k alternatives per token: servers may give fewer than requested, or one more. */
function resize({ k, ids, logprobs }: TopK, wanted: number): TopK {
  if (k === wanted) return { k, ids, logprobs };
  const tokens = k === 0 ? 0 : ids.length / k;
  const resized = {
    k: wanted,
    ids: new Int32Array(tokens * wanted).fill(-1),
    logprobs: new Float32Array(tokens * wanted).fill(Number.NaN),
  };
  for (let t = 0; t < tokens; t++) {
    const end = t * k + Math.min(k, wanted);
    resized.ids.set(ids.subarray(t * k, end), t * wanted);
    resized.logprobs.set(logprobs.subarray(t * k, end), t * wanted);
  }
  return resized;
}
