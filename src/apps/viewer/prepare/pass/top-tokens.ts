/**
 * The most divergent tokens: one by one, and grouped by what they are.
 *
 * @module
 */

import type { RunSummary } from "../../../../analyses/report/index.ts";
import { PROBABILITY_EDGES } from "../../../../analyses/report/index.ts";
import { TOKEN_CLASSES, type TokenClass } from "../../../../core/base/index.ts";
import {
  ABS_DELTA_SUM,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  K3_SUM,
} from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import {
  DENSE_GROUPS,
  type GroupColumns,
  type GroupRow,
  GroupSlots,
  groupRow,
  largestGroups,
  TopList,
} from "../../../../core/summaries/index.ts";
import type { TokenGroup, TokenOccurrence, TopTokens } from "../../../../results/view.ts";
import type { PackedTokens } from "./packed-tokens.ts";

/** The part of `TokenTexts` that is needed here. */
export interface ShownTexts {
  nameOf(id: number): string;
  classOf(id: number): TokenClass;
  /** Joined, they are the text. */
  pieces(ids: ArrayLike<number>): readonly { readonly text: string }[];
}

/** The most occurrences listed. */
export const OCCURRENCES = 200;
const TOKENS_SHOWN = 100;
export const CONTEXT = 12;
/** Extra tokens read before the context, so that a character starting there is complete. */
export const CONTEXT_MARGIN = 4;
const TURNS_SHOWN = 256;
const BUCKETS = PROBABILITY_EDGES.length - 1;
const LOG_EDGES = Float64Array.from(PROBABILITY_EDGES.slice(1, -1), Math.log);

export interface Candidate {
  readonly sequence: number;
  readonly token: number;
  readonly handle: string;
  readonly file: string;
  /** Ids of prompt and response around the token, and the token's place among them. */
  readonly ids: Int32Array;
  readonly at: number;
  readonly delta: number;
  readonly rollout: number;
  readonly trainer: number;
  readonly turn: number;
  readonly step: number | null;
  readonly correct: number | null;
}

/** The report's sums over groups of tokens, as they travel to the thread that names the tokens. */
export interface TokenSums {
  /** Σ k3 of the run. */
  readonly k3: number;
  readonly tokenIds: GroupColumns;
  readonly buckets: readonly GroupRow[];
  readonly deciles: readonly GroupRow[];
  /** Kernel sums by turn, of the first turns. */
  readonly turns: readonly Float64Array[];
}

export function tokenSums({ groups, total }: RunSummary): TokenSums {
  return {
    k3: total.sums[K3_SUM]!,
    tokenIds: groups.tokenIds.columns(),
    buckets: [...groups.buckets.rows()],
    deciles: [...groups.deciles.rows()],
    turns: total.turns.slice(0, TURNS_SHOWN).map(({ sums }) => sums),
  };
}

/** The counted tokens of a response: `[start, end)` of a batch. */
export interface ResponseTokens {
  readonly packed: PackedTokens;
  readonly batch: Pick<RecordBatch, "rolloutLogprobs">;
  readonly start: number;
  readonly end: number;
}

/** Of each group the token with the largest |Δ|; the first one where several have it. */
class Worst {
  #delta = new Float32Array(16).fill(-1);
  #sequence = new Int32Array(16);
  #token = new Int32Array(16);

