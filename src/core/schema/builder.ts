/**
 * Drafts in, packed batches out.
 *
 * @module
 */

import type { FloatArray, NumericArray } from "../base/index.ts";
import { dictionary, LengthMismatchError } from "../base/index.ts";
import { createFloatColumn, createIdColumn, createSingleColumn, type PackedColumn } from "./packed-column.ts";
import type { ArrayPlaces, Provenance, RecordBatch, Sampling, TopK } from "./record.ts";
import { findMisfit, type SequenceDraft } from "./sequence-draft.ts";

export const DEFAULT_BATCH_TOKENS = 1_000_000;
/** A batch of empty responses must end somewhere too. */
const MOST_SEQUENCES = 1 << 17;
/** Prompt tokens cost one column, response tokens about ten. */
const PROMPT_SHARE = 8;

/**
 * Characters of prompts and responses after which a batch is full, and as many may be on their way to one: all else in
 * it is bounded by its tokens.
 */
export const MOST_TEXT = 2 ** 25;

/** Where the sequences come from, and when a batch is full. */
export interface BuilderOptions {
  readonly provenance: Provenance;
  readonly sampling?: Sampling;
  /** Response tokens after which {@link RecordBuilder.full} turns true. Default {@link DEFAULT_BATCH_TOKENS}. */
  readonly batchTokens?: number;
  /** Called with the number of mask values of a draft that are neither 0 nor 1. */
  readonly onOddMask?: (draft: SequenceDraft, count: number) => void;
}

/** Collects sequences and gives them out as batches. */
export interface RecordBuilder {
  /** Sequences since the last flush. */
  readonly length: number;
  /** Response tokens since the last flush. */
  readonly tokens: number;
  /** True when it is time to flush. */
  readonly full: boolean;
  /**
   * Copies one sequence. Columns that other sequences have and this one lacks become NaN (ids: -1).
   *
   * @throws LengthMismatchError when a per-token array does not have one element per response token
   */
  push(draft: SequenceDraft): void;
  /** What was pushed since the last flush as one batch; it owns its arrays. */
  flush(): RecordBatch;
}

type Named<A> = Map<string, PackedColumn<A>>;

interface TopKColumns {
  readonly k: number;
  readonly ids: PackedColumn<Int32Array>;
  readonly logprobs: PackedColumn<Float32Array>;
}

/** Reads a mask into 0 and 1, and counts what was neither. */
function storeMask(target: Uint8Array, at: number, values: NumericArray): number {
  let odd = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value === 1) target[at + i] = 1;
    else if (value === 0) target[at + i] = 0;
    else {
      odd++;
      target[at + i] = Number.isNaN(value) ? 0 : 1;
    }
  }
  return odd;
}

/**
 * Collects sequences, one draft each, and packs them into batches of the record: what `RunSummary.add`, filters and
 * corrections take. Runs in browsers, where no file is read.
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
 * @returns a builder: `push` drafts, `flush` when it is `full` and at the end. Log-probs in nats; what a draft lacks becomes
 * NaN (ids: -1)
 */
