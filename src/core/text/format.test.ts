import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatChance,
  formatCoefficient,
  formatColumn,
  formatCount,
  formatFigure,
  formatFixed,
  formatId,
  formatNearOne,
  formatNearWhole,
  formatNumber,
  formatPair,
  formatPlain,
  formatPlainShare,
  formatProbability,
  formatShare,
  formatSigned,
  plural,
} from "./format.ts";

describe("formatNumber", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [0.000124, "1.24e-4"],
    [0.001, "0.00100"],
    [0.00124, "0.00124"],
    [0.009996, "0.0100"],
    [0.01234, "0.0123"],
    [-0.5, "-0.500"],
    [9.996, "10.0"],
    [12.34, "12.3"],
    [999.6, "1,000"],
    [54994, "54,994"],
    [999_999, "1.00e6"],
    [1e6, "1.00e6"],
    [1234567, "1.23e6"],
    [5e-324, "4.94e-324"],
    [Number.NaN, "n/a"],
    [null, "n/a"],
    [undefined, "n/a"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    // As JSON of a result has them.
    ["Infinity" as unknown as number, "inf"],
    ["-Infinity" as unknown as number, "-inf"],
  ])("writes %s as %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it("reads back within its three digits", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), (value) => {
        const back = Number(formatNumber(value).replaceAll(",", ""));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(Math.abs(value) * 0.0051);
      }),
    );
  });
});

