/**
 * One sequence before it enters the record: an adapter's view of a row. Every field that a source may lack is
 * optional.
 *
 * @module
 */
import type { NumericArray } from "../base/arrays.ts";
import { type ArrayPlaces, DIGITS, type Provenance, type Sampling, type Sides } from "./record.ts";

/** Alternatives of one policy over the tokens of one sequence: row-major `[length, k]`. */
export interface TopKDraft {
  readonly k: number;
  readonly ids: NumericArray;
  readonly logprobs: NumericArray;
}

/** One policy's log-probs of the tokens of a prompt, or of its last ones. */
export interface PromptLogprobs {
  /** Nats; NaN when there is none, as at the first token of a text. */
  readonly logprobs: NumericArray;
  /** One per log-prob. */
  readonly tokenIds?: NumericArray | undefined;
  /** One per log-prob, in the form of {@link SequenceDraft.responseTokens}. */
  readonly tokens?: readonly string[] | undefined;
}

/** One sequence's {@link SourceDetails}; arrays have an element per response token. */
export interface DetailsDraft {
  readonly attention?: NumericArray | undefined;
  readonly inputTokenIds?: NumericArray | undefined;
  readonly tokenRewards?: NumericArray | undefined;
  readonly promptWidth?: number | undefined;
  readonly promptPadding?: number | undefined;
}

/** Origin of a draft, when one file mixes sources (as a record written by logratio may). */
export interface Origin {
  readonly provenance: Provenance;
  readonly sampling: Sampling;
  readonly sides?: Sides;
}

/**
 * Per-token arrays have `length` elements and are aligned with the response tokens. They may be views into a reader's
 * buffers: a builder copies them at once. An absent field means that the source does not say.
 */
export interface SequenceDraft {
  /** Response tokens. */
  readonly length: number;
  /** Zero is 0, anything else is read as 1 (and counted when it is not 1). */
  readonly responseMask: NumericArray;
  /** If the response mask combines several masks, the tokens that the first of them alone would count. */
  readonly firstMaskTokens?: number | undefined;
  /** If the source has the response's ids twice, the tokens with mask 1 that were compared, and those that differ. */
  readonly idsCompared?: { readonly tokens: number; readonly differ: number } | undefined;
  /** Log-probs of the sampled tokens under the rollout policy, nats; NaN = missing. */
  readonly rolloutLogprobs?: NumericArray | undefined;
  /** Log-probs of the same tokens under the trainer policy, nats; NaN = missing. */
  readonly trainerLogprobs?: NumericArray | undefined;
  /** Vocabulary ids. */
  readonly responseTokenIds?: NumericArray | undefined;
  /** Log-probs of further policies by name, nats. */
  readonly policyLogprobs?: Readonly<Record<string, NumericArray>> | undefined;
  /** Entropies of policies by name, nats. */
  readonly entropies?: Readonly<Record<string, NumericArray>> | undefined;
  /** Most probable tokens of policies by name. */
  readonly topK?: Readonly<Record<string, TopKDraft>> | undefined;
  /** `[length, 10]` row-major: log-probs of the digits 0 to 9, if the source has distributions over digits. */
  readonly digitLogprobs?: NumericArray | undefined;
  /** One number means the same advantage at each token with mask 1 and 0 elsewhere, as the trainers expand it. */
  readonly advantages?: NumericArray | number | undefined;
  /** Position ids that the trainer gave the model. */
  readonly positionIds?: NumericArray | undefined;
  /** Version of the weights that sampled each token. */
  readonly weightVersions?: NumericArray | undefined;
  /** Fraction of the probability that the sampler's filters kept. */
  readonly keptMass?: NumericArray | undefined;
  /** Fraction of experts that both sides' routers chose. */
  readonly routeAgreement?: NumericArray | undefined;
  /** Kept only by builders with `keepDetails`. */
  readonly details?: DetailsDraft | undefined;
  /** Any length; not aligned with the response. */
  readonly promptTokenIds?: NumericArray | undefined;
  /** The trainer's prompt, if known separately from the rollout's. */
  readonly trainerPromptTokenIds?: NumericArray | undefined;
  /** Training step. */
  readonly step?: number | undefined;
  /** Data-parallel rank. */
  readonly rank?: number | undefined;
  /** Row in the source batch or file, counted from 0. */
  readonly row?: number | undefined;
  /** Pack or batch within the file, counted from 0. */
  readonly pack?: number | undefined;
  /** Reward of the whole sequence, in the task's own unit. */
  readonly reward?: number | undefined;
  /** 1 right, 0 wrong. */
  readonly correctness?: number | undefined;
  /** Byte offset of the row in its file, or its line number in a text file. */
  readonly sourceOffset?: number | undefined;
  /** Position of response token 0 in the source's array: see {@link ArrayPlaces}. */
  readonly array?:
    | { readonly layout: ArrayPlaces["layout"]; readonly start: number; readonly width: number }
    | undefined;
  /** The source's own name of the sample. */
  readonly sampleId?: string | undefined;
  /** Prompt group: samples of one prompt share it. */
  readonly groupId?: string | undefined;
  /** Name of the environment or data source. */
  readonly environment?: string | undefined;
  /** Why the engine stopped: `stop`, `length`, `abort`, …. */
  readonly finishReason?: string | undefined;
  /** Which engine or replica sampled it. */
  readonly engineId?: string | undefined;
  /** Which recorder object wrote it. */
  readonly recorder?: string | undefined;
  /** Count of prompt tokens that came from the engine's prefix cache. */
  readonly cachedTokens?: number | undefined;
  /** The prompt as text. */
  readonly promptText?: string | undefined;
  /** The response as text. */
  readonly responseText?: string | undefined;
  /** Its origin, if different from its batch's. */
  readonly origin?: Origin | undefined;
  /** Index in its group. Not in the record: used to match a sequence with its other side. */
  readonly indexInGroup?: number | undefined;
  /**
   * Text of each response token, if the source names tokens by text; `<0xE3><0x81>` for bytes that are not text. In the
   * record only without ids.
   */
  readonly responseTokens?: readonly string[] | undefined;
  /** Not in the record: compared separately if both sides of a joined sequence have it. */
  readonly promptLogprobs?: PromptLogprobs | undefined;
}

