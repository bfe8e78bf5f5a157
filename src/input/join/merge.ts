/**
 * Merges two halves into one draft with both sides.
 *
 * @module
 */
import type { NumericArray } from "../../core/base/index.ts";
import type { SequenceDraft } from "../../core/schema/index.ts";
import { type Half, readLogprobs } from "./half.ts";
import { countCommon, endsWith, listTokens, type Tokens } from "./same-tokens.ts";

export type Side = "rollout" | "trainer";

export interface Merged {
  /** Undefined when not even the first token is the same. */
  readonly draft: SequenceDraft | undefined;
  /** Tokens of the longer half that are not in the draft. */
  readonly dropped: number;
  /** Whether neither ids nor texts could be compared, only the number of tokens. */
  readonly isUnchecked: boolean;
}

function promptTokens({ promptLogprobs }: SequenceDraft): Tokens | undefined {
  if (promptLogprobs === undefined) return undefined;
  const { logprobs, tokenIds, tokens } = promptLogprobs;
  return { count: logprobs.length, ids: tokenIds, texts: tokens };
}

/**
 * Rewrites a `scorer` that got the sampled text as its prompt as if it had generated it: its log-probs of the prompt's
 * end become those of the response.
 */
function forceTokens(scorer: SequenceDraft, sampled: SequenceDraft): SequenceDraft | undefined {
  const { promptLogprobs: prompt } = scorer;
  const scored = promptTokens(scorer);
  const { length } = sampled;
  if (prompt === undefined || scored === undefined || length === 0) return undefined;
  if (!endsWith(scored, listTokens(sampled))) return undefined;
  const start = scored.count - length;
  const before = sampled.promptTokenIds;
  // A short response may also end another text, so any known text before it must match.
  if (before !== undefined && prompt.tokenIds !== undefined && start > 0) {
    const seen = Math.min(start, before.length);
    const own = { count: seen, ids: prompt.tokenIds.subarray(start - seen, start) };
    if (!endsWith(own, { count: seen, ids: before.subarray(before.length - seen) })) return undefined;
  }
  const rest = (values: NumericArray | undefined): NumericArray | undefined => values?.subarray(0, start);
  return {
    length,
    responseMask: new Uint8Array(length).fill(1),
    rolloutLogprobs: prompt.logprobs.subarray(start),
    responseTokenIds: prompt.tokenIds?.subarray(start),
    responseTokens: prompt.tokens?.slice(start),
    promptLogprobs: {
      logprobs: prompt.logprobs.subarray(0, start),
      tokenIds: rest(prompt.tokenIds),
      tokens: prompt.tokens?.slice(0, start),
    },
    sampleId: scorer.sampleId,
    groupId: scorer.groupId,
  };
}

/** Each half as a response; a scored prompt is split into prompt and response. */
export function alignHalves(a: SequenceDraft, b: SequenceDraft): readonly [SequenceDraft, SequenceDraft] {
  const common = countCommon(listTokens(a), listTokens(b));
  if (common !== undefined && common > 0) return [a, b];
  const second = forceTokens(b, a);
  if (second !== undefined) return [a, second];
  const first = forceTokens(a, b);
  return first === undefined ? [a, b] : [first, b];
}

type Named<T> = Readonly<Record<string, T>> | undefined;

/** A half's columns of its own policy, under its side; those of other policies under their names. */
function underSide<T>(values: Named<T>, side: Side): Record<string, T> {
  const entries = Object.entries(values ?? {}).map(([name, value]): [string, T] =>
    name === "rollout" || name === "trainer" ? [side, value] : [name, value],
  );
  return Object.fromEntries(entries);
}

function some<T extends object>(values: T): T | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

/** A half's values for its first `length` tokens. */
function cutPolicies(draft: SequenceDraft, side: Side, length: number) {
  const cut = (values: Named<NumericArray>): Record<string, NumericArray> =>
    Object.fromEntries(
      Object.entries(underSide(values, side)).map(([name, array]) => [name, array.subarray(0, length)]),
    );
  const topK = Object.entries(underSide(draft.topK, side)).map(([name, { k, ids, logprobs }]) => {
    return [
      name,
      { k, ids: ids.subarray(0, k * length), logprobs: logprobs.subarray(0, k * length) },
    ] as const;
  });
  return {
    policyLogprobs: cut(draft.policyLogprobs),
    entropies: cut(draft.entropies),
    topK: Object.fromEntries(topK),
  };
}

function cutArray(values: NumericArray | undefined, length: number): NumericArray | undefined {
  return values?.subarray(0, length);
}

/**
 * Merges two halves into one draft: the tokens up to the first difference, since only these have both log-probs after
 * the same text. What both have is taken from the first.
 */
export function mergeHalves({ draft: first }: Half, { draft: second }: Half): Merged {
  const [a, b] = alignHalves(first, second);
  const longer = Math.max(a.length, b.length);
  const common = countCommon(listTokens(a), listTokens(b));
  const isUnchecked = common === undefined;
  // Nothing aligns the tokens of lists of different lengths.
  const length = common ?? (a.length === b.length ? a.length : 0);
  const dropped = longer - length;
  if (length === 0 && longer > 0) return { draft: undefined, dropped, isUnchecked };
  const [own, other] = [cutPolicies(a, "rollout", length), cutPolicies(b, "trainer", length)];
  const advantages = a.advantages ?? b.advantages;
  const draft: SequenceDraft = {
    length,
    // A token counts as sampled unless a half says that it was not.
    responseMask: Uint8Array.from({ length }, (_, i) => (a.responseMask[i] && b.responseMask[i] ? 1 : 0)),
    rolloutLogprobs: readLogprobs(a).subarray(0, length),
    trainerLogprobs: readLogprobs(b).subarray(0, length),
    responseTokenIds: cutArray(a.responseTokenIds ?? b.responseTokenIds, length),
    policyLogprobs: some({ ...other.policyLogprobs, ...own.policyLogprobs }),
    entropies: some({ ...other.entropies, ...own.entropies }),
    topK: some({ ...other.topK, ...own.topK }),
    advantages: typeof advantages === "number" ? advantages : cutArray(advantages, length),
    positionIds: cutArray(a.positionIds ?? b.positionIds, length),
    weightVersions: cutArray(a.weightVersions ?? b.weightVersions, length),
    keptMass: cutArray(a.keptMass ?? b.keptMass, length),
    routeAgreement: cutArray(a.routeAgreement ?? b.routeAgreement, length),
    promptTokenIds: a.promptTokenIds ?? b.promptTokenIds,
    trainerPromptTokenIds: a.promptTokenIds && (b.trainerPromptTokenIds ?? b.promptTokenIds),
    step: a.step ?? b.step,
    rank: a.rank ?? b.rank,
    row: a.row ?? b.row,
    pack: a.pack ?? b.pack,
    reward: a.reward ?? b.reward,
    correctness: a.correctness ?? b.correctness,
    sourceOffset: a.sourceOffset ?? b.sourceOffset,
    sampleId: a.sampleId ?? b.sampleId,
    groupId: a.groupId ?? b.groupId,
    environment: a.environment ?? b.environment,
    finishReason: a.finishReason ?? b.finishReason,
    engineId: a.engineId ?? b.engineId,
    recorder: a.recorder ?? b.recorder,
    cachedTokens: a.cachedTokens ?? b.cachedTokens,
    promptText: a.promptText ?? b.promptText,
    // A text that continues after the last compared token is another text.
    responseText: length === longer ? (a.responseText ?? b.responseText) : undefined,
  };
  return { draft, dropped, isUnchecked };
}
