/**
 * Packs drafts into batches.
 *
 *     draft ─► push ─┬─ response mask ────► #mask                    at `tokens`           ┐
 *                    ├─ arrays per token ─► #floats, #singles, #ids, at `tokens`           │
 *                    │                      #tokenIds, #policies,                          ├─► flush ─► batch,
 *                    │                      #entropies, #topK        (#topK: × k)          │   which owns its arrays
 *                    ├─ prompt tokens ────► #tokenIds                at `promptTokens`     │
 *                    └─ one per sequence ─► #lists                   appended              ┘
 *
 * A column exists from the first draft that has it; for other drafts its values are missing. This module knows no
 * trainer and no file.
 *
 * @module
 */

import type { FloatArray, NumericArray } from "../base/arrays.ts";
import { dictionary } from "../base/dictionary.ts";
import { LengthMismatchError } from "../base/errors.ts";
import { DetailColumns } from "./detail-columns.ts";
import { MaskColumn } from "./mask-column.ts";
import { NamedColumns } from "./named-columns.ts";
import {
  createFloatColumn,
  createIdColumn,
  createSingleColumn,
  createTokenIdColumn,
  type PackedColumn,
} from "./packed-column.ts";
import { DIGITS, type Provenance, type RecordBatch, type Sampling, type Sides, type TopK } from "./record.ts";
import { findMisfit, type SequenceDraft } from "./sequence-draft.ts";
import { SequenceLists } from "./sequence-lists.ts";

export const DEFAULT_BATCH_TOKENS = 1_000_000;
/** For short and empty responses: each may be a step of its own, whose sums stay open while its batch is added. */
const MOST_SEQUENCES = 1 << 13;
/** Prompt tokens cost one column, response tokens about ten. */
const PROMPT_SHARE = 8;

/**
 * Characters of prompts and responses after which a batch is full, and as many may wait for the next one: everything
 * else is bounded by tokens.
 */
export const MOST_TEXT = 2 ** 25;

/** The source of the sequences, and when a batch is full. */
export interface BuilderOptions {
  /** File, format and trainer of the sequences that follow. */
  readonly provenance: Provenance;
  /** Sampling parameters that all of them share; unknown when absent. */
  readonly sampling?: Sampling;
  /** Software, weights and layout of each side, where known. */
  readonly sides?: Sides;
  /** Response tokens after which {@link RecordBuilder.full} turns true. Default {@link DEFAULT_BATCH_TOKENS}. */
  readonly batchTokens?: number;
  /** Also keeps {@link SourceDetails}, up to 12 bytes per token. Default false. */
  readonly keepDetails?: boolean | undefined;
  /** Called with the number of mask values of a draft that are neither 0 nor 1. */
  readonly onOddMask?: (draft: SequenceDraft, count: number) => void;
}

interface TopKColumns {
  readonly k: number;
  readonly ids: PackedColumn<Int32Array>;
  readonly logprobs: PackedColumn<Float32Array>;
}

/**
 * Collects sequences, one draft each, and packs them into batches of the record, the input of `RunSummary.add`,
 * filters and corrections. Also runs in browsers.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder } from "logratio";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder = createRecordBuilder({ provenance });
 * builder.push({
 *   length: 3,
 *   responseMask: Uint8Array.of(1, 1, 0),
 *   rolloutLogprobs: Float32Array.of(-0.105, -1.609, -0.357), // nats
 *   trainerLogprobs: Float32Array.of(-0.105, -1.204, -0.357),
 *   step: 10,
 * });
 * const batch = builder.flush();
 * assert.deepEqual([batch.length, [...batch.offsets]], [1, [0, 3]]);
 * assert.equal(batch.steps[0], 10);
 * ```
 *
 * @param options where the sequences come from, and after how many response tokens a batch is full
 * @returns a builder: `push` drafts, `flush` when it is `full` and at the end. Log-probs in nats; what a draft lacks
 * becomes NaN (ids: -1)
 */
export function createRecordBuilder(options: BuilderOptions): RecordBuilder {
  return new RecordBuilder(options);
}

/**
 * Collects sequences and returns them as batches; made by {@link createRecordBuilder}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder, type RecordBuilder } from "logratio";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder: RecordBuilder = createRecordBuilder({ provenance, batchTokens: 1 });
 * const [rolloutLogprobs, trainerLogprobs] = [Float32Array.of(-0.5), Float32Array.of(-0.25)]; // nats
 * builder.push({ length: 1, responseMask: Uint8Array.of(1), rolloutLogprobs, trainerLogprobs });
 * assert(builder.full); // one token is a batch here
 * assert.equal(builder.flush().length, 1);
 * assert.equal(builder.length, 0);
 * ```
 */
