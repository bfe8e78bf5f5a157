/**
 * Plans what attention to measure: the first error of a wrong text, and the later tokens that attend to it.
 *
 * @module
 */
import type { ErrorSpan } from "../analysis/error-span.ts";
import { findFirstError } from "../analysis/first-error/first-error.ts";
import type { TokenSpan } from "./policy.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

export interface AttentionPlan {
  /** In response tokens. */
  readonly error: ErrorSpan;
  /** The error, counted in tokens of the text. */
  readonly span: TokenSpan;
  /** As many of the text's own tokens right before it; undefined if there are too few, or they begin in the prompt. */
  readonly control: TokenSpan | undefined;
  /**
   * Tokens of the text: the policy's own ones that a position after the error predicts, at least one. The token right
   * after the error is not among them: the erroneous token itself predicts it.
   */
  readonly tokens: readonly number[];
}

/** Undefined for texts not known to be wrong, and if the first error is unknown or at the end. */
export function attentionPlan(text: PreparedText): AttentionPlan | undefined {
  const found = text.correct === false ? findFirstError(text) : undefined;
  if (found === undefined) return undefined;
  const { promptIds, mask } = text;
  const start = promptIds.length;
  const { from, token } = found;
  const before = from - (token + 1 - from);
  const hasControl = before >= 0 && mask.subarray(before, from).every((own) => own === 1);
  const tokens = [...mask.keys()].filter((t) => t >= token + 2 && mask[t] === 1).map((t) => start + t);
  if (tokens.length === 0) return undefined;
  return {
    error: { from, token },
    span: { from: start + from, to: start + token + 1 },
    control: hasControl ? { from: start + before, to: start + from } : undefined,
    tokens,
  };
}
