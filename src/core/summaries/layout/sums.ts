import type { ByteReader } from "../../base/byte-reader.ts";
import type { ByteWriter } from "../../base/byte-writer.ts";
import type { Layout } from "./layout.ts";

interface Declaring<T> {
  readonly layout: Layout<T>;
}

/**
 * Sums whose class declares what they are made of, as `static readonly layout`. Merging in any order and tree gives the
 * same bits.
 */
export abstract class Sums {
  /** Overridden if it differs from one instance to another. */
  protected get layout(): Layout<this> {
    return (this.constructor as unknown as Declaring<this>).layout;
  }

  /** Adds sums of the same kind to these. @throws RangeError when they have other settings */
  merge(other: this): void {
    this.layout.merge(this, other);
  }

  /** Writes them for `mergeFrom`; equal sums give equal bytes. */
  encode(to: ByteWriter): void {
    this.layout.encode(this, to);
  }

  /**
   * Adds what `encode` wrote, as `merge` does.
   *
   * @throws FormatError when the bytes are not such sums; do not use these sums afterwards
   */
  mergeFrom(from: ByteReader): void {
    this.layout.mergeFrom(this, from);
  }
}

/** Sums with code of their own, which writes less, or takes less memory, than any declared layout would. */
interface OwnWay {
  merge(other: unknown): void;
  encode(to: ByteWriter): void;
  mergeFrom(from: ByteReader): void;
}

/** @param text must change with what is written: nothing else tells programs that it changed */
export function ownWay<T extends OwnWay>(text: string): Layout<T> {
  return {
    text,
    encode: (sums, to) => sums.encode(to),
    mergeFrom: (sums, from) => sums.mergeFrom(from),
    merge: (sums, other) => sums.merge(other),
  };
}