export class RecordBuilder {
  readonly #options: BuilderOptions;
  readonly #batchTokens: number;

  // The position of the next draft. `#ends` and `#promptEnds` are offsets, one more than sequences.
  #tokens = 0;
  #promptTokens = 0;
  #textLength = 0;
  readonly #ends: number[] = [0];
  readonly #promptEnds: number[] = [0];
  #trainerPromptTokens = 0;
  readonly #trainerPromptEnds: number[] = [0];

  readonly #mask = new MaskColumn();
  readonly #floats = new NamedColumns<FloatArray>(createFloatColumn);
  readonly #singles = new NamedColumns<Float32Array>(createSingleColumn);
  readonly #ids = new NamedColumns<Int32Array>(createIdColumn);
  readonly #tokenIds = new NamedColumns<Int32Array>(createTokenIdColumn);
  // Separate from `#floats`: these names come from files, and a policy may be called "rolloutLogprobs".
  readonly #policies = new NamedColumns<FloatArray>(createFloatColumn);
  readonly #entropies = new NamedColumns<FloatArray>(createFloatColumn);
  readonly #topK = new Map<string, TopKColumns>();
  readonly #lists = new SequenceLists();
  readonly #details: DetailColumns | undefined;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#batchTokens = options.batchTokens ?? DEFAULT_BATCH_TOKENS;
    this.#details = options.keepDetails ? new DetailColumns() : undefined;
  }

  /** Sequences since the last flush. */
  get length(): number {
    return this.#ends.length - 1;
  }

  /** Response tokens since the last flush. */
  get tokens(): number {
    return this.#tokens;
  }

  /** True when it is time to flush. */
  get full(): boolean {
    return (
      this.#tokens >= this.#batchTokens ||
      this.#promptTokens + this.#trainerPromptTokens >= PROMPT_SHARE * this.#batchTokens ||
      this.#textLength >= MOST_TEXT ||
      this.#ends.length > MOST_SEQUENCES
    );
  }

  /**
   * Copies one sequence. Columns that other sequences have and this one lacks become NaN (ids: -1).
   *
   * @throws LengthMismatchError if a per-token array does not have one element per response token
   */
  push(draft: SequenceDraft): void {
    // Before anything is stored: a refused draft leaves the batch unchanged, and the next one is read.
    const misfit = findMisfit(draft);
    if (misfit !== undefined) {
      throw new LengthMismatchError(
        `${misfit.column}: ${misfit.length} values, expected ${misfit.expected} for ${draft.length} response tokens`,
        { found: misfit.length, expected: misfit.expected },
      );
    }
    this.#refuseOtherK(draft);
    // Before the columns: one advantage for all tokens is expanded by the mask that is stored here.
    this.#putMask(draft);
    this.#putTokenColumns(draft);
    this.#putTopK(draft);
    this.#lists.push(draft, this.length);
    this.#details?.push(draft.details, this.length, this.#tokens);
    // Last, since up to here they are the start of this draft.
    this.#promptTokens += draft.promptTokenIds?.length ?? 0;
    this.#trainerPromptTokens += draft.trainerPromptTokenIds?.length ?? 0;
    this.#tokens += draft.length;
    this.#textLength += (draft.promptText?.length ?? 0) + (draft.responseText?.length ?? 0);
    this.#ends.push(this.#tokens);
    this.#promptEnds.push(this.#promptTokens);
    this.#trainerPromptEnds.push(this.#trainerPromptTokens);
  }

  /** Returns the sequences since the last flush as one batch, which owns its arrays. */
  flush(): RecordBatch {
    const { provenance, sampling = {}, sides } = this.#options;
    const tokens = this.#tokens;
    const prompts = this.#tokenIds.take("promptTokenIds", this.#promptTokens);
    const trainerPrompts = this.#tokenIds.take("trainerPromptTokenIds", this.#trainerPromptTokens);
    const batch: RecordBatch = {
      length: this.length,
      provenance,
      sampling,
      ...(sides && { sides }),
      offsets: Int32Array.from(this.#ends),
      responseMask: this.#mask.take(tokens),
      ...this.#floats.take("rolloutLogprobs", tokens),
      ...this.#floats.take("trainerLogprobs", tokens),
      ...this.#tokenIds.take("responseTokenIds", tokens),
      policyLogprobs: this.#policies.takeAll(tokens),
      entropies: this.#entropies.takeAll(tokens),
      topK: this.#takeTopK(),
      ...this.#floats.take("digitLogprobs", tokens * DIGITS),
      ...this.#singles.take("advantages", tokens),
      ...this.#ids.take("positionIds", tokens),
      ...this.#ids.take("weightVersions", tokens),
      ...this.#singles.take("keptMass", tokens),
      ...this.#singles.take("routeAgreement", tokens),
      ...this.#details?.take(this.length, tokens),
      // Without ids the offsets would all be 0, and unknown prompts would look empty.
      ...(prompts.promptTokenIds && { promptOffsets: Int32Array.from(this.#promptEnds), ...prompts }),
      ...(trainerPrompts.trainerPromptTokenIds && {
        trainerPromptOffsets: Int32Array.from(this.#trainerPromptEnds),
        ...trainerPrompts,
      }),
      ...this.#lists.take(),
    };
    this.#ends.length = this.#promptEnds.length = this.#trainerPromptEnds.length = 1;
    this.#tokens = this.#promptTokens = this.#trainerPromptTokens = this.#textLength = 0;
    return batch;
  }

  /** Stores the mask as 0 and 1, and reports values that were neither. */
  #putMask(draft: SequenceDraft): void {
    const odd = this.#mask.put(this.#tokens, draft.responseMask);
    if (odd > 0) this.#options.onOddMask?.(draft, odd);
  }

  #putTokenColumns(draft: SequenceDraft): void {
    const at = this.#tokens;
    this.#floats.put("rolloutLogprobs", at, draft.rolloutLogprobs);
    this.#floats.put("trainerLogprobs", at, draft.trainerLogprobs);
    this.#tokenIds.put("responseTokenIds", at, draft.responseTokenIds);
    this.#ids.put("positionIds", at, draft.positionIds);
    this.#ids.put("weightVersions", at, draft.weightVersions);
    this.#tokenIds.put("promptTokenIds", this.#promptTokens, draft.promptTokenIds);
    this.#tokenIds.put("trainerPromptTokenIds", this.#trainerPromptTokens, draft.trainerPromptTokenIds);
    this.#singles.put("keptMass", at, draft.keptMass);
    this.#singles.put("routeAgreement", at, draft.routeAgreement);
    this.#floats.put("digitLogprobs", at * DIGITS, draft.digitLogprobs);
    this.#singles.put("advantages", at, this.#expandAdvantage(draft));
    // `for in` also skips undefined ones. There are hundreds of thousands of drafts, so no entries are made for each.
    for (const name in draft.policyLogprobs) this.#policies.put(name, at, draft.policyLogprobs[name]);
    for (const name in draft.entropies) this.#entropies.put(name, at, draft.entropies[name]);
  }

  /** Expands one advantage to all tokens like the trainers: 0 where the mask is 0. */
  #expandAdvantage({ advantages, length }: SequenceDraft): NumericArray | undefined {
    if (typeof advantages !== "number") return advantages;
    const mask = this.#mask.data;
    const expanded = new Float32Array(length);
    for (let i = 0; i < length; i++) expanded[i] = mask[this.#tokens + i]! * advantages;
    return expanded;
  }

  /** k is fixed per batch: alternatives of token t are at t · k, so another k would move all later ones. */
  #refuseOtherK({ topK }: SequenceDraft): void {
    for (const name in topK) {
      const [held, k] = [this.#topK.get(name)?.k, topK[name]!.k];
      if (held === undefined || held === k) continue;
      throw new LengthMismatchError(
        `top-k alternatives of ${name} change from ${held} to ${k} per token within one batch`,
        { found: k, expected: held },
      );
    }
  }

  #putTopK({ topK }: SequenceDraft): void {
    for (const name in topK) {
      const { k, ids, logprobs } = topK[name]!;
      let held = this.#topK.get(name);
      if (held === undefined) {
        held = { k, ids: createTokenIdColumn(), logprobs: createSingleColumn() };
        this.#topK.set(name, held);
      }
      held.ids.put(this.#tokens * k, ids);
      held.logprobs.put(this.#tokens * k, logprobs);
    }
  }

  #takeTopK(): Record<string, TopK> {
    const result = dictionary<TopK>();
    for (const [name, { k, ids, logprobs }] of this.#topK) {
      result[name] = { k, ids: ids.take(this.#tokens * k), logprobs: logprobs.take(this.#tokens * k) };
    }
    this.#topK.clear();
    return result;
  }
}
