/**
 * Attention to errors head by head, summed over the texts of a checkpoint: one number per head and policy, however many
 * texts there are. The sums do not depend on the order of the texts.
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../../../core/base/index.ts";
import { BinnedSums } from "../../../core/summaries/index.ts";
import type { ScoredText } from "../study.ts";

export interface HeadShares {
  readonly texts: number;
  readonly layers: number;
  /** Sums, `[layers, heads]`, of the checkpoint and of the reference. */
  readonly own: ArrayLike<number>;
  readonly reference: ArrayLike<number>;
}

/** Shares summed so far, to which more texts can be added. */
export class HeadSums implements HeadShares {
  readonly layers: number;
  /** Number of heads over all layers. */
  readonly size: number;
  texts = 0;
  /** The checkpoint's sums, then the reference's. */
  readonly #sums: BinnedSums;

  constructor(layers: number, size: number) {
    this.layers = layers;
    this.size = size;
    this.#sums = new BinnedSums(2 * size);
  }

  get own(): Float64Array {
    return Float64Array.from({ length: this.size }, (_, head) => this.#sums.value(head));
  }

  get reference(): Float64Array {
    return Float64Array.from({ length: this.size }, (_, head) => this.#sums.value(this.size + head));
  }

  add(own: ArrayLike<number>, reference: ArrayLike<number>): void {
    this.texts++;
    for (let head = 0; head < this.size; head++) {
      this.#sums.add(head, own[head]!);
      this.#sums.add(this.size + head, reference[head]!);
    }
  }

  /** Adds another model's sums; those with a different number of heads add nothing. */
  merge(other: HeadSums): void {
    if (other.layers !== this.layers || other.size !== this.size) return;
    this.texts += other.texts;
    for (let place = 0; place < 2 * this.size; place++) this.#sums.addPlace(place, other.#sums, place);
  }

  encode(to: ByteWriter): void {
    for (const value of [this.layers, this.size, this.texts]) to.whole(value);
    this.#sums.encode(to, this.#places());
  }

  /** @throws FormatError when the bytes are not what `encode` wrote */
  static decode(from: ByteReader): HeadSums {
    const [layers, size, texts] = [from.whole(), from.whole(), from.whole()];
    if (layers === 0 || size % layers !== 0) from.fail(`${size} heads are declared in ${layers} layers`);
    // Four sums fit into a byte, and each head has two.
    if (size > 2 * from.rest) from.fail(`${size} heads are declared, ${from.rest} bytes are left`);
    const sums = new HeadSums(layers, size);
    sums.texts = texts;
    sums.#sums.mergeFrom(from, sums.#places());
    return sums;
  }

  #places(): Uint32Array {
    return Uint32Array.from({ length: 2 * this.size }, (_, place) => place);
  }
}

/** Adds one text; without an error, or if its policies have a different number of heads, it adds nothing. */
export function addHeads(sums: HeadSums | undefined, { p, q }: ScoredText): HeadSums | undefined {
  const [own, reference] = [p.attentionHeads, q.attentionHeads];
  if (own === undefined || reference === undefined || own.layers === 0) return sums;
  const size = sums?.size ?? own.shares.length;
  const layers = sums?.layers ?? own.layers;
  if ([own, reference].some((one) => one.layers !== layers || one.shares.length !== size)) return sums;
  const into = sums ?? new HeadSums(layers, size);
  into.add(own.shares, reference.shares);
  return into;
}

export interface StrongestHead {
  /** Counted from 0. */
  readonly layer: number;
  readonly head: number;
  /** Share of its attention that goes to the error, mean over texts. */
  readonly share: number;
  readonly referenceShare: number;
}

/** The checkpoint's head that attends to errors most; of equal ones, the first. */
export function strongestHead({ texts, layers, own, reference }: HeadShares): StrongestHead {
  const place = Array.from(own).reduce((best, sum, head) => (sum > own[best]! ? head : best), 0);
  const heads = own.length / layers;
  return {
    layer: Math.floor(place / heads),
    head: place % heads,
    share: own[place]! / texts,
    referenceShare: reference[place]! / texts,
  };
}