/** A per-token array whose length differs from the draft's. */
export interface Misfit {
  readonly column: string;
  readonly length: number;
  readonly expected: number;
}

/** The first array of a draft without exactly one element (for top-k, k elements) per response token. */
export function findMisfit(draft: SequenceDraft): Misfit | undefined {
  const { length } = draft;
  let misfit: Misfit | undefined;
  const check = (column: string, values: NumericArray | number | undefined, expected = length): void => {
    if (misfit === undefined && typeof values === "object" && values.length !== expected) {
      misfit = { column, length: values.length, expected };
    }
  };
  check("response mask", draft.responseMask);
  check("rollout log-probs", draft.rolloutLogprobs);
  check("trainer log-probs", draft.trainerLogprobs);
  check("response token ids", draft.responseTokenIds);
  for (const name in draft.policyLogprobs) check(`log-probs of ${name}`, draft.policyLogprobs[name]);
  for (const name in draft.entropies) check(`entropy of ${name}`, draft.entropies[name]);
  for (const name in draft.topK) {
    const top = draft.topK[name]!;
    check(`top-k ids of ${name}`, top.ids, length * top.k);
    check(`top-k log-probs of ${name}`, top.logprobs, length * top.k);
  }
  check("digit distributions", draft.digitLogprobs, length * DIGITS);
  check("advantages", draft.advantages);
  check("position ids", draft.positionIds);
  check("weight versions", draft.weightVersions);
  check("kept mass", draft.keptMass);
  check("route agreement", draft.routeAgreement);
  check("attention mask", draft.details?.attention);
  check("prompt and response token ids", draft.details?.inputTokenIds);
  check("token-level rewards", draft.details?.tokenRewards);
  return misfit;
}
