/**
 * Builds a policy from the requests of one protocol.
 *
 * @module
 */
import type { Alternative } from "../../../../input/replies/index.ts";
import type { ForcedText, Policy, PolicyFacts, Sampled, SampleOptions, TopKScores } from "../../policy.ts";
import type { HttpClient } from "../http/client.ts";
import type { ResolvedOptions } from "../options.ts";
import { checkText } from "./check-text.ts";
import type { Asked } from "./refusals.ts";
import { fillRow, rowsInOrder } from "./rows.ts";

export interface Protocol {
  /** Tokens that the server must have room for beyond a text. */
  readonly room: number;
  /** The same if each row is requested separately; default `room`. */
  readonly rowRoom?: number;
  /** Scores a checked text. */
  readonly score: (text: ForcedText, asked: Asked, signal?: AbortSignal) => Promise<TopKScores>;
  /**
   * The log-probs of the token after `prefix`, over `vocabulary` columns; absent if the protocol cannot return them.
   */
  readonly nextToken?: (
    prefix: Int32Array,
    vocabulary: number,
    asked: Asked,
    signal: AbortSignal,
  ) => Promise<Alternative[]>;
  readonly sample: (
    promptIds: Int32Array,
    options: SampleOptions,
    asked: Asked,
    signal?: AbortSignal,
  ) => Promise<Sampled[]>;
}

/** @param vocabulary - columns, if whole rows are requested */
export function protocolPolicy(
  name: string,
  facts: PolicyFacts,
  protocol: Protocol,
  client: HttpClient,
  resolved: ResolvedOptions,
  vocabulary: number | undefined,
): Policy {
  const { nextToken, room, rowRoom = room } = protocol;
  const begin = (text: ForcedText, beyond: number): Asked => {
    const asked: Asked = { url: resolved.base, id: text.id };
    checkText(text, asked, { ...facts, room: beyond });
    return asked;
  };
  const common = {
    name,
    facts,
    sample: (promptIds: Int32Array, options: SampleOptions, signal?: AbortSignal) =>
      protocol.sample(promptIds, options, { url: resolved.base, id: "sample" }, signal),
    close: () => client.close(),
  };
  if (vocabulary === undefined || nextToken === undefined) {
    return {
      ...common,
      gives: "top-k",
      score: async (text, signal) => protocol.score(text, begin(text, room), signal),
    };
  }
  return {
    ...common,
    gives: "logits",
    async *logits(text, signal) {
      const asked = begin(text, rowRoom);
      yield* rowsInOrder(
        text,
        async (prefix, token, stop) =>
          fillRow(await nextToken(prefix, vocabulary, asked, stop), vocabulary, token, asked),
        resolved.concurrency,
        signal,
      );
    },
  };
}

/** Prompt, then response. */
function joinIds(promptIds: Int32Array, responseIds: Int32Array): Int32Array {
  const ids = new Int32Array(promptIds.length + responseIds.length);
  ids.set(promptIds);
  ids.set(responseIds, promptIds.length);
  return ids;
}

/**
 * Log-probs at temperature 1 of sampled continuations, by teacher forcing, instead of the sampler's.
 */
export function forceSampled(
  score: Protocol["score"],
  promptIds: Int32Array,
  sampled: readonly Sampled[],
  asked: Asked,
  signal?: AbortSignal,
): Promise<Sampled[]> {
  return Promise.all(
    sampled.map(async (one) => {
      if (one.ids.length === 0) return one;
      const text = { id: asked.id, ids: joinIds(promptIds, one.ids), promptLength: promptIds.length };
      return { ...one, logprobs: (await score(text, asked, signal)).logprobs };
    }),
  );
}