describe("other kinds", () => {
  it("writes signs, counts, identifiers and bytes", () => {
    expect([formatSigned(0.00124), formatSigned(-2), formatSigned(0), formatSigned(Number.NaN)]).toEqual([
      "+0.00124",
      "-2.00",
      "0",
      "n/a",
    ]);
    expect([formatCount(0), formatCount(999), formatCount(1234567890), formatCount(Number.NaN)]).toEqual([
      "0",
      "999",
      "1,234,567,890",
      "n/a",
    ]);
    expect([formatId(12345), formatId(null)]).toEqual(["12345", "n/a"]);
    expect([formatBytes(512), formatBytes(999_600), formatBytes(3.44e9), formatBytes(226_000)]).toEqual([
      "512 B",
      "1.0 MB",
      "3.4 GB",
      "226 kB",
    ]);
  });

  it("scales bytes by powers of 1000, up to the largest unit it has", () => {
    const texts = [0, 5, 99.9, 999, 999.5, 99_949, 99_950, 2e12, 3e15, 5e18, null].map(formatBytes);
    expect(texts).toEqual([
      "0 B",
      "5 B",
      "100 B",
      "999 B",
      "1.0 kB",
      "99.9 kB",
      "100 kB",
      "2.0 TB",
      "3.0 PB",
      "5000 PB",
      "n/a",
    ]);
  });

  it("writes other programs' values with fixed decimals", () => {
    const values = [1234.5678, -0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    expect(values.map((value) => formatFixed(value, 2))).toEqual(["1234.57", "-0.50", "nan", "inf", "-inf"]);
  });

  it("keeps what tells a correlation from 1", () => {
    const texts = [0.5, 0.9, 0.996489, 0.99993, 1, 1.0000071, 0.13, -0.2, 25, 0.0012].map(formatNearOne);
    expect(texts).toEqual([
      "0.500",
      "0.900",
      "0.9965",
      "0.999930",
      "1",
      "1.0000071",
      "0.130",
      "-0.200",
      "25.0",
      "0.00120",
    ]);
    expect([10, 0.01, 0.0099].map(formatNearOne)).toEqual(["10.0", "0.010", "0.00990"]);
    expect([1 - 1e-13, 1 - 5.6e-16, 1 + 2.2e-16].map(formatNearOne)).toEqual(["1-1.0e-13", "1", "1"]);
    expect(formatColumn([0.99, 1 - 2.2e-16], "near-one")).toEqual(["0.990", "1"]);
    expect(formatNearOne(1 + 4e-12)).toBe("1+4.0e-12");
    // 64 roundings of float64 are none; one more is something.
    const [near, far] = [64, 65].map((roundings) => 1 + roundings * Number.EPSILON);
    expect([near, far].map((value) => formatNearOne(value!))).toEqual(["1", "1+1.4e-14"]);
  });

  it("changes its style at the edge itself", () => {
    expect([1e6, -1e6, 999_999].map(formatPlain)).toEqual(["1,000,000", "-1,000,000", "999,999"]);
    expect([0.99, 0.990001].map(formatNearWhole)).toEqual(["99.0 %", "99.00 %"]);
  });

  it("keeps what tells a probability from 1, and small ones short", () => {
    const texts = [0.99967, 0.983, 0.5, 0.0334, 1, 0, 2.2e-5, Number.NaN, 1 - 1e-9].map(formatProbability);
    expect(texts).toEqual(["0.99967", "0.983", "0.500", "0.0334", "1", "0", "2.20e-5", "n/a", "1-1.0e-9"]);
  });

  it("writes shares as per cent, and the smallest as a bound", () => {
    const texts = [0, 1, 0.9996, 0.8953, 0.0123, 0.00012, 1e-6, 1e-9, Number.NaN].map(formatShare);
    expect(texts).toEqual([
      "0 %",
      "100 %",
      ">99.9 %",
      "89.5 %",
      "1.2 %",
      "0.012 %",
      "0.00010 %",
      "<0.00001 %",
      "n/a",
    ]);
  });

  it("writes round numbers without the zeros of precision", () => {
    expect([-12345, 1234567, 1.25, 0.3333].map(formatPlain)).toEqual([
      "-12,345",
      "1,230,000",
      "1.25",
      "0.333",
    ]);
    expect([10, 0.05, 0.001, 1e-4, 3e-4, 2000, 0].map(formatPlain)).toEqual([
      "10",
      "0.05",
      "0.001",
      "1e-4",
      "3e-4",
      "2,000",
      "0",
    ]);
  });

  it("dispatches by kind", () => {
    expect(
      (["number", "signed", "near-one", "share", "count", "id"] as const).map((kind) =>
        formatFigure(0.5, kind),
      ),
    ).toEqual(["0.500", "+0.500", "0.500", "50.0 %", "1", "0.5"]);
  });
});

describe("formatColumn", () => {
  const KINDS = ["number", "signed", "near-one", "share", "count", "id"] as const;

  it("writes a figure that stands alone as the figure is written", () => {
    const value = fc.oneof(
      fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
      fc.double({ min: -1e4, max: -1e-4, noNaN: true }),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(...KINDS), (each, kind) => {
        expect(formatColumn([each], kind)).toEqual([formatFigure(each, kind)]);
      }),
    );
  });

  it("writes what is missing, infinite or zero beside the others", () => {
    const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
    expect(formatColumn([inf, 0.5], "number")).toEqual(["inf", "0.500"]);
    expect(formatColumn([0, 0.5], "signed")).toEqual(["0", "+0.500"]);
    expect(formatColumn([0.9965, nan, 0.5], "near-one")).toEqual(["0.9965", "n/a", "0.5000"]);
    expect(formatColumn([0, nan], "share")).toEqual(["0 %", "n/a"]);
    expect(formatColumn([1, 0.5, 1.5], "share")).toEqual(["100.0 %", "50.0 %", "150.0 %"]);
  });

  it("leaves counts and identifiers whole", () => {
    expect(formatColumn([1234, 5], "count")).toEqual(["1,234", "5"]);
    expect(formatColumn([12345, 7], "id")).toEqual(["12345", "7"]);
  });

  it("turns to powers of ten where decimals would not show the smallest", () => {
    expect(formatColumn([1e6, 5], "number")).toEqual(["1.00e6", "5.00"]);
    expect(formatColumn([1, 1e-7], "number")).toEqual(["1.00", "1.00e-7"]);
    expect(formatColumn([0.5, 1e-7], "number")).toEqual(["5.00e-1", "1.00e-7"]);
  });

  it("uses one number of decimals where that shows the smallest", () => {
    expect(formatColumn([0.0172, 0.0012, 0.00447, Number.NaN, 0], "number")).toEqual([
      "0.0172",
      "0.0012",
      "0.0045",
      "n/a",
      "0",
    ]);
    expect(formatColumn([10.707, 0.217, 0.084], "number")).toEqual(["10.707", "0.217", "0.084"]);
    expect(formatColumn([12345.6, 999], "number")).toEqual(["12,346", "999"]);
    expect(formatColumn([0.00015, -0.01557], "signed")).toEqual(["+0.00015", "-0.01557"]);
  });

  it("turns to powers of ten where decimals would be too many", () => {
    expect(formatColumn([1.32e-2, 1.5e-5], "number")).toEqual(["1.32e-2", "1.50e-5"]);
    expect(formatColumn([10.7, 4.7e-5], "number")).toEqual(["10.7", "4.70e-5"]);
    expect(formatColumn([2e6, 3], "number")).toEqual(["2.00e6", "3.00"]);
  });

  it("gives shares and correlations common decimals", () => {
    expect(formatColumn([0.8168, 0.00007, 0.0228], "share")).toEqual(["81.68 %", "0.01 %", "2.28 %"]);
    expect(formatColumn([0.99913, 0.99851, 0.99962], "near-one")).toEqual(["0.99913", "0.99851", "0.99962"]);
  });

  it("writes a single figure as it is written alone, and nothing for none", () => {
    expect(formatColumn([0.00395], "number")).toEqual(["0.00395"]);
    expect(formatColumn([], "number")).toEqual([]);
    expect(formatColumn([null, undefined], "number")).toEqual(["n/a", "n/a"]);
  });

  it("has one text for each value, whatever the values", () => {
    const kinds = fc.constantFrom("number", "signed", "near-one", "share", "count", "id");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.double({ min: -1e300, max: 1e300 }), fc.constant(null)), { maxLength: 8 }),
        kinds,
        (values, kind) => {
          const texts = formatColumn(values, kind as "number");
          expect(texts).toHaveLength(values.length);
          for (const text of texts) expect(text).not.toMatch(/NaN|Infinity|undefined|^$/);
        },
      ),
    );
  });
});

