/**
 * The large tokens of a batch, found while it is summed.
 *
 * @module
 */
import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch, TopK } from "../../core/schema/index.ts";
import {
  CANDIDATES,
  type Candidates,
  IDS_AFTER,
  IDS_BEFORE,
  impactOf,
  KeyHash,
  LARGE_DELTA,
  type LargeToken,
  type LargeTokenDetails,
  type LargeTokens,
  PROMPT_IDS,
  PROMPT_TEXT,
} from "../../core/summaries/index.ts";
import { describePlace } from "./batch-rows.ts";
import type { ClusterKeys } from "./cluster-keys.ts";
import { formatPlaceKey } from "./worst-tokens.ts";

/**
 * Number of ids before a token that are part of its content. On `examples/demo/stale` one to four distinguish the
 * mistakes of a prompt equally well, and six miss some that are alike because answers began differently.
 */
const IDS_OF_CONTENT = 3;

/** What a content was made from, so that a place is not confused with an id. */
const IDS = 1;
const TEXTS = 2;
const PLACE = 3;

/** Where a batch comes from, and the clusters of its rows. */
export interface LargeTokensOf {
  readonly batch: RecordBatch;
  readonly clusters: ClusterKeys;
  /** Number of the batch within its file. */
  readonly number: number;
}

/** Tokens with Δ strictly between the two are too small to keep. */
interface Window {
  readonly low: number;
  readonly high: number;
}

/** Adds tokens of a batch to the run's large tokens. */
export class LargeTokenFinder {
  readonly #found: LargeTokens;
  readonly #of: LargeTokensOf;
  #siblings: Map<number, number> | undefined;
  /** The last row used: the key of its prompt, and of its tokens' places without their numbers. */
  #row = -1;
  #prompt = 0;
  #place = "";

  /** Largest |A| of the batch; computed only if many tokens are large. */
  #largestAdvantage: number | undefined;
  #window: Window;

  constructor(found: LargeTokens, of: LargeTokensOf) {
    this.#found = found;
    this.#of = of;
    this.#window = this.#findWindow();
  }

  /** Tokens with Δ between these need not be considered. */
  get window(): Window {
    return this.#window;
  }

  #findWindow(): Window {
    const { threshold, impactThreshold } = this.#found;
    const { advantages } = this.#of.batch;
    if (advantages === undefined) return { low: -threshold, high: threshold };
    if (impactThreshold === 0) return { low: -LARGE_DELTA, high: LARGE_DELTA };
    this.#largestAdvantage ??= largestOf(advantages);
    // |A||ρ − 1| reaches the threshold only from this |ρ − 1| on; slightly less, to allow for rounding.
    const excess = (impactThreshold / this.#largestAdvantage) * (1 - 1e-6);
    const below = excess < 1 ? Math.max(LARGE_DELTA, -Math.log1p(-excess) * (1 - 1e-6)) : Infinity;
    const above = Math.max(LARGE_DELTA, Math.log1p(excess) * (1 - 1e-6));
    return { low: -Math.min(threshold, below), high: Math.min(threshold, above) };
  }