export function createRecordBuilder(options: BuilderOptions): RecordBuilder {
  const { provenance, sampling = {}, batchTokens = DEFAULT_BATCH_TOKENS, onOddMask } = options;

  let tokens = 0;
  let promptTokens = 0;
  let textLength = 0;
  let mask = new Uint8Array(1024);
  const ends: number[] = [0];
  const promptEnds: number[] = [0];

  const floats: Named<FloatArray> = new Map();
  const singles: Named<Float32Array> = new Map();
  const ids: Named<Int32Array> = new Map();
  const policyLogprobs: Named<FloatArray> = new Map();
  const entropies: Named<FloatArray> = new Map();
  const topK = new Map<string, TopKColumns>();

  const steps: number[] = [];
  const ranks: number[] = [];
  const rows: number[] = [];
  const packs: number[] = [];
  const rewards: number[] = [];
  const correctness: number[] = [];
  const sourceOffsets: number[] = [];
  let layout: ArrayPlaces["layout"] | undefined;
  const arrayStarts: number[] = [];
  const arrayWidths: number[] = [];
  const sampleIds: (string | undefined)[] = [];
  const groupIds: (string | undefined)[] = [];
  const environments: (string | undefined)[] = [];
  const promptTexts: (string | undefined)[] = [];
  const responseTexts: (string | undefined)[] = [];
  const scalars = [steps, ranks, rows, packs, rewards, correctness, sourceOffsets, arrayStarts, arrayWidths];
  const strings = [sampleIds, groupIds, environments, promptTexts, responseTexts];

  function put<A>(
    named: Named<A>,
    name: string,
    values: NumericArray | undefined,
    create: () => PackedColumn<A>,
    at: number = tokens,
  ): void {
    if (values === undefined) return;
    let column = named.get(name);
    if (column === undefined) {
      column = create();
      named.set(name, column);
    }
    column.put(at, values);
  }

  function putTopK(draft: SequenceDraft): void {
    for (const [name, top] of Object.entries(draft.topK ?? {})) {
      let held = topK.get(name);
      if (held === undefined) {
        held = { k: top.k, ids: createIdColumn(), logprobs: createSingleColumn() };
        topK.set(name, held);
      }
      if (held.k !== top.k) {
        throw new LengthMismatchError(
          `top-k alternatives of ${name} change from ${held.k} to ${top.k} per token within one batch`,
          { found: top.k, expected: held.k },
        );
      }
      held.ids.put(tokens * top.k, top.ids);
      held.logprobs.put(tokens * top.k, top.logprobs);
    }
  }

  function putMask(draft: SequenceDraft): void {
    const end = tokens + draft.length;
    if (end > mask.length) {
      const larger = new Uint8Array(Math.max(end, 2 * mask.length));
      larger.set(mask.subarray(0, tokens));
      mask = larger;
    }
    const odd = storeMask(mask, tokens, draft.responseMask);
    if (odd > 0) onOddMask?.(draft, odd);
  }

  function expandAdvantage(
    advantages: NumericArray | number | undefined,
    length: number,
  ): NumericArray | undefined {
    if (typeof advantages !== "number") return advantages;
    const expanded = new Float32Array(length);
    for (let i = 0; i < length; i++) expanded[i] = mask[tokens + i]! * advantages;
    return expanded;
  }

  function push(draft: SequenceDraft): void {
    const misfit = findMisfit(draft);
    if (misfit !== undefined) {
      throw new LengthMismatchError(
        `${misfit.column}: ${misfit.length} values, ${misfit.expected} were expected for ${draft.length} response tokens`,
        { found: misfit.length, expected: misfit.expected },
      );
    }
    putMask(draft);
    put(floats, "rolloutLogprobs", draft.rolloutLogprobs, createFloatColumn);
    put(floats, "trainerLogprobs", draft.trainerLogprobs, createFloatColumn);
    put(ids, "responseTokenIds", draft.responseTokenIds, createIdColumn);
    put(ids, "positionIds", draft.positionIds, createIdColumn);
    put(ids, "weightVersions", draft.weightVersions, createIdColumn);
    put(ids, "promptTokenIds", draft.promptTokenIds, createIdColumn, promptTokens);
    put(singles, "advantages", expandAdvantage(draft.advantages, draft.length), createSingleColumn);
    for (const name in draft.policyLogprobs)
      put(policyLogprobs, name, draft.policyLogprobs[name], createFloatColumn);
    for (const name in draft.entropies) put(entropies, name, draft.entropies[name], createFloatColumn);
    if (draft.topK !== undefined) putTopK(draft);
    promptTokens += draft.promptTokenIds?.length ?? 0;
    tokens += draft.length;
    ends.push(tokens);
    promptEnds.push(promptTokens);
    steps.push(draft.step ?? NaN);
    ranks.push(draft.rank ?? NaN);
    rows.push(draft.row ?? ends.length - 2);
    packs.push(draft.pack ?? 0);
    rewards.push(draft.reward ?? NaN);
    correctness.push(draft.correctness ?? NaN);
    sourceOffsets.push(draft.sourceOffset ?? -1);
    if (draft.array !== undefined) {
      layout = draft.array.layout;
      arrayStarts.push(draft.array.start);
      arrayWidths.push(draft.array.width);
    }
    sampleIds.push(draft.sampleId);
    groupIds.push(draft.groupId);
    environments.push(draft.environment);
    textLength += (draft.promptText?.length ?? 0) + (draft.responseText?.length ?? 0);
    promptTexts.push(draft.promptText);
    responseTexts.push(draft.responseText);
  }

  function takeNamed<A>(named: Named<A>): Record<string, A> {
    const result = dictionary<A>();
    for (const [name, column] of named) result[name] = column.take(tokens);
    named.clear();
    return result;
  }

  function takeTopK(): Record<string, TopK> {
    const result = dictionary<TopK>();
    for (const [name, { k, ids, logprobs }] of topK) {
      result[name] = { k, ids: ids.take(tokens * k), logprobs: logprobs.take(tokens * k) };
    }
    topK.clear();
    return result;
  }

  function flush(): RecordBatch {
    const take = <A, K extends string>(named: Named<A>, name: K): { [P in K]?: A } => {
      const column = named.get(name);
      return column === undefined ? {} : ({ [name]: column.take(tokens) } as { [P in K]: A });
    };
    const promptTokenIds = ids.get("promptTokenIds")?.take(promptTokens);
    const batch: RecordBatch = {
      length: ends.length - 1,
      provenance,
      sampling,
      offsets: Int32Array.from(ends),
      responseMask: mask.slice(0, tokens),
      ...take(floats, "rolloutLogprobs"),
      ...take(floats, "trainerLogprobs"),
      ...take(ids, "responseTokenIds"),
      policyLogprobs: takeNamed(policyLogprobs),
      entropies: takeNamed(entropies),
      topK: takeTopK(),
      ...take(singles, "advantages"),
      ...take(ids, "positionIds"),
      ...take(ids, "weightVersions"),
      ...(promptTokenIds === undefined ? {} : { promptOffsets: Int32Array.from(promptEnds), promptTokenIds }),
      steps: Float64Array.from(steps),
      ranks: Float64Array.from(ranks),
      rows: Int32Array.from(rows),
      packs: Int32Array.from(packs),
      rewards: Float64Array.from(rewards),
      correctness: Float64Array.from(correctness),
      sourceOffsets: Float64Array.from(sourceOffsets),
      ...(layout !== undefined &&
        arrayStarts.length === steps.length && {
          arrays: { layout, starts: Int32Array.from(arrayStarts), widths: Int32Array.from(arrayWidths) },
        }),
      sampleIds: [...sampleIds],
      groupIds: [...groupIds],
      environments: [...environments],
      promptTexts: [...promptTexts],
      responseTexts: [...responseTexts],
    };
    for (const named of [floats, singles, ids]) named.clear();
    for (const list of scalars) list.length = 0;
    for (const list of strings) list.length = 0;
    ends.length = promptEnds.length = 1;
    tokens = promptTokens = textLength = 0;
    return batch;
  }

  return {
    get length() {
      return ends.length - 1;
    },
    get tokens() {
      return tokens;
    },
    get full() {
      return (
        tokens >= batchTokens ||
        promptTokens >= PROMPT_SHARE * batchTokens ||
        textLength >= MOST_TEXT ||
        ends.length > MOST_SEQUENCES
      );
    },
    push,
    flush,
  };
}
