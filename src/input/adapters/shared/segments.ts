/**
 * Builds sequences from pieces: the messages of a conversation, or an agent's calls to its engine.
 *
 * @module
 */

import { type NumericArray, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";

/** Consecutive tokens. */
export interface Segment {
  readonly ids: NumericArray;
  /** Which tokens the engine sampled; all when absent. */
  readonly mask?: NumericArray | undefined;
  /** One per token, or per token with mask 1; absent when the engine returned none. */
  readonly logprobs?: NumericArray | undefined;
  /** Under the trainer; like `logprobs`, as are all that follow. */
  readonly trainerLogprobs?: NumericArray | undefined;
  /** Under the reference policy. */
  readonly referenceLogprobs?: NumericArray | undefined;
  /** Of the trainer's distribution. */
  readonly trainerEntropies?: NumericArray | undefined;
  readonly advantages?: NumericArray | undefined;
  /** Version of the weights that sampled it. */
  readonly version?: number | undefined;
  /** Sampled tokens that count in another sequence; here they are context. */
  readonly counted?: boolean;
}

type Assembled = Pick<
  SequenceDraft,
  | "length"
  | "responseMask"
  | "responseTokenIds"
  | "promptTokenIds"
  | "rolloutLogprobs"
  | "trainerLogprobs"
  | "policyLogprobs"
  | "entropies"
  | "advantages"
  | "weightVersions"
>;

/** Writes the values of a segment from `at` on: one per token, or one per token with mask 1. */
function spread(
  target: Float64Array,
  at: number,
  values: NumericArray,
  { ids, mask }: Segment,
  sampled: number,
): string | undefined {
  if (values.length === ids.length) {
    for (let i = 0; i < ids.length; i++) if (mask === undefined || mask[i] !== 0) target[at + i] = values[i]!;
    return undefined;
  }
  if (values.length !== sampled)
    return `${plural(values.length, "value")} for ${ids.length} tokens, ${sampled} of them sampled`;
  let next = 0;
  for (let i = 0; i < ids.length; i++) if (mask?.[i] !== 0) target[at + i] = values[next++]!;
  return undefined;
}

const TOKEN_VALUES = [
  "logprobs",
  "trainerLogprobs",
  "referenceLogprobs",
  "trainerEntropies",
  "advantages",
] as const satisfies readonly (keyof Segment)[];
type TokenValues = (typeof TOKEN_VALUES)[number];

/** Joins segments into a sequence; its response begins with the first token that counts. */
export function assembleSegments(segments: readonly Segment[]): Assembled | Unavailable {
  const total = segments.reduce((sum, { ids }) => sum + ids.length, 0);
  const ids = new Float64Array(total);
  const mask = new Uint8Array(total);
  const columns = new Map<TokenValues, Float64Array>();
  const versions = new Int32Array(total).fill(-1);
  let at = 0;
  let start = total;
  for (const segment of segments) {
    if (segment.mask !== undefined && segment.mask.length !== segment.ids.length)
      return new Unavailable(
        `a mask has ${plural(segment.mask.length, "value")} for ${plural(segment.ids.length, "token")}`,
      );
    ids.set(segment.ids, at);
    let sampled = 0;
    for (let i = 0; i < segment.ids.length; i++) {
      if (segment.mask?.[i] === 0) continue;
      sampled++;
      if (segment.counted === true) continue;
      start = Math.min(start, at + i);
      mask[at + i] = 1;
      versions[at + i] = segment.version ?? -1;
    }
    for (const name of TOKEN_VALUES) {
      const values = segment[name];
      if (values === undefined || values.length === 0) continue;
      const target = columns.get(name) ?? new Float64Array(total).fill(Number.NaN);
      columns.set(name, target);
      const why = spread(target, at, values, segment, sampled);
      if (why !== undefined) return new Unavailable(`${name}: ${why}`);
    }
    at += segment.ids.length;
  }
  const cut = (name: TokenValues): Float64Array | undefined => columns.get(name)?.subarray(start);
  const reference = cut("referenceLogprobs");
  const entropies = cut("trainerEntropies");
  return {
    length: total - start,
    responseMask: mask.subarray(start),
    responseTokenIds: ids.subarray(start),
    promptTokenIds: ids.subarray(0, start),
    rolloutLogprobs: cut("logprobs") ?? new Float64Array(total - start).fill(Number.NaN),
    trainerLogprobs: cut("trainerLogprobs"),
    ...(reference && { policyLogprobs: { reference } }),
    ...(entropies && { entropies: { trainer: entropies } }),
    advantages: cut("advantages"),
    weightVersions: versions.some((version) => version >= 0) ? versions.subarray(start) : undefined,
  };
}

/** One request to an engine: its prompt, and what it sampled. */
export interface Call {
  readonly prompt: NumericArray;
  readonly sampled: NumericArray;
  readonly logprobs?: NumericArray | undefined;
  readonly version?: number | undefined;
}

function startsWith(ids: NumericArray, prefix: readonly number[]): boolean {
  return ids.length >= prefix.length && prefix.every((id, i) => ids[i] === id);
}

/**
 * Groups calls into sequences of segments. A call whose prompt begins with all earlier tokens continues the sequence
 * (new tokens in the prompt are a tool's or a user's); any other call begins a sequence, for example after a
 * compaction of the context.
 */
export function chainCalls(calls: readonly Call[]): readonly (readonly Segment[])[] {
  const chains: { segments: Segment[]; ids: number[] }[] = [];
  for (const { prompt, sampled, logprobs, version } of calls) {
    let chain = chains.findLast(({ ids }) => startsWith(prompt, ids));
    if (chain === undefined) {
      chain = { segments: [], ids: [] };
      chains.push(chain);
    }
    const added = prompt.subarray(chain.ids.length);
    if (added.length > 0) chain.segments.push({ ids: added, mask: new Uint8Array(added.length) });
    chain.segments.push({ ids: sampled, logprobs, version });
    for (const id of added) chain.ids.push(id);
    for (const id of sampled) chain.ids.push(id);
  }
  return chains.map(({ segments }) => segments);
}
