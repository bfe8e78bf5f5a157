/**
 * How much one policy attends to the first error of one text, and its KL when the error is hidden.
 *
 * @module
 */

import { dictionary, TextRefusedError } from "../../core/base/index.ts";
import { compareRows } from "../../core/kernels/distribution/index.ts";
import type { ErrorSpan } from "../analysis/error-span.ts";
import type { AttentionPlan } from "./attention-plan.ts";
import { alignBlocks } from "./pair-blocks.ts";
import type { ForcedText, LogitsPolicy, TokenSpan } from "./policy.ts";
import type { RowCache } from "./row-cache.ts";

/** One entry per response token, about that token; NaN at the error, before it, and in tool output. */
export interface AttentionColumns {
  /** The response tokens of the error; undefined if the text has no known error, and all values are NaN. */
  readonly error: ErrorSpan | undefined;
  /** Share of the attention at the token's predicting position that goes to the error, mean over layers and heads. */
  readonly toError: Float32Array;
  /** The same for as many tokens right before the error. */
  readonly toControl: Float32Array;
  /** `[layers, heads]`: share that goes to the error, mean over the tokens; no layers if there is no error. */
  readonly heads: HeadShares;
}

export interface HeadShares {
  readonly layers: number;
  readonly shares: Float32Array;
}

/**
 * D(P‖Q), nats, of the response tokens after the error if no later token attends to part of the text, in P and in Q.
 */
export interface HiddenColumns {
  /** With the error hidden. */
  readonly klWithoutError: Float32Array;
  /** With as many tokens right before it hidden. */
  readonly klWithoutControl: Float32Array;
}

type Rows = Pick<LogitsPolicy, "name" | "logits">;

export interface ScoredAttention {
  readonly columns: AttentionColumns;
  /** By partner. */
  readonly hidden: Readonly<Record<string, HiddenColumns>>;
}

/** The columns of a text without a known error. */
export function noAttention(tokens: number, partners: readonly LogitsPolicy[]): ScoredAttention {
  return {
    columns: {
      error: undefined,
      toError: nothing(tokens),
      toControl: nothing(tokens),
      heads: { layers: 0, shares: new Float32Array() },
    },
    hidden: Object.fromEntries(
      partners.map(({ name }) => [
        name,
        { klWithoutError: nothing(tokens), klWithoutControl: nothing(tokens) },
      ]),
    ),
  };
}

/**
 * @param policy must give attention
 * @param partners policies that can hide tokens, if this one can; otherwise none
 * @throws TextRefusedError
 */
export async function scoreAttention(
  policy: LogitsPolicy,
  partners: readonly LogitsPolicy[],
  text: ForcedText,
  plan: AttentionPlan,
  { cache, signal }: { readonly cache: RowCache; readonly signal?: AbortSignal },
): Promise<ScoredAttention> {
  const { error, span, control, tokens } = plan;
  const length = text.ids.length - text.promptLength;
  const spans = control === undefined ? [span] : [span, control];
  const given = await policy.attention?.(text, { spans, tokens }, signal);
  const [toError, toControl] = given ?? [];
  if (toError === undefined)
    throw new TextRefusedError(`${policy.name} gave no attention of ${text.id}`, { reason: "other" });
  const placed = (values: Float32Array | undefined): Float32Array => {
    const column = nothing(length);
    values?.forEach((value, i) => {
      column[tokens[i]! - text.promptLength] = value;
    });
    return column;
  };
  const hidden = dictionary<HiddenColumns>();
  for (const partner of partners) {
    const without = async (what: string, tokenSpan: TokenSpan | undefined): Promise<Float32Array> =>
      tokenSpan === undefined
        ? nothing(length)
        : placed(await klWithout([hiding(policy, what, tokenSpan), hiding(partner, what, tokenSpan)]));
    const klWithout = async (both: readonly Rows[]): Promise<Float32Array> => {
      // Rows before the error do not change, so they are not requested.
      const behind = { ...text, promptLength: span.to + 1 };
      const kl: number[] = [];
      for await (const [p, q] of alignBlocks(both.map((one) => cache.rows(one, behind, signal))))
        kl.push(...compareRows(p!, q!, new Int32Array(p!.rows).fill(-1), 0).divergences.forwardKl);
      return Float32Array.from(tokens, (token) => kl[token - behind.promptLength] ?? Number.NaN);
    };
    hidden[partner.name] = {
      klWithoutError: await without(WITHOUT_ERROR, span),
      klWithoutControl: await without(WITHOUT_CONTROL, control),
    };
  }
  return {
    columns: {
      error,
      toError: placed(toError.shares),
      toControl: placed(toControl?.shares),
      heads: { layers: policy.facts.attention?.layers ?? 0, shares: toError.heads },
    },
    hidden,
  };
}

const WITHOUT_ERROR = "without the error";
const WITHOUT_CONTROL = "without the control";

/** Names under which a policy's rows are cached. */
export function namesOfRows(policy: string): string[] {
  return [policy, `${policy} ${WITHOUT_ERROR}`, `${policy} ${WITHOUT_CONTROL}`];
}

function hiding(policy: LogitsPolicy, what: string, span: TokenSpan): Rows {
  return {
    name: `${policy.name} ${what}`,
    logits(text, signal) {
      if (policy.logitsWithout === undefined)
        throw new TextRefusedError(`${policy.name} cannot hide tokens of ${text.id}`, { reason: "other" });
      return policy.logitsWithout(text, span, signal);
    },
  };
}

function nothing(tokens: number): Float32Array {
  return new Float32Array(tokens).fill(Number.NaN);
}
