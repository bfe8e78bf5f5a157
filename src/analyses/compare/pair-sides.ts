/**
 * Pairs the columns of two sides: B is held, A streams past it, and rows of A without an immediate match wait for the
 * end of A.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import type { PairedColumns } from "./column-sums.ts";
import { type Columns, describeRow, HeldMemory, type HeldRow, listColumns } from "./held-rows.ts";
import { haveSamePrompt, type MatchedBy, OpenRows, type PairedBy } from "./match-rows.ts";

/** Surest first; the surest of all is tried while A is being read. */
const LATER: readonly MatchedBy[] = ["tokens of other steps", "id", "place"];

export interface PairCounts {
  readonly by: Map<PairedBy, number>;
  pairs: number;
  parted: number;
  partedTokens: number;
  otherPrompts: number;
  maskDiffers: number;
  unchecked: number;
  /** Sequences and tokens with mask 1 on either side; how many of those tokens were compared. */
  readonly sequences: { a: number; b: number };
  readonly tokens: { a: number; b: number };
  compared: number;
}

/** A batch of A with the partner of each row and how many leading tokens the two share. */
interface Partners {
  readonly batch: RecordBatch;
  readonly columns: Columns;
  readonly rows: Map<number, { readonly partner: HeldRow; readonly shared: number }>;
}

export class SidePairs {
  readonly counts: PairCounts = {
    by: new Map(),
    pairs: 0,
    parted: 0,
    partedTokens: 0,
    otherPrompts: 0,
    maskDiffers: 0,
    unchecked: 0,
    sequences: { a: 0, b: 0 },
    tokens: { a: 0, b: 0 },
    compared: 0,
  };
  readonly #open = new OpenRows();
  readonly #memory = new HeldMemory();
  readonly #waiting: { readonly batch: RecordBatch; readonly columns: Columns; readonly rows: number[] }[] =
    [];
  readonly columns = { a: new Set<string>(), b: new Set<string>() };

  /** Holds a batch of B. @throws LimitError if everything held exceeds the memory limit */
  hold(batch: RecordBatch): void {
    const columns = listColumns(batch);
    for (const name of Object.keys(columns)) this.columns.b.add(name);
    this.#memory.hold(batch, columns);
    this.counts.sequences.b += batch.length;
    this.counts.tokens.b += countOnes(batch.responseMask);
    for (let row = 0; row < batch.length; row++) this.#open.add(describeRow(batch, columns, row));
  }

  /**
   * Pairs a batch of A with what is held. @throws LimitError if the rows waiting for a partner exceed the memory limit
   */
  add(batch: RecordBatch): Partners | undefined {
    const columns = listColumns(batch);
    for (const name of Object.keys(columns)) this.columns.a.add(name);
    this.counts.sequences.a += batch.length;
    this.counts.tokens.a += countOnes(batch.responseMask);
    const found: Partners = { batch, columns, rows: new Map() };
    const waiting: number[] = [];
    for (let row = 0; row < batch.length; row++) if (!this.#match(found, row, ["tokens"])) waiting.push(row);
    if (waiting.length > 0) {
      this.#memory.hold(batch, columns);
      this.#waiting.push({ batch, columns, rows: waiting });
    }
    return found.rows.size > 0 ? found : undefined;
  }

  /** Pairs the remaining rows of A by weaker evidence: each kind for all rows before the next kind. */
  finish(): Partners[] {
    const found = this.#waiting.map(({ batch, columns }): Partners => ({ batch, columns, rows: new Map() }));
    for (const by of LATER)
      for (const [at, { rows }] of this.#waiting.entries()) {
        const left = rows.filter((row) => !this.#match(found[at]!, row, [by]));
        rows.splice(0, rows.length, ...left);
      }
    return found.filter(({ rows }) => rows.size > 0);
  }

  #match(found: Partners, row: number, ways: readonly MatchedBy[]): boolean {
    const own = describeRow(found.batch, found.columns, row);
    for (const by of ways) {
      const partner = this.#open.take(by, own);
      if (partner === undefined) continue;
      const { counts } = this;
      counts.by.set(by, (counts.by.get(by) ?? 0) + 1);
      if (haveSamePrompt(own, partner) === false) {
        counts.otherPrompts++;
        return true;
      }
      const shared = this.#countShared(own, partner);
      if (shared === 0) return true;
      counts.pairs++;
      found.rows.set(row, { partner, shared });
      return true;
    }
    return false;
  }

  /** Tokens before the first that differs: only there did both sides see the same context. */
  #countShared(a: HeldRow, b: HeldRow): number {
    const [lengthA, lengthB] = [a.end - a.start, b.end - b.start];
    const longer = Math.max(lengthA, lengthB);
    if (a.ids === undefined || b.ids === undefined) {
      this.counts.unchecked++;
      return this.#part(lengthA === lengthB ? lengthA : 0, longer);
    }
    const most = Math.min(lengthA, lengthB);
    let shared = 0;
    while (shared < most && isSameToken(a.ids[a.start + shared]!, b.ids[b.start + shared]!)) shared++;
    return this.#part(shared, longer);
  }

  #part(shared: number, longer: number): number {
    if (shared < longer) {
      this.counts.parted++;
      this.counts.partedTokens += longer - shared;
    }
    return shared;
  }

  /** Lays out each pair of columns like A, with the tokens that both sides count. */
  lay({ batch, columns, rows }: Partners, pairs: readonly (readonly [string, string])[]): PairedColumns[] {
    const mask = new Uint8Array(batch.responseMask.length);
    for (const [row, { partner, shared }] of rows) this.#layMask(batch, row, partner, shared, mask);
    return pairs.map(([nameA, nameB]) => {
      const a = columns[nameA] ?? new Float32Array(mask.length).fill(Number.NaN);
      // NaN throughout, in double precision where any of the columns is.
      const isWide = [...rows.values()]
        .map(({ partner }) => partner.columns[nameB])
        .some((source) => source instanceof Float64Array);
      const b = (isWide ? new Float64Array(mask.length) : new Float32Array(mask.length)).fill(Number.NaN);
      for (const [row, { partner, shared }] of rows) {
        const values = partner.columns[nameB];
        if (values !== undefined)
          b.set(values.subarray(partner.start, partner.start + shared), batch.offsets[row]!);
      }
      return { batch, a, b, mask };
    });
  }

  #layMask(batch: RecordBatch, row: number, partner: HeldRow, shared: number, mask: Uint8Array): void {
    const start = batch.offsets[row]!;
    for (let t = 0; t < shared; t++) {
      const [inA, inB] = [batch.responseMask[start + t]!, partner.mask[partner.start + t]!];
      if (inA !== inB) this.counts.maskDiffers++;
      mask[start + t] = inA & inB;
      this.counts.compared += inA & inB;
    }
  }
}

/** An unknown id does not equal another unknown id. */
function isSameToken(a: number, b: number): boolean {
  return a === b && a >= 0;
}

export function countOnes(mask: Uint8Array): number {
  let count = 0;
  for (const bit of mask) if (bit !== 0) count++;
  return count;
}