  offer(group: number, magnitude: number, sequence: number, token: number): void {
    if (group >= this.#delta.length) this.#grow(group + 1);
    if (magnitude <= this.#delta[group]!) return;
    this.#delta[group] = magnitude;
    this.#sequence[group] = sequence;
    this.#token[group] = token;
  }

  /** By group, -1 where none was offered; none was of the groups beyond its end. */
  get largest(): Float32Array {
    return this.#delta;
  }

  #grow(groups: number): void {
    const room = Math.max(groups, 2 * this.#delta.length);
    const widened = <T extends Float32Array | Int32Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#delta = widened(new Float32Array(room).fill(-1), this.#delta);
    this.#sequence = widened(new Int32Array(room), this.#sequence);
    this.#token = widened(new Int32Array(room), this.#token);
  }

  magnitude(group: number): number {
    return this.#delta[group] ?? -1;
  }

  of(group: number): TokenGroup["worst"] {
    if (this.magnitude(group) < 0) return null;
    return { sequence: this.#sequence[group]!, token: this.#token[group]! };
  }
}

/** The same of token ids: a table as long as the largest one would be out of proportion if few are so large. */
class WorstIds {
  readonly #small = new Worst();
  readonly #large = new Worst();
  readonly #slots = new GroupSlots();

  offer(id: number, magnitude: number, sequence: number, token: number): void {
    if (id < DENSE_GROUPS) this.#small.offer(id, magnitude, sequence, token);
    else this.#large.offer(this.#slots.open(id), magnitude, sequence, token);
  }

  /** {@link Worst.largest} of the ids below {@link DENSE_GROUPS}. */
  get largest(): Float32Array {
    return this.#small.largest.subarray(0, DENSE_GROUPS);
  }

  magnitude(id: number): number {
    return id < DENSE_GROUPS ? this.#small.magnitude(id) : this.#large.magnitude(this.#slots.find(id) ?? -1);
  }

  of(id: number): TokenGroup["worst"] {
    return id < DENSE_GROUPS ? this.#small.of(id) : this.#large.of(this.#slots.find(id) ?? -1);
  }
}

export class TopTokensBuilder {
  readonly #occurrences = new TopList<Candidate>(
    OCCURRENCES,
    ({ delta }) => Math.abs(delta),
    ({ file, handle }) => `${file} ${handle}`,
  );
  readonly #ids = new WorstIds();
  readonly #deciles = new Worst();
  readonly #buckets = new Worst();
  readonly #turns = new Worst();
  #threshold = Number.NEGATIVE_INFINITY;

  /** Offers a sequence's tokens, except for turns and ids. */
  offerTokens(sequence: number, tokens: ResponseTokens): void {
    this.#offerDeciles(sequence, tokens);
    this.#offerBuckets(sequence, tokens);
  }

  /**
   * Offers the tokens of a batch by their ids, all at once: between two sequences, other work would drive what is known
   * of a vocabulary out of the cache, and fetching it again would take longer than all the rest of this.
   *
   * @param first place of the batch's first sequence in the table
   */
  offerIds(batch: RecordBatch, first: number): void {
    const { responseTokenIds: ids, responseMask: mask, offsets } = batch;
    const [rollout, trainer] = [batch.rolloutLogprobs!, batch.trainerLogprobs!];
    if (ids === undefined) return;
    let { largest } = this.#ids;
    for (let row = 0; row < batch.length; row++) {
      const [start, end] = [offsets[row]!, offsets[row + 1]!];
      for (let t = start; t < end; t++) {
        const id = ids[t]!;
        if (mask[t] === 0 || id < 0) continue;
        const delta = trainer[t]! - rollout[t]!;
        const size = Math.fround(Math.abs(delta));
        if ((id < largest.length && size <= largest[id]!) || !Number.isFinite(delta)) continue;
        this.#ids.offer(id, size, first + row, t - start);
        ({ largest } = this.#ids);
      }
    }
  }

  /** Tokens are in their order, so each tenth is offered once. */
  #offerDeciles(sequence: number, { packed, start, end }: ResponseTokens): void {
    const { sizes, places, count } = packed;
    const length = end - start;
    for (let i = 0; i < count; ) {
      const decile = Math.floor((places[i]! * 10) / length);
      const next = ((decile + 1) * length) / 10;
      let worst = i;
      for (i++; i < count && places[i]! < next; i++) if (sizes[i]! > sizes[worst]!) worst = i;
      this.#deciles.offer(decile, sizes[worst]!, sequence, places[worst]!);
    }
  }

  #offerBuckets(sequence: number, { packed, batch: { rolloutLogprobs }, start }: ResponseTokens): void {
    const { sizes, places, count } = packed;
    const rollout = rolloutLogprobs!;
    for (let i = 0; i < count; i++)
      this.#buckets.offer(findBucket(rollout[start + places[i]!]!), sizes[i]!, sequence, places[i]!);
  }

  /** Offers a turn: its largest |Δ| in single precision, and the first token that has it. */
  offerTurn(turn: number, largest: number, sequence: number, token: number): void {
    if (turn < TURNS_SHOWN) this.#turns.offer(turn, largest, sequence, token);
  }

  /** A token with this |Δ| or more is among the furthest so far, if it is not 0, and should be passed to {@link keep}. */
  get threshold(): number {
    return this.#threshold;
  }

  keep(candidate: Candidate): void {
    this.#occurrences.add(candidate);
    this.#threshold = this.#occurrences.threshold;
  }

  /** Sums are the report's own. Classes of tokens follow from their texts, so they need a tokenizer. */
  finish(sums: TokenSums, texts: ShownTexts, hasTexts: boolean): Omit<TopTokens, "turns"> {
    const group: NameGroup = (label, row, worst, term = null) => ({
      label,
      term,
      tokens: row.count,
      delta_mean: row.delta / row.count,
      delta_abs_mean: row.deltaAbs / row.count,
      delta_abs_max: row.deltaAbsMax,
      share_of_k3: sums.k3 > 0 ? row.k3 / sums.k3 : 0,
      worst,
    });
    return {
      occurrences: this.#occurrences.list().map((candidate) => occurrence(candidate, texts, hasTexts)),
      by_token: largestGroups(sums.tokenIds, TOKENS_SHOWN).map((row) =>
        group(texts.nameOf(row.group), row, this.#ids.of(row.group), `id:${row.group}`),
      ),
      by_class: [
        ...(hasTexts ? this.#classes(sums.tokenIds, texts, group) : []),
        ...sums.buckets.map((row) =>
          group(
            `rollout p ${PROBABILITY_EDGES[row.group]} to ${PROBABILITY_EDGES[row.group + 1]}`,
            row,
            this.#buckets.of(row.group),
          ),
        ),
      ],
      by_position: sums.deciles.map((row) =>
        group(`${row.group * 10}–${row.group * 10 + 10} %`, row, this.#deciles.of(row.group)),
      ),
      by_turn: sums.turns.flatMap((own, turn) => {
        if (own[COUNT] === 0) return [];
        return [group(`turn ${turn}`, rowOfSums(turn, own), this.#turns.of(turn), `turn:${turn}`)];
      }),
    };
  }

  #classes(ids: GroupColumns, texts: ShownTexts, group: NameGroup): TokenGroup[] {
    const found = new Map<TokenClass, { row: GroupRow; worst: number }>();
    for (let i = 0; i < ids.groups.length; i++) {
      const row = groupRow(ids, i);
      const name = texts.classOf(row.group);
      const known = found.get(name);
      if (known === undefined) found.set(name, { row, worst: row.group });
      else {
        known.row = joined(known.row, row);
        if (this.#ids.magnitude(row.group) > this.#ids.magnitude(known.worst)) known.worst = row.group;
      }
    }
    return TOKEN_CLASSES.flatMap((name) => {
      const own = found.get(name);
      return own === undefined ? [] : [group(name, own.row, this.#ids.of(own.worst), `is:${name}`)];
    });
  }
}

/** A group with its figures: what it is called, and the term of a filter that finds its tokens. */
type NameGroup = (
  label: string,
  row: GroupRow,
  worst: TokenGroup["worst"],
  term?: string | null,
) => TokenGroup;

function occurrence(candidate: Candidate, texts: ShownTexts, hasTexts: boolean): TokenOccurrence {
  const { ids, at, sequence, token, handle, turn, step, correct } = candidate;
  const pieces = texts.pieces(ids).map(({ text }) => text);
  const [before, after] = [
    pieces.slice(Math.max(0, at - CONTEXT), at),
    pieces.slice(at + 1, at + 1 + CONTEXT),
  ];
  return {
    sequence,
    token,
    handle,
    token_id: ids[at]!,
    text: hasTexts ? pieces[at]! : null,
    before: hasTexts ? before.join("") : null,
    after: hasTexts ? after.join("") : null,
    delta: candidate.delta,
    rollout_logprob: candidate.rollout,
    trainer_logprob: candidate.trainer,
    turn,
    step,
    correct,
  };
}

function joined(a: GroupRow, b: GroupRow): GroupRow {
  return {
    group: a.group,
    count: a.count + b.count,
    delta: a.delta + b.delta,
    deltaAbs: a.deltaAbs + b.deltaAbs,
    k3: a.k3 + b.k3,
    deltaAbsMax: Math.max(a.deltaAbsMax, b.deltaAbsMax),
  };
}

function rowOfSums(group: number, sums: Float64Array): GroupRow {
  const count = sums[COUNT]!;
  return {
    group,
    count,
    delta: count * sums[DELTA_MEAN]!,
    deltaAbs: sums[ABS_DELTA_SUM]!,
    k3: sums[K3_SUM]!,
    deltaAbsMax: Math.max(sums[DELTA_MAX]!, -sums[DELTA_MIN]!),
  };
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);
/** Of a float32: sign, exponent and five bits of the mantissa. */
const CELL_SHIFT = 18;
/** By cell of a log-prob, the highest bucket that its values are in: steps from the top one are hard to predict. */
const HIGHEST = Uint8Array.from({ length: 2 ** (32 - CELL_SHIFT) }, (_, cell) => {
  word[0] = cell << CELL_SHIFT;
  // Doubles that are rounded to the cell may be a little nearer to 0.
  return stepDown(BUCKETS - 1, float[0]! * (1 - 2 ** -23));
});

export function findBucket(logprob: number): number {
  float[0] = logprob;
  return stepDown(HIGHEST[word[0]! >>> CELL_SHIFT]!, logprob);
}

function stepDown(from: number, logprob: number): number {
  let bucket = from;
  while (bucket > 0 && logprob < LOG_EDGES[bucket - 1]!) bucket--;
  return bucket;
}
