/**
 * The interface of a back end: a policy that scores a given text (teacher forcing).
 *
 * A back end whose policy gives whole rows of logits streams them in blocks, so that `[tokens, vocabulary]` is never in
 * memory at once; one that gives only the most probable tokens returns those. Everything else (log-probs, entropies,
 * divergences) is computed from that, in one place, by the same kernels.
 *
 * @module
 */
import type { TextRefusedError } from "../../core/base/index.ts";
import type { LogitBlock } from "../../core/kernels/index.ts";
import type { TopK } from "../../core/schema/index.ts";

/** A text to be forced through a policy, as token ids. */
export interface ForcedText {
  /** Its name in messages. */
  readonly id: string;
  /** Prompt, then response. */
  readonly ids: Int32Array;
  /** At least 1: the first token of a text is predicted from nothing, so it cannot be scored. */
  readonly promptLength: number;
  /** The response's text, where known: compared with what a server echoes. */
  readonly responseText?: string;
}

/** Facts about a policy, stored with its scores. */
export interface PolicyFacts {
  readonly backend: "onnx" | "hf" | "vllm" | "sglang" | "openai" | "logits";
  /** Directory, file or URL, as given. */
  readonly location: string;
  /** The model's name on a server, or the model's file. */
  readonly model: string | null;
  /** Columns of a row of logits; null if a server does not report it. */
  readonly vocabularySize: number | null;
  /** Longest text, in tokens; null if unknown. */
  readonly contextLength: number | null;
  /**
   * What its log-probs are the logarithms of: `raw` (softmax of the logits, temperature 1) or `processed` (after
   * temperature and truncation of the sampler).
   */
  readonly logprobs: "raw" | "processed";
  /** The temperature that its log-probs contain: 1 for raw ones. */
  readonly temperature: number;
  /** Facts about readable attention; null if unreadable, with the reason in `notes`; absent if not requested. */
  readonly attention?: AttentionFacts | null;
  /** Notes from a server: engine, version, its handling of temperature; one sentence each. */
  readonly notes: readonly string[];
}

export interface AttentionFacts {
  readonly layers: number;
  /** Heads in each layer. */
  readonly heads: number;
  /** Whether tokens can be hidden from later ones. */
  readonly canHide: boolean;
}

interface PolicyBase {
  readonly name: string;
  readonly facts: PolicyFacts;
  /** Samples continuations; absent if the back end cannot. */
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
  /** Whether its rows are stored uncompressed in a file, so that rereading them costs less than keeping them. */
  readonly stored?: boolean;
  /**
   * Rows for the tokens `promptLength … ids.length`, in order: the row for token t holds the logits that predict it
   * (a model's output at position t − 1), and the last row predicts what would follow the text. A block's buffer is
   * valid only until the next block is requested.
   *
   * @throws TextRefusedError when this text cannot be scored, though others can
   */
  logits(text: ForcedText, signal?: AbortSignal): AsyncIterable<LogitBlock>;
  /**
   * Present if the model runs outside this process and its figures are computed there, so that logits need not be sent.
   */
  readonly batches?: BatchScoring;
  /** Present if the model runs under PyTorch; for a reference that `batches` reaches. */
  readonly klGradients?: KlGradients;
  /**
   * How much attention goes to spans of the text, one result per span. Absent if attention is unreadable, or was not
   * requested on opening.
   *
   * @throws TextRefusedError
   */
  readonly attention?: (
    text: ForcedText,
    request: AttentionRequest,
    signal?: AbortSignal,
  ) => Promise<readonly AttentionToSpan[]>;
  /**
   * Rows as from {@link logits}, but no later token attends to those in `hidden`, in any layer. Positions do not
   * change. Present if `facts.attention.canHide`.
   *
   * @throws TextRefusedError
   */
  readonly logitsWithout?: (
    text: ForcedText,
    hidden: TokenSpan,
    signal?: AbortSignal,
  ) => AsyncIterable<LogitBlock>;
}

