/**
 * Whose error a gap is: with log-probs of the same tokens under the same weights in float32, each column has an error of
 * its own, and the gap between two columns follows from theirs. What causes an error does not belong in this folder.
 *
 * @module
 */
import { TEXT } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import {
  addCount,
  byKey,
  counts,
  layoutOf,
  part,
  Sums,
  SumsByKey,
  tally,
} from "../../../core/summaries/index.ts";
import type { OwnErrors } from "../../../results/diagnosis.ts";
import { type ClusterKeys, clusterKeys } from "../../report/cluster-keys.ts";
import { type ErrorColumns, findColumns, REFERENCE_NAMES } from "./columns.ts";
import { describeErrors } from "./describe.ts";
import { PairSums } from "./pair-sums.ts";

/** Sums of pairs by the names of both columns, in the order rollout, trainer, further policies by name. */
export type Pairs = SumsByKey<string, SumsByKey<string, PairSums>>;

/** About what the sums of a pair take in memory before there is a token. */
const PAIR_BYTES = 1024;

/** Errors of the columns of a run, over tokens with mask 1 at which all columns of their batch are finite. */
export class ErrorSums extends Sums {
  static readonly layout = layoutOf<ErrorSums>({
    pairs: part(byKey(TEXT, byKey(TEXT, PairSums.layout, PAIR_BYTES), PAIR_BYTES), (errors) => errors.#pairs),
    references: part(tally(TEXT), (errors) => errors.#references),
    missing: part(tally(TEXT), (errors) => errors.#missing),
    beyond: part(tally(TEXT), (errors) => errors.#beyond),
    counted: part(counts(["sequences", "prompts"]), (errors) => errors.#counted),
  });
  readonly #pairs: Pairs = new SumsByKey(() => new SumsByKey(() => new PairSums()));
  /** Tokens by the name that the reference has. */
  readonly #references = new Map<string, number>();
  /** Tokens with mask 1 that have no finite value, by column. */
  readonly #missing = new Map<string, number>();
  /** Tokens with mask 1 by the name of a column that was left out because there are too many. */
  readonly #beyond = new Map<string, number>();
  /** Sequences with such tokens, and those of known prompt. */
  readonly #counted = { sequences: 0, prompts: 0 };

  /** @param clusters the batch's clusters, if known */
  add(batch: RecordBatch, clusters?: ClusterKeys): void {
    const columns = findColumns(batch);
    const tokens = countOnes(batch);
    if (columns === undefined) {
      addTokens(this.#missing, REFERENCE_NAMES[0], tokens);
      return;
    }
    addTokens(this.#references, columns.reference, tokens);
    for (const name of columns.beyond) addTokens(this.#beyond, name, tokens);
    const { keys, arePrompts } = clusters ?? clusterKeys(batch);
    const row = new RowMoments(columns, this.#missing);
    for (let i = 0; i < batch.length; i++) {
      row.sum(batch, i);
      if (row.tokens === 0) continue;
      this.#counted.sequences++;
      this.#counted.prompts += arePrompts[i]!;
      row.addTo(this.#pairs, keys[i]!);
    }
  }

  /** Null without a reference. */
  result(): OwnErrors | null {
    const [reference] = [...this.#references].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (reference === undefined) return null;
    const { sequences, prompts } = this.#counted;
    return describeErrors(this.#pairs, {
      reference,
      unit: sequences > 0 && prompts === sequences ? "prompt" : "sequence",
      missing: Object.fromEntries([...this.#missing].sort()),
      columns_left_out: [...this.#beyond.keys()].sort(),
    });
  }
}

/** Σ of each column's error and of the products of each two, over the tokens of a sequence. */
class RowMoments {
  tokens = 0;
  readonly #columns: ErrorColumns;
  readonly #missing: Map<string, number>;
  readonly #errors: Float64Array;
  readonly #sums: Float64Array;
  /** `[k, k]`, of which the upper triangle is filled. */
  readonly #products: Float64Array;

  constructor(columns: ErrorColumns, missing: Map<string, number>) {
    this.#columns = columns;
    this.#missing = missing;
    const count = columns.names.length;
    this.#errors = new Float64Array(count);
    this.#sums = new Float64Array(count);
    this.#products = new Float64Array(count * count);
  }

  sum({ offsets, responseMask }: RecordBatch, row: number): void {
    this.tokens = 0;
    this.#sums.fill(0);
    this.#products.fill(0);
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++)
      if (responseMask[t] !== 0 && this.#readErrors(t)) this.#addToken();
  }

  /** Whether all columns are finite at a token. */
  #readErrors(t: number): boolean {
    const { reference, base, names, values } = this.#columns;
    let isWhole = Number.isFinite(base[t]);
    if (!isWhole) addCount(this.#missing, reference, 1);
    for (let k = 0; k < values.length; k++) {
      const value = values[k]![t]!;
      this.#errors[k] = value - base[t]!;
      if (Number.isFinite(value)) continue;
      addCount(this.#missing, names[k]!, 1);
      isWhole = false;
    }
    return isWhole;
  }

  #addToken(): void {
    const count = this.#errors.length;
    this.tokens++;
    for (let a = 0; a < count; a++) {
      const error = this.#errors[a]!;
      this.#sums[a]! += error;
      for (let b = a; b < count; b++) this.#products[a * count + b]! += error * this.#errors[b]!;
    }
  }

  addTo(pairs: Pairs, key: number): void {
    const { names } = this.#columns;
    const square = (k: number): number => this.#products[k * (names.length + 1)]!;
    for (let a = 0; a < names.length; a++) {
      const ofFirst = pairs.get(names[a]!);
      for (let b = a + 1; b < names.length; b++) {
        const product = this.#products[a * names.length + b]!;
        const sums = [this.tokens, this.#sums[a]!, this.#sums[b]!, square(a), square(b), product];
        ofFirst.get(names[b]!).add(key, Float64Array.from(sums));
      }
    }
  }
}

function addTokens(counts: Map<string, number>, name: string, tokens: number): void {
  if (tokens > 0) addCount(counts, name, tokens);
}

function countOnes({ responseMask }: RecordBatch): number {
  let ones = 0;
  for (const bit of responseMask) if (bit !== 0) ones++;
  return ones;
}
