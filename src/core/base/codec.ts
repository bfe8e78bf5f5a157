/**
 * Codecs that write values of a type as bytes and read them back, composed from codecs of their parts. Reading returns
 * a value of the type or throws FormatError, whatever the bytes.
 *
 * @module
 */
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

export interface Codec<T> {
  /** What is written, in words: equal texts are equal layouts, see `Layout` in `core/summaries`. */
  readonly text: string;
  write(value: T, to: ByteWriter): void;
  /** @throws FormatError when the bytes are not what `write` wrote */
  read(from: ByteReader): T;
}

export const WHOLE: Codec<number> = {
  text: "whole",
  write: (value, to) => to.whole(value),
  read: (from) => from.whole(),
};

/** A whole number of either sign. */
export const SIGNED: Codec<number> = {
  text: "signed",
  write: (value, to) => to.signed(value),
  read: (from) => from.signed(),
};

/** Any number that may well repeat, as steps and ranks do: it is compressed, and {@link FLOAT} is not. */
export const NUMBER: Codec<number> = {
  text: "number",
  write: (value, to) => to.float(value),
  read: (from) => from.float(),
};

/** Any number, bit by bit except for the payload of a NaN. */
export const FLOAT: Codec<number> = {
  text: "measured",
  write: (value, to) => to.plainFloat(value),
  read: (from) => from.plainFloat(),
};

export const FLAG: Codec<boolean> = {
  text: "flag",
  write: (value, to) => to.byte(value ? 1 : 0),
  read: (from) => from.below(2, "a flag") === 1,
};

/** A text that is written only once. */
export const NAME: Codec<string> = {
  text: "name",
  write: (value, to) => to.name(value),
  read: (from) => from.name(),
};

export const TEXT: Codec<string> = {
  text: "text",
  write: (value, to) => to.text(value),
  read: (from) => from.text(),
};

/** Numbers, read as float64. */
export const FLOATS: Codec<ArrayLike<number>> = {
  text: "measured list",
  write: (values, to) => to.measured(values),
  read: (from) => from.measured(),
};

/** Non-decreasing whole numbers, written as differences. */
export const ASCENDING: Codec<ArrayLike<number>> = {
  text: "ascending whole",
  write: (values, to) => to.ascending(values),
  read: (from) => from.ascending(),
};

/** One of a few texts. */
export function oneOf<T extends string>(...values: readonly T[]): Codec<T> {
  return {
    text: values.join(" or "),
    write: (value, to) => to.byte(values.indexOf(value)),
    read: (from) => values[from.below(values.length, "the number of a choice")]!,
  };
}

/** @param each takes a byte at least */
export function listOf<T>(each: Codec<T>): Codec<readonly T[]> {
  return {
    text: `list of ${each.text}`,
    write(values, to) {
      to.whole(values.length);
      for (const value of values) each.write(value, to);
    },
    read: (from) => Array.from({ length: from.count() }, () => each.read(from)),
  };
}

export function optional<T>(of: Codec<T>): Codec<T | undefined> {
  return orElse(of, undefined);
}

export function nullable<T>(of: Codec<T>): Codec<T | null> {
  return orElse(of, null);
}

function orElse<T, None extends null | undefined>(of: Codec<T>, none: None): Codec<T | None> {
  return {
    text: `${of.text} or none`,
    write(value, to) {
      to.byte(value === none ? 0 : 1);
      if (value !== none) of.write(value as T, to);
    },
    read: (from) => (FLAG.read(from) ? of.read(from) : none),
  };
}

/** Values by name, in insertion order. */
export function mapOf<T>(each: Codec<T>): Codec<ReadonlyMap<string, T>> {
  const entries = listOf(recordOf<{ name: string; value: T }>({ name: NAME, value: each }));
  return {
    text: entries.text,
    write: (values, to) =>
      entries.write(
        Array.from(values, ([name, value]) => ({ name, value })),
        to,
      ),
    read: (from) => new Map(entries.read(from).map(({ name, value }) => [name, value])),
  };
}

/** Like {@link mapOf}, for an object's own fields. */
export function fieldsOf<T>(each: Codec<T>): Codec<Readonly<Record<string, T>>> {
  const map = mapOf(each);
  return {
    text: map.text,
    write: (values, to) => map.write(new Map(Object.entries(values)), to),
    read: (from) => Object.fromEntries(map.read(from)),
  };
}

/** A codec of other values that are written as these are. */
export function writtenAs<T, W>(codec: Codec<W>, write: (value: T) => W, read: (written: W) => T): Codec<T> {
  return {
    text: codec.text,
    write: (value, to) => codec.write(write(value), to),
    read: (from) => read(codec.read(from)),
  };
}

/** An object with these fields, written in this order; undefined ones are absent after reading. */
export function recordOf<T extends object>(
  fields: {
    readonly [Name in keyof T]-?: Codec<T[Name]>;
  },
): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    text: `{${names.map((name) => `${name}: ${fields[name].text}`).join(", ")}}`,
    write(value, to) {
      for (const name of names) fields[name].write(value[name], to);
    },
    read(from) {
      const value: Partial<T> = {};
      for (const name of names) {
        const field = fields[name].read(from);
        if (field !== undefined) value[name] = field;
      }
      return value as T;
    },
  };
}