/**
 * Gradient times input of D(this policy ‖ `reference`), nats, with respect to the embeddings of earlier tokens under both.
 *
 * @param positions response tokens
 * @returns for each position one value for each token before it, starting with the prompt's first
 * @throws TextRefusedError
 */
type KlGradients = (
  text: ForcedText,
  reference: LogitsPolicy,
  positions: readonly number[],
  signal?: AbortSignal,
) => Promise<readonly Float64Array[]>;

/** Scores many texts at a time, where the model runs. */
export interface BatchScoring {
  /** Maximum tokens in a batch, including padding. */
  readonly tokens: number;
  /** Whether this policy's distributions can be compared with a partner's there. */
  reaches(partner: LogitsPolicy): boolean;
  /**
   * Scores texts and compares them with each partner; it must reach all of them.
   *
   * @throws an error that concerns all texts; an error of one text goes to `onText`
   */
  score(
    texts: readonly ForcedText[],
    partners: readonly LogitsPolicy[],
    options: BatchOptions,
  ): Promise<void>;
}

export interface BatchOptions {
  readonly topK: number;
  /** Whether this policy will be a partner for the same texts later, so that its model need not run again. */
  readonly keep: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called for each finished text, in any order, with its index among the texts. */
  readonly onText: (place: number, found: TextFigures | TextRefusedError) => void;
}

/** Figures of every response token; nats. */
export interface TextFigures {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  /** 1 = most probable. */
  readonly ranks: Int32Array;
  readonly topK: TopK;
  /** Comparisons with each partner, in order. */
  readonly pairs: readonly PairFigures[];
}

/** This policy (P) against another (Q), per response token; nats. */
export interface PairFigures {
  readonly forwardKl: Float32Array;
  readonly reverseKl: Float32Array;
  readonly jsDivergence: Float32Array;
  readonly totalVariation: Float32Array;
  /** Value for the token after the text. */
  readonly forwardKlAfterEnd: number;
  /** Largest probability of P (and of Q) over the tokens, in columns that the other policy lacks. */
  readonly excludedP: number;
  readonly excludedQ: number;
}

/** Tokens `[from, to)` of a text, prompt included. */
export interface TokenSpan {
  readonly from: number;
  readonly to: number;
}

export interface AttentionRequest {
  readonly spans: readonly TokenSpan[];
  /** Tokens of the text, prompt included, whose predicting position (the one before) attends; ascending, at least 1. */
  readonly tokens: readonly number[];
}

export interface AttentionToSpan {
  /** `[tokens]`: share of the attention that goes to the span, mean over layers and heads. */
  readonly shares: Float32Array;
  /** `[layers, heads]`: the same for each head, mean over the tokens; NaN if there are none. */
  readonly heads: Float32Array;
}

/** A policy that gives the sampled token's log-prob and the most probable tokens. */
export interface TopKPolicy extends PolicyBase {
  readonly gives: "top-k";
  /** Scores the response tokens `promptLength … ids.length − 1`. @throws TextRefusedError */
  score(text: ForcedText, signal?: AbortSignal): Promise<TopKScores>;
}

export type Policy = LogitsPolicy | TopKPolicy;

export interface TopKScores {
  /** `[n]`, nats; NaN if the server gave none. */
  readonly logprobs: Float64Array;
  /** `[n, k]`: the most probable tokens; a sampled token that is not among the k is left out. */
  readonly topK: TopK;
  /** `[n]`, 1 = most probable; -1 if the server does not say. */
  readonly ranks: Int32Array;
}

export interface SampleOptions {
  readonly n: number;
  /** 0 means greedy. */
  readonly temperature: number;
  readonly topP: number;
  /** Maximum new tokens. */
  readonly maxTokens: number;
  readonly seed: number;
  /** Ids that end a text; they are part of it. */
  readonly stopIds: readonly number[];
}

export interface Sampled {
  readonly ids: Int32Array;
  /** `[ids.length]`: log-probs of the sampled tokens, raw (temperature 1); NaN if not given. */
  readonly logprobs: Float64Array;
  readonly finishReason: "stop" | "length" | "other";
}
