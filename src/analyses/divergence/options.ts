import { UsageError } from "../../core/base/index.ts";
import type { TokenDecoder } from "./decoder.ts";

/** When tokens are logged, how many, and with how much text. */
export interface LogOptions {
  /** Without a tokenizer, tokens are `<no_tokenizer:ID>`. */
  readonly tokenizer?: TokenDecoder | undefined;
  /** False: metrics only. Default true. */
  readonly logDivergence?: boolean;
  /** Tokens are logged when the largest |p_rollout − p_trainer| of the batch is at least this. Default 0.8. */
  readonly divergenceThreshold?: number;
  /** How many tokens of such a batch are logged, even if some are below the threshold. Default 5. */
  readonly divergenceTopK?: number;
  /** Tokens of context on either side. Default 5. */
  readonly contextWindow?: number;
  /** Characters of the prompt and of the response kept before `...`; null: all. Default 200 each. */
  readonly maxPromptChars?: number | null;
  /** Characters of the response that a record keeps; null keeps all. */
  readonly maxResponseChars?: number | null;
}

/** Options of one batch, with the file that its records are appended to. */
export interface DivergenceOptions extends LogOptions {
  /** Training step; fills `{iteration}` in the path. */
  readonly iteration?: number;
  /**
   * Where the records of this batch are appended, one per line. Needs `appendLines`: this layer does not access files.
   */
  readonly divergenceJsonlPath?: string;
  /** Appends lines (without their ends) to a file; in Node, `appendJsonl` of `logratio/node`. */
  readonly appendLines?: (path: string, lines: readonly string[]) => void;
}

/** The checked options, with defaults filled in. */
export interface CheckedOptions {
  readonly tokenizer: TokenDecoder | undefined;
  readonly threshold: number;
  readonly topK: number;
  readonly contextWindow: number;
  readonly maxPromptChars: number | null;
  readonly maxResponseChars: number | null;
}

const DEFAULTS = { threshold: 0.8, topK: 5, contextWindow: 5, maxChars: 200 } as const;

/** @throws UsageError if an option is invalid. */
export function checkOptions(options: LogOptions): CheckedOptions {
  const {
    divergenceThreshold: threshold = DEFAULTS.threshold,
    divergenceTopK: topK = DEFAULTS.topK,
    contextWindow = DEFAULTS.contextWindow,
    maxPromptChars = DEFAULTS.maxChars,
    maxResponseChars = DEFAULTS.maxChars,
  } = options;
  if (!(threshold >= 0 && threshold <= 1))
    throw new UsageError(
      `the divergence threshold is a difference of probabilities, from 0 to 1, not ${threshold}`,
    );
  atLeast(1, topK, "The number of tokens to log");
  atLeast(0, contextWindow, "The number of context tokens");
  if (maxPromptChars !== null) atLeast(0, maxPromptChars, "The number of prompt characters");
  if (maxResponseChars !== null) atLeast(0, maxResponseChars, "The number of response characters");
  return { tokenizer: options.tokenizer, threshold, topK, contextWindow, maxPromptChars, maxResponseChars };
}

function atLeast(least: number, value: number, what: string): void {
  if (!Number.isInteger(value) || value < least)
    throw new UsageError(`${what} must be a whole number of at least ${least}, not ${value}`);
}
