import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import {
  type Codec,
  FLAG,
  FLOAT,
  FLOATS,
  fieldsOf,
  listOf,
  mapOf,
  NAME,
  nullable,
  oneOf,
  optional,
  recordOf,
  SIGNED,
  TEXT,
  WHOLE,
} from "./codec.ts";
import { isLogratioError } from "./errors.ts";

interface Sample {
  readonly count: number;
  readonly shift?: number | undefined;
  readonly values: ArrayLike<number>;
  readonly names: readonly string[];
  readonly note: string | null;
  readonly kind: "a" | "b";
  readonly sums: ReadonlyMap<string, { readonly sum: number; readonly isKnown: boolean }>;
  readonly fields: Readonly<Record<string, string>>;
}

const SAMPLE = recordOf<Sample>({
  count: WHOLE,
  shift: optional(SIGNED),
  values: FLOATS,
  names: listOf(NAME),
  note: nullable(TEXT),
  kind: oneOf("a", "b"),
  sums: mapOf(recordOf<{ sum: number; isKnown: boolean }>({ sum: FLOAT, isKnown: FLAG })),
  fields: fieldsOf(NAME),
});

const SAMPLES: fc.Arbitrary<Sample> = fc.record(
  {
    count: fc.nat(),
    shift: fc.integer(),
    values: fc.array(fc.double()).map((values) => Float64Array.from(values)),
    names: fc.array(fc.constantFrom("x", "y", "ü", "")),
    note: fc.option(fc.string({ unit: "binary" })),
    kind: fc.constantFrom("a", "b"),
    sums: fc
      .array(fc.tuple(fc.string(), fc.record({ sum: fc.double(), isKnown: fc.boolean() })))
      .map((entries) => new Map(entries)),
    fields: fc
      .array(fc.tuple(fc.constantFrom("b", "a", "__proto__", "7"), fc.string()))
      .map((entries) => Object.fromEntries(entries)),
  },
  { requiredKeys: ["count", "values", "names", "note", "kind", "sums", "fields"] },
);

function encode<T>(of: Codec<T>, value: T): Uint8Array {
  const to = new ByteWriter();
  of.write(value, to);
  return to.finish();
}

function decode<T>(of: Codec<T>, bytes: Uint8Array): T {
  const from = new ByteReader(bytes, "sample.lrs");
  const value = of.read(from);
  from.end();
  return value;
}

describe("codecs", () => {
  it("read what they wrote: every field, in its order, the bits of every number, nothing where nothing was", () => {
    fc.assert(
      fc.property(SAMPLES, (sample) => {
        const read = decode(SAMPLE, encode(SAMPLE, sample));
        expect(read).toEqual(sample);
        expect(Array.from(read.values, (value) => Object.is(value, -0))).toEqual(
          Array.from(sample.values, (value) => Object.is(value, -0)),
        );
        expect([...read.sums.keys()]).toEqual([...sample.sums.keys()]);
        expect(Object.keys(read.fields)).toEqual(Object.keys(sample.fields));
        expect("shift" in read).toBe(sample.shift !== undefined);
      }),
    );
  });

  it("write a name once", () => {
    const names = (count: number): number => encode(listOf(NAME), Array(count).fill("a long name")).length;
    expect(names(50) - names(1)).toBe(49);
  });

  it("refuse bytes that are something else, as damaged files are refused", () => {
    const changed = fc.tuple(SAMPLES, fc.nat(), fc.nat(255), fc.boolean());
    fc.assert(
      fc.property(changed, ([sample, place, byte, isCut]) => {
        const bytes = encode(SAMPLE, sample);
        const at = place % bytes.length;
        const damaged = isCut ? bytes.slice(0, at) : bytes.with(at, byte);
        try {
          decode(SAMPLE, damaged);
        } catch (error) {
          expect(isLogratioError(error)).toBe(true);
        }
      }),
    );
  });
});
