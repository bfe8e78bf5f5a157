/**
 * The tokens of a sample side by side, and which of them are still unexplained: a cause that explains tokens
 * (placeholders, tool tokens, padding) claims them, so that the rest is judged without them.
 *
 * @module
 */
import { logit } from "../features/stats.ts";
import type { SampledRow } from "./row.ts";

/** Why a token is left out of the figures of Δ; 0 if it is included. */
export const LEFT_OUT = { own: 0, masked: 1, missing: 2, claimed: 3 } as const;

/** log(p / (1 − p)) of every token, `[tokens]`; not finite if a log-prob is not below 0. */
export interface Logits {
  readonly rollout: Float64Array;
  readonly trainer: Float64Array;
}

export class View {
  readonly rows: readonly SampledRow[];
  /** Response tokens with any mask. */
  readonly tokens: number;
  /** `[rows + 1]`. */
  readonly starts: Int32Array;
  /** `[tokens]` each: rollout and trainer log-prob, Δ, the row, and one of {@link LEFT_OUT}. */
  readonly a: Float64Array;
  readonly c: Float64Array;
  readonly d: Float64Array;
  readonly rowAt: Int32Array;
  readonly left: Uint8Array;
  /** 1 after the first gap in a row's mask. */
  readonly #later: Uint8Array;
  /** 1 at the first token of a turn after a gap. */
  readonly #starts: Uint8Array;
  #logits: Logits | undefined;

  constructor(rows: readonly SampledRow[]) {
    this.rows = rows;
    this.starts = new Int32Array(rows.length + 1);
    for (let r = 0; r < rows.length; r++) this.starts[r + 1] = this.starts[r]! + rows[r]!.mask.length;
    const n = this.starts[rows.length]!;
    this.tokens = n;
    this.a = new Float64Array(n);
    this.c = new Float64Array(n);
    this.d = new Float64Array(n);
    this.rowAt = new Int32Array(n);
    this.left = new Uint8Array(n);
    this.#later = new Uint8Array(n);
    this.#starts = new Uint8Array(n);
    for (let r = 0; r < rows.length; r++) {
      this.#fill(r);
      this.#markTurns(r);
    }
  }

  #markTurns(r: number): void {
    const [from, to] = this.span(r);
    let [seen, gap] = [false, false];
    for (let i = from; i < to; i++) {
      const isMasked = this.left[i] === LEFT_OUT.masked;
      if (!isMasked && gap && this.left[i - 1] === LEFT_OUT.masked) this.#starts[i] = 1;
      if (!isMasked) seen = true;
      else if (seen) gap = true;
      if (gap) this.#later[i] = 1;
    }
  }

  /** Whether a token comes after the first gap in its row's mask. */
  isLater(i: number): boolean {
    return this.#later[i] === 1;
  }

  isTurnStart(i: number): boolean {
    return this.#starts[i] === 1;
  }

  /** Logits of both sides, computed on first use: half a dozen features read them. */
  get logits(): Logits {
    this.#logits ??= { rollout: this.a.map(logit), trainer: this.c.map(logit) };
    return this.#logits;
  }

  /** Computes Δ and missing values again after a column was changed. */
  refresh(): void {
    this.#logits = undefined;
    for (let i = 0; i < this.tokens; i++) {
      this.d[i] = this.c[i]! - this.a[i]!;
      if (this.left[i] === LEFT_OUT.own && !Number.isFinite(this.d[i]!)) this.left[i] = LEFT_OUT.missing;
    }
  }

  /** The same tokens with another Δ, which the trainer's column then has. */
  withDelta(delta: Float64Array): View {
    const other = new View(this.rows);
    other.left.set(this.left);
    other.a.set(this.a);
    for (let i = 0; i < this.tokens; i++) other.c[i] = this.a[i]! + delta[i]!;
    other.refresh();
    return other;
  }

  /** Shifts the trainer's column by this many entries where `isIn` holds; claims tokens left without a value. */
  shiftTrainer(entries: number, isIn: (i: number) => boolean): void {
    const moved = this.c.slice();
    // Claimed at the end: a token that loses its value still provides one for its neighbor.
    const without: number[] = [];
    for (let r = 0; r < this.rows.length; r++) {
      const [from, to] = this.span(r);
      for (let i = from; i < to; i++) {
        if (!isIn(i)) continue;
        const source = i + entries;
        if (source >= from && source < to && this.isOwn(source)) moved[i] = this.c[source]!;
        else without.push(i);
      }
    }
    for (const i of without) this.claim(i);
    this.c.set(moved);
    this.refresh();
  }

  #fill(r: number): void {
    const { mask, rollout, trainer } = this.rows[r]!;
    const start = this.starts[r]!;
    for (let t = 0; t < mask.length; t++) {
      const i = start + t;
      this.a[i] = rollout[t]!;
      this.c[i] = trainer[t]!;
      const delta = (this.c[i] as number) - (this.a[i] as number);
      this.d[i] = delta;
      this.rowAt[i] = r;
      this.left[i] =
        mask[t] === 0 ? LEFT_OUT.masked : Number.isFinite(delta) ? LEFT_OUT.own : LEFT_OUT.missing;
    }
  }

  /** Takes a token out of the figures because a cause explains it. */
  claim(i: number): void {
    if (this.left[i] === LEFT_OUT.own) this.left[i] = LEFT_OUT.claimed;
  }

  /** Tokens of row `r`: `[from, to)`. */
  span(r: number): readonly [from: number, to: number] {
    return [this.starts[r]!, this.starts[r + 1]!];
  }

  /** Index of token `i` within its row. */
  index(i: number): number {
    return i - this.starts[this.rowAt[i] as number]!;
  }

  row(i: number): SampledRow {
    return this.rows[this.rowAt[i] as number]!;
  }

  isOwn(i: number): boolean {
    return this.left[i] === LEFT_OUT.own;
  }
}
