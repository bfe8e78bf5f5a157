import { describe, expect, it } from "vitest";
import { boundUnseen } from "../../core/statistics/mean-bound.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import { change, compareBatches, drawNormal, drawRows, pack } from "./compare.test-data.ts";
import { countNeeded, judgeCoverage } from "./judge.ts";

const WITHIN = 0.01;
const SAMPLES = 200;

/** Certificates of many drawn pairs: noise of one size within a prompt, which differs from prompt to prompt. */
function certify(
  prompts: number,
  drawLevel: (random: () => number) => number,
  seed: number,
  samples = SAMPLES,
): string[] {
  const random = seededRandom(seed);
  const rows = drawRows(2 * prompts, 12, seed);
  const a = pack(rows);
  return Array.from({ length: samples }, () => {
    const levels = Array.from({ length: prompts }, () => drawLevel(random));
    // The mean of |normal| is √(2/π).
    const size = Math.sqrt(Math.PI / 2);
    const b = change(rows, (value, row) => value + size * levels[row >> 1]! * drawNormal(random));
    return compareBatches([a], [pack(b)], { within: WITHIN }).certificate;
  });
}

const share = (found: readonly string[], certificate: string): number =>
  found.filter((one) => one === certificate).length / found.length;

/** 5 %, and what 200 samples may be off by (99.9 %). */
const MOST = 0.05 + 3.3 * Math.sqrt((0.05 * 0.95) / SAMPLES);

describe("false certificates", () => {
  it.each([
    ["the same noise in every prompt", 20, () => WITHIN],
    ["exponential from prompt to prompt", 20, (random: () => number) => -WITHIN * Math.log(1 - random())],
    [
      "log-normal from prompt to prompt",
      30,
      (random: () => number) => WITHIN * Math.exp(0.8 * drawNormal(random) - 0.32),
    ],
  ])(
    "where mean |Δ| is the tolerance itself, neither is granted more often than α: %s",
    (_, prompts, level) => {
      const found = certify(prompts, level, 12);
      expect(share(found, "equivalent")).toBeLessThan(MOST);
      expect(share(found, "different")).toBeLessThan(MOST);
      expect(share(found, "equal")).toBe(0);
    },
  );

  it("equal pairs are never different, and far ones never equivalent", () => {
    const random = seededRandom(2);
    for (let seed = 1; seed <= 25; seed++) {
      const rows = drawRows(2 + Math.floor(60 * random()), 1 + Math.floor(20 * random()), seed);
      expect(compareBatches([pack(rows)], [pack(rows)], { within: WITHIN }).certificate).toBe("equal");
    }
    expect(
      share(
        certify(20, () => 3 * WITHIN, 5, 40),
        "different",
      ),
    ).toBe(1);
    expect(
      share(
        certify(20, () => WITHIN / 12, 6, 40),
        "equivalent",
      ),
    ).toBe(1);
  });
});

describe("countNeeded", () => {
  const bounds = { mean: 0.008, low: 0.006, high: 0.012, clusters: 20 };

  it("is how many bring the bound to the tolerance, at the spread seen", () => {
    const count = (within: number) => countNeeded(bounds, { within, alpha: 0.05 });
    expect(count(0.007)).toBe(80);
    expect(count(0.008)).toBeUndefined();
    expect(countNeeded({ ...bounds, low: undefined, high: undefined }, { within: 0.01, alpha: 0.05 })).toBe(
      10,
    );
    // With this many, the bound lies below the tolerance with its reserve, and with one fewer it does not.
    const needed = count(0.01)!;
    const [enough, less] = [needed, needed - 1].map(
      (clusters) =>
        boundUnseen({ ...bounds, high: 0.008 + 0.004 * Math.sqrt(20 / clusters), clusters }, 0.05)!,
    );
    expect(enough).toBeLessThan(0.01);
    expect(less).toBeGreaterThanOrEqual(0.01);
  });
});

describe("judgeCoverage", () => {
  it("withholds what would be granted of a small part, and keeps a difference", () => {
    const equal = { certificate: "equal", basis: "bits" } as const;
    const different = { certificate: "different", basis: "interval" } as const;
    expect(judgeCoverage(equal, { a: 1, b: 0.49 })).toEqual({
      certificate: "undecidable",
      basis: "coverage",
    });
    expect(judgeCoverage(equal, { a: 0.5, b: 1 })).toEqual(equal);
    expect(judgeCoverage(different, { a: 0.1, b: 0.1 })).toEqual(different);
  });
});
