/**
 * What mergeable sums are made of. A class declares it once; how its sums are written, read and added up follows from
 * that.
 *
 * @module
 */
import type { ByteReader } from "../../base/byte-reader.ts";
import type { ByteWriter } from "../../base/byte-writer.ts";
import { type Codec, WHOLE } from "../../base/codec.ts";
import { type BinnedSums, countPlaces } from "../binned-sums.ts";

/** How sums of a type are written, and added to others of the type. */
export interface Layout<T> {
  /** What is written, in words. A test asks for a new version of what is stored when it changes (`src/parts`). */
  readonly text: string;
  encode(sums: T, to: ByteWriter): void;
  /**
   * Adds what `encode` wrote.
   *
   * @throws FormatError when the bytes are not such sums; do not use `sums` afterwards
   */
  mergeFrom(sums: T, from: ByteReader): void;
  merge(sums: T, other: T): void;
}

/**
 * Several fields, in this order.
 *
 * @param changed called after an addition: cached results are no longer valid
 */
export function layoutOf<T>(
  fields: Readonly<Record<string, Layout<T>>>,
  changed: (sums: T) => void = () => {},
): Layout<T> {
  const all = Object.values(fields);
  return {
    text: `{${Object.entries(fields).map(([name, { text }]) => `${name}: ${text}`)}}`,
    encode(sums, to) {
      for (const field of all) field.encode(sums, to);
    },
    mergeFrom(sums, from) {
      for (const field of all) field.mergeFrom(sums, from);
      changed(sums);
    },
    merge(sums, other) {
      for (const field of all) field.merge(sums, other);
      changed(sums);
    },
  };
}

/** A field with a layout of its own. */
export function part<T, P>(layout: Layout<P>, get: (sums: T) => P): Layout<T> {
  return {
    text: layout.text,
    encode: (sums, to) => layout.encode(get(sums), to),
    mergeFrom: (sums, from) => layout.mergeFrom(get(sums), from),
    merge: (sums, other) => layout.merge(get(sums), get(other)),
  };
}

/** A field that all sums of a kind have or lack: nothing is written if it is absent. */
export function partOfSome<T, P>(layout: Layout<P>, get: (sums: T) => P | undefined): Layout<T> {
  return {
    text: `${layout.text} of some`,
    encode(sums, to) {
      const own = get(sums);
      if (own !== undefined) layout.encode(own, to);
    },
    mergeFrom(sums, from) {
      const own = get(sums);
      if (own !== undefined) layout.mergeFrom(own, from);
    },
    merge(sums, other) {
      const [own, theirs] = [get(sums), get(other)];
      if (own !== undefined && theirs !== undefined) layout.merge(own, theirs);
    },
  };
}

/** A field that is made when something is first added to it. */
export function optionalPart<T, P>(
  layout: Layout<P>,
  get: (sums: T) => P | undefined,
  open: (sums: T) => P,
): Layout<T> {
  return {
    text: `${layout.text} or none`,
    encode(sums, to) {
      const own = get(sums);
      to.whole(own === undefined ? 0 : 1);
      if (own !== undefined) layout.encode(own, to);
    },
    mergeFrom(sums, from) {
      if (from.below(2, "a flag") === 1) layout.mergeFrom(open(sums), from);
    },
    merge(sums, other) {
      const theirs = get(other);
      if (theirs !== undefined) layout.merge(open(sums), theirs);
    },
  };
}

/** A list of sums of the same length on both sides, which is not written. */
export function eachOf<P>(each: Layout<P>): Layout<readonly P[]> {
  return {
    text: `each ${each.text}`,
    encode(all, to) {
      for (const one of all) each.encode(one, to);
    },
    mergeFrom(all, from) {
      for (const one of all) each.mergeFrom(one, from);
    },
    merge(all, others) {
      for (const [i, one] of all.entries()) each.merge(one, others[i]!);
    },
  };
}

/**
 * Values that sums hold, to be added to other sums.
 *
 * @param list in the order in which they are written
 * @param held the same values in any order, to be added in memory, if sorting them takes long
 */
export function contents<T, V>(
  codec: Codec<V>,
  list: (sums: T) => V,
  add: (sums: T, values: V) => void,
  held = list,
): Layout<T> {
  return {
    text: codec.text,
    encode: (sums, to) => codec.write(list(sums), to),
    mergeFrom: (sums, from) => add(sums, codec.read(from)),
    merge: (sums, other) => add(sums, held(other)),
  };
}

type Numbers<Name extends string> = { -readonly [name in Name]: number };

/** Fields that are numbers, each joined with that of other sums. */
function numbers<Name extends string>(
  codec: Codec<number>,
  join: (own: number, other: number) => number,
  names: readonly Name[],
): Layout<Numbers<Name>> {
  return {
    text: `{${names.map((name) => `${name}: ${codec.text}`)}}`,
    encode(sums, to) {
      for (const name of names) codec.write(sums[name], to);
    },
    mergeFrom(sums, from) {
      for (const name of names) sums[name] = join(sums[name], codec.read(from)) as Numbers<Name>[Name];
    },
    merge(sums, other) {
      for (const name of names) sums[name] = join(sums[name], other[name]) as Numbers<Name>[Name];
    },
  };
}

const add = (own: number, other: number): number => own + other;

/** Whole numbers, whose sums are exact; or, with another codec, numbers that are added in the order of merging. */
export function counts<Name extends string>(
  names: readonly Name[],
  codec: Codec<number> = WHOLE,
): Layout<Numbers<Name>> {
  return numbers(codec, add, names);
}

/** Fields that keep the larger number. */
export function maxima<Name extends string>(
  names: readonly Name[],
  codec: Codec<number>,
): Layout<Numbers<Name>> {
  return numbers(codec, Math.max, names);
}

/** Whole numbers in an array, whose length is not written. */
export const COUNT_ARRAY: Layout<Float64Array> = {
  text: "array of whole",
  encode(sums, to) {
    for (const count of sums) to.whole(count);
  },
  mergeFrom(sums, from) {
    for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + from.whole();
  },
  merge(sums, other) {
    for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + other[i]!;
  },
};

/** Sums that do not depend on the order of adding. */
export function exactSums(places: number): Layout<BinnedSums> {
  const all = countPlaces(places);
  return {
    text: `${places} exact sums`,
    encode: (sums, to) => sums.encode(to, all),
    mergeFrom: (sums, from) => sums.mergeFrom(from, all),
    merge(sums, other) {
      for (const place of all) sums.addPlace(place, other, place);
    },
  };
}

/** A setting that sums must share to be added up; it is not summed. @param what the error's text if they differ */
export function setting<T, V>(codec: Codec<V>, get: (sums: T) => V, what: string): Layout<T> {
  return {
    text: codec.text,
    encode: (sums, to) => codec.write(get(sums), to),
    mergeFrom(sums, from) {
      if (codec.read(from) !== get(sums)) from.fail(what);
    },
    merge() {},
  };
}