  /** Considers token `i` of a kernel pass over this row. */
  consider(row: number, tokens: MaskedTokens, i: number): void {
    const delta = tokens.delta[i]!;
    if (delta > this.#window.low && delta < this.#window.high) return;
    const size = Math.abs(delta);
    const { batch } = this.#of;
    const index = tokens.index[i]!;
    const rollout = batch.rolloutLogprobs![index]!;
    const trainer = batch.trainerLogprobs![index]!;
    const advantage = batch.advantages?.[index] ?? Number.NaN;
    const { threshold, impactThreshold } = this.#found;
    const impact = impactOf({ rollout, trainer, advantage });
    // Written so that NaN does not pass.
    if (size < threshold && !(impact > 0 && impact >= impactThreshold)) return;
    this.#openRow(row);
    const token = index - batch.offsets[row]!;
    if (size <= threshold && !(impact > impactThreshold) && !this.#found.admitsTie(`${this.#place}${token}`))
      return;
    const of = { rollout, trainer, advantage, turn: tokens.turn[i]! };
    this.#found.add(this.#describe(row, index, of), () => this.#surroundings(row, index));
    this.#window = this.#findWindow();
  }

  #openRow(row: number): void {
    if (row === this.#row) return;
    const { batch, clusters } = this.#of;
    this.#row = row;
    this.#prompt = promptKey(batch, row) ?? clusters.keys[row]!;
    this.#place = formatPlaceKey(describePlace(batch, row, 0)).slice(0, -1);
  }

  #describe(
    row: number,
    index: number,
    of: Pick<LargeToken, "rollout" | "trainer" | "advantage" | "turn">,
  ): LargeToken {
    const { batch, clusters, number } = this.#of;
    const cluster = clusters.keys[row]!;
    return {
      file: batch.provenance.file,
      batch: number,
      step: batch.steps[row]!,
      rank: batch.ranks[row]!,
      row: batch.rows[row]!,
      token: index - batch.offsets[row]!,
      id: batch.responseTokenIds?.[index] ?? -1,
      ...of,
      correct: batch.correctness[row]!,
      prompt: this.#prompt,
      isPrompt: clusters.arePrompts[row] === 1,
      cluster,
      siblings: this.#countSiblings(cluster),
      content: contentKey(batch, row, index, this.#prompt),
    };
  }

  #countSiblings(cluster: number): number {
    this.#siblings ??= countEach(this.#of.clusters.keys);
    return this.#siblings.get(cluster) ?? 0;
  }

  #surroundings(row: number, index: number): LargeTokenDetails {
    const { batch } = this.#of;
    const { responseTokenIds: ids, promptOffsets, promptTokenIds, offsets } = batch;
    const from = Math.max(offsets[row]!, index - IDS_BEFORE);
    const to = Math.min(offsets[row + 1]!, index + 1 + IDS_AFTER);
    const [promptStart, promptEnd] = promptTokenIds
      ? [promptOffsets![row]!, promptOffsets![row + 1]!]
      : [0, 0];
    const texts = batch.tokenTexts?.[row];
    const at = index - offsets[row]!;
    const join = (first: number, end: number): string => texts!.slice(Math.max(0, first), end).join("");
    return {
      before: [...(ids?.subarray(from, index) ?? [])],
      after: [...(ids?.subarray(index + 1, to) ?? [])],
      promptIds: [
        ...(promptTokenIds?.subarray(Math.max(promptStart, promptEnd - PROMPT_IDS), promptEnd) ?? []),
      ],
      promptLength: promptEnd - promptStart,
      promptText: batch.promptTexts[row]?.slice(-PROMPT_TEXT) ?? null,
      texts: texts ? [join(at - IDS_BEFORE, at), texts[at] ?? "", join(at + 1, at + 1 + IDS_AFTER)] : null,
      rollout: candidatesAt(batch.topK.rollout, index),
      trainer: candidatesAt(batch.topK.trainer, index),
    };
  }
}

/** The same at every step, which the name of a group need not be; undefined if only that name is known. */
function promptKey(
  { promptOffsets, promptTokenIds, promptTexts }: RecordBatch,
  row: number,
): number | undefined {
  if (promptOffsets && promptTokenIds && promptOffsets[row + 1]! > promptOffsets[row]!)
    return new KeyHash()
      .addWord(IDS)
      .addWords(promptTokenIds, promptOffsets[row]!, promptOffsets[row + 1]!)
      .key();
  const text = promptTexts[row];
  return text === undefined ? undefined : new KeyHash().addWord(TEXTS).addText(text).key();
}

/** What was written after what, for which prompt; the place in the answer if that is not known. */
function contentKey(batch: RecordBatch, row: number, index: number, prompt: number): number {
  const hash = new KeyHash().addNumber(prompt);
  const start = batch.offsets[row]!;
  const ids = batch.responseTokenIds;
  if (ids !== undefined && ids[index]! >= 0)
    return hash
      .addWord(IDS)
      .addWords(ids, Math.max(start, index - IDS_OF_CONTENT), index + 1)
      .key();
  const texts = batch.tokenTexts?.[row];
  const at = index - start;
  if (texts === undefined) return hash.addWord(PLACE).addWord(at).key();
  return hash
    .addWord(TEXTS)
    .addText(texts.slice(Math.max(0, at - IDS_OF_CONTENT), at + 1).join("\0"))
    .key();
}

function largestOf(advantages: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < advantages.length; i++) {
    const size = Math.abs(advantages[i]!);
    if (size > largest) largest = size;
  }
  return largest;
}

function countEach(keys: Float64Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function candidatesAt(topK: TopK | undefined, index: number): Candidates | null {
  if (topK === undefined) return null;
  const { k, ids, logprobs } = topK;
  const places = Array.from({ length: k }, (_, place) => index * k + place)
    .filter((at) => ids[at]! >= 0 && !Number.isNaN(logprobs[at]!))
    .slice(0, CANDIDATES);
  if (places.length === 0) return null;
  return { ids: places.map((at) => ids[at]!), logprobs: places.map((at) => logprobs[at]!) };
}