describe("formatPair", () => {
  it("shows digits until two figures differ", () => {
    expect(formatPair(0.0142263, 0.0142261)).toEqual(["0.0142263", "0.0142261"]);
    expect(formatPair(0.5, 0.25)).toEqual(["0.500", "0.250"]);
    expect(formatPair(2, 2)).toEqual(["2.00", "2.00"]);
    expect(formatPair(0, 1e-12)).toEqual(["0", "1.00e-12"]);
    expect(formatPair(1.00000001, 1.00000002)).toEqual(["1.00000001", "1.00000002"]);
    expect(formatPair(Number.NaN, 1)).toEqual(["n/a", "1.00"]);
  });
});

describe("what sentences say", () => {
  it("writes shares that were chosen round without zeros", () => {
    expect([0.05, 0.001, 0.1, 1].map(formatPlainShare)).toEqual(["5 %", "0.1 %", "10 %", "100 %"]);
  });

  it("writes a chance in whole per cents, and never as certain", () => {
    expect([0.994, 0.991, 0.99, 0.985, 0.504, 0.01, 0.0096, 0, 1].map(formatChance)).toEqual([
      "over 99 %",
      "over 99 %",
      "99 %",
      "99 %",
      "50 %",
      "1 %",
      "under 1 %",
      "under 1 %",
      "over 99 %",
    ]);
  });

  it("writes nearly all with as many digits as what is missing needs", () => {
    expect([Number.NaN, 0.5, 0.99, 0.9987, 0.999987, 1].map(formatNearWhole)).toEqual([
      "n/a",
      "50.0 %",
      "99.0 %",
      "99.87 %",
      "99.9987 %",
      "100 %",
    ]);
  });

  it("gives coefficients two decimals", () => {
    expect([-0.083, 1, null].map(formatCoefficient)).toEqual(["-0.08", "1.00", "n/a"]);
  });

  it("counts nouns", () => {
    expect([plural(1, "token"), plural(0, "token"), plural(25257, "entry", "entries")]).toEqual([
      "1 token",
      "0 tokens",
      "25,257 entries",
    ]);
  });
});
