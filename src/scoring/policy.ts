/**
 * What a back end is: a policy that can be asked about a given text (teacher forcing).
 *
 * A back end whose policy gives whole rows of logits streams them in blocks, so that `[tokens, vocabulary]` is never in
 * memory at once; one that gives only the most probable tokens returns those. Everything else (log-probs, entropies,
 * divergences) is computed from that, in one place, by the same kernels.
 *
 * @module
 */
import type { LogitBlock } from "../kernels/logit-block.ts";
import type { TopK } from "../schema/record.ts";

/** A text to be forced through a policy, as token ids. */
export interface ForcedText {
  /** Names it in messages. */
  readonly id: string;
  /** Prompt, then response. */
  readonly ids: Int32Array;
  /** At least 1: the first token of a text is predicted from nothing, so it cannot be scored. */
  readonly promptLength: number;
  /** The response's text, where known: what a server echoes is held against it. */
  readonly responseText?: string;
}

/** What is known of a policy; kept beside its scores. */
export interface PolicyFacts {
  readonly backend: "onnx" | "vllm" | "sglang" | "openai" | "logits";
  /** Directory, file or URL, as given. */
  readonly location: string;
  /** Name under which a server has the model, or the model's file. */
  readonly model: string | null;
  /** Columns of a row of logits; null where a server does not say. */
  readonly vocabularySize: number | null;
  /** Longest text, in tokens; null where not known. */
  readonly contextLength: number | null;
  /**
   * What its log-probs are the logarithms of: `raw` (softmax of the logits, temperature 1) or `processed` (after
   * temperature and truncation of the sampler).
   */
  readonly logprobs: "raw" | "processed";
  /** The temperature that its log-probs contain: 1 for raw ones. */
  readonly temperature: number;
  /** Where a server says so: engine, version, what it does with temperature; one sentence each. */
  readonly notes: readonly string[];
}

interface PolicyBase {
  readonly name: string;
  readonly facts: PolicyFacts;
  /** Samples continuations; absent where the back end cannot. */
  readonly sample?: (
    promptIds: Int32Array,
    options: SampleOptions,
    signal?: AbortSignal,
  ) => Promise<Sampled[]>;
  close(): Promise<void>;
}

/** A policy that gives whole rows. */
export interface LogitsPolicy extends PolicyBase {
  readonly gives: "logits";
  /**
   * Rows for the tokens `promptLength … ids.length`, in order: the row for token t holds the logits that predict it
   * (a model's output at position t − 1), and the last row predicts what would follow the text. A block's buffer is
   * the caller's only until the next block is asked for.
   *
   * @throws TextRefusedError when this text cannot be scored; others can
   */
  logits(text: ForcedText, signal?: AbortSignal): AsyncIterable<LogitBlock>;
}

/** A policy that gives the sampled token's log-prob and the most probable tokens. */
export interface TopKPolicy extends PolicyBase {
  readonly gives: "top-k";
  /** For the response tokens `promptLength … ids.length − 1`. @throws TextRefusedError */
  score(text: ForcedText, signal?: AbortSignal): Promise<TopKScores>;
}

export type Policy = LogitsPolicy | TopKPolicy;

export interface TopKScores {
  /** `[n]`, nats; NaN where the server gave none. */
  readonly logprobs: Float64Array;
  /** `[n, k]`: the most probable tokens; a sampled token beyond them is not among these. */
  readonly topK: TopK;
  /** `[n]`, 1 = most probable; -1 where the server does not say. */
  readonly ranks: Int32Array;
}

export interface SampleOptions {
  readonly n: number;
  /** 0: greedy. */
  readonly temperature: number;
  readonly topP: number;
  /** Most new tokens. */
  readonly maxTokens: number;
  readonly seed: number;
  /** Ids that end a text; they are part of it. */
  readonly stopIds: readonly number[];
}

export interface Sampled {
  readonly ids: Int32Array;
  /** `[ids.length]`: of the sampled tokens, raw (temperature 1); NaN where not given. */
  readonly logprobs: Float64Array;
  readonly finishReason: "stop" | "length" | "other";
}
