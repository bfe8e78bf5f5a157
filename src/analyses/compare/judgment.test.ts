import { describe, expect, it } from "vitest";
import type { Certificate, CertificateBasis, RunFigure } from "../../results/compare.ts";
import { change, compareBatches, drawRows, pack } from "./compare.test-data.ts";
import { compareConcern, countNeeded, judgeColumn, judgeCoverage } from "./judge.ts";
import { judgeFigures } from "./unpaired.ts";

const WITHIN = 0.01;

describe("the certificate of one column", () => {
  interface Found {
    readonly unequal?: number;
    readonly oneSided?: number;
    readonly low?: number | undefined;
    readonly high?: number | undefined;
    readonly mean?: number;
    readonly clusters?: number;
    readonly within?: number;
  }

  it.each<[why: string, found: Found, certificate: Certificate, basis: CertificateBasis]>([
    ["no token differs", { unequal: 0, low: undefined, high: undefined }, "equal", "bits"],
    ["a log-prob is on one side only", { oneSided: 1, high: 0 }, "different", "missing"],
    ["equality was asked for", { within: 0, low: undefined, high: undefined }, "different", "bits"],
    ["prompts are too few", { low: undefined, high: undefined }, "undecidable", "too_few"],
    ["the upper bound is below it", { high: 0.0099 }, "undecidable", "unseen"],
    ["prompts not seen leave it below", { mean: 0.001, high: 0.003, clusters: 30 }, "equivalent", "interval"],
    ["they do not", { mean: 0.001, high: 0.003, clusters: 15 }, "undecidable", "unseen"],
    ["the upper bound is the tolerance", { high: WITHIN }, "undecidable", "straddles"],
    ["the lower bound is the tolerance", { low: WITHIN, high: 0.02 }, "undecidable", "straddles"],
    ["the lower bound is above it", { low: 0.0101, high: 0.02 }, "different", "interval"],
  ])("where %s", (_, found, certificate, basis) => {
    const { unequal = 5, oneSided = 0, within = WITHIN } = found;
    const counts = {
      tokens: 100,
      sequences: 20,
      unequal,
      unequalSequences: 1,
      signedZeros: 0,
      oneSided,
      missingBoth: 0,
    };
    const bounds = { mean: 0.008, low: 0.006, high: 0.012, clusters: 20, ...found };
    expect(judgeColumn(counts, bounds, { within, alpha: 0.05 })).toEqual({ certificate, basis });
  });

  it("is withheld where less than half of either side was compared, but not that they differ", () => {
    const equal = { certificate: "equal", basis: "bits" } as const;
    const withheld = { certificate: "undecidable", basis: "coverage" };
    expect(judgeCoverage(equal, { a: 0.5, b: 0.5 })).toEqual(equal);
    expect(judgeCoverage(equal, { a: 0.49, b: 1 })).toEqual(withheld);
    expect(judgeCoverage(equal, { a: 1, b: 0.49 })).toEqual(withheld);
    const different = { certificate: "different", basis: "interval" } as const;
    expect(judgeCoverage(different, { a: 0, b: 0 })).toEqual(different);
  });

  it("of several columns is that of the worst: different, undecidable, equivalent, equal", () => {
    const worst = ["different", "undecidable", "equivalent", "equal"] as const;
    const judgments = worst.map((certificate) => ({ certificate, basis: "bits" }) as const);
    expect([...judgments].reverse().sort(compareConcern)).toEqual(judgments);
  });
});

describe("how many prompts would decide", () => {
  it("is counted only where a certificate is open for want of them", () => {
    const rows = drawRows(24, 10);
    const needed = (edit: (value: number, row: number) => number) =>
      compareBatches([pack(rows)], [pack(change(rows, edit))], { within: WITHIN }).metrics.clusters_needed;
    expect(needed((value) => value)).toBeNull();
    expect(needed((value, row) => value - 0.001 * row)).toBeGreaterThan(0);
    expect(needed((value, row) => value - 0.05 - 0.001 * row)).toBeNull();
  });

  it("is unknown where the mean lies on the tolerance", () => {
    const bounds = { mean: 0.01, low: 0.006, high: 0.012, clusters: 20 };
    expect(countNeeded(bounds, { within: 0.01, alpha: 0.05 })).toBeUndefined();
    expect(countNeeded(bounds, { within: 0.008, alpha: 0.05 })).toBe(80);
  });
});

describe("the certificate of two runs of different texts", () => {
  it.each<[low: number | null, high: number | null, certificate: Certificate, basis: CertificateBasis]>([
    [-0.009, 0.009, "equivalent", "interval"],
    [-0.01, 0.009, "undecidable", "straddles"],
    [-0.009, 0.01, "undecidable", "straddles"],
    [0.01, 0.02, "undecidable", "straddles"],
    [0.011, 0.02, "different", "interval"],
    [-0.02, -0.011, "different", "interval"],
    [-0.02, -0.01, "undecidable", "straddles"],
    [null, 0.009, "undecidable", "too_few"],
    [-0.009, null, "undecidable", "too_few"],
  ])("whose difference lies from %d to %d is %s, by %s", (low, high, certificate, basis) => {
    const figure = { name: "delta_abs_mean", a: 0.02, b: 0.02, difference: 0 } as const;
    const figures: RunFigure[] = [{ ...figure, difference_low: low, difference_high: high }];
    const unseen = low === null || high === null ? undefined : { low, high };
    const test = { within: WITHIN, alpha: 0.05 };
    expect(judgeFigures(figures, unseen, test)).toEqual({ certificate, basis });
    const wider = unseen && { low: unseen.low - 1, high: unseen.high + 1 };
    expect(judgeFigures(figures, wider, test)).toEqual(
      certificate === "equivalent" ? { certificate: "undecidable", basis: "unseen" } : { certificate, basis },
    );
  });
});
