import { describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { compareBatches, drawNormal, drawRows, pack, type Row } from "./compare.test-data.ts";

/** A run of its own texts, whose two policies are as far apart as `size` says. */
function drawRun(seed: number, size: number, sequences = 60): Row[] {
  const random = seededRandom(seed);
  return drawRows(sequences, 20, seed).map((row) => ({
    ...row,
    trainerLogprobs: Float64Array.from(row.rolloutLogprobs!, (value) => value + size * drawNormal(random)),
    sampleId: undefined,
    groupId: `${seed} ${row.groupId}`,
  }));
}

describe("two runs of different texts", () => {
  const near = compareBatches([pack(drawRun(1, 0.002))], [pack(drawRun(2, 0.0021))]);

  it("are compared by how far their own two policies are apart", () => {
    expect([near.mode, near.certificate, near.basis]).toEqual(["unpaired", "equivalent", "interval"]);
    const [mean] = near.figures;
    expect(mean!.name).toBe("delta_abs_mean");
    expect(mean!.difference).toBeCloseTo(mean!.b! - mean!.a!, 15);
    expect(mean!.difference_low).toBeLessThan(mean!.difference!);
    expect(mean!.difference_high).toBeGreaterThan(mean!.difference!);
    expect(near.metrics).toMatchObject({ delta_abs_mean_a: mean!.a, clusters_a: 30, clusters_b: 30 });
    expect(near.sentence).toMatch(
      /^Mean \|Δ\| is 0\.001\d+ nats in A and 0\.001\d+ in B; their difference is .* with 95 % confidence on either side\. Up to 9\.5\d? % of prompts could be of a kind not seen; 50 times as far off, they would make it -0\.00\d+ to 0\.00\d+ nats: within 0\.01 nats\.$/,
    );
    expect(near.caveats).toEqual([
      "The texts differ, so runs are compared by their own mismatch; equality cannot be certified.",
    ]);
    // Quantiles have no interval here.
    const p99 = near.figures.find(({ name }) => name === "delta_abs_p99")!;
    expect([p99.a! > mean!.a!, p99.difference_low]).toEqual([true, null]);
  });

  it("differ where the difference is beyond the tolerance", () => {
    const far = compareBatches([pack(drawRun(1, 0.02))], [pack(drawRun(2, 0.2))]);
    expect([far.certificate, far.next?.command]).toEqual(["different", "logratio doctor B"]);
    expect(far.sentence).toContain(": beyond 0.01 nats.");
  });

  it("are undecidable with few prompts, or where the interval straddles the tolerance", () => {
    const few = compareBatches([pack(drawRun(1, 0.02))], [pack(drawRun(2, 0.02, 10))]);
    expect([few.certificate, few.basis]).toEqual(["undecidable", "too_few"]);
    expect(few.sentence).toContain("over 5 prompts or sequences in the smaller run");
    const wide = compareBatches([pack(drawRun(1, 0.02))], [pack(drawRun(2, 0.0325))]);
    expect([wide.certificate, wide.basis]).toEqual(["undecidable", "straddles"]);
    expect(wide.next!.why).toContain("--within sets a different tolerance");
    const unseen = compareBatches([pack(drawRun(1, 0.02))], [pack(drawRun(2, 0.021))]);
    expect([unseen.certificate, unseen.basis]).toEqual(["undecidable", "unseen"]);
    expect(unseen.sentence).toMatch(
      /could be of a kind not seen; 50 times as far off, .*: not within 0\.01 nats\.$/,
    );
  });

  it("are compared so on request, even where texts are the same", () => {
    const run = drawRun(1, 0.002);
    const report = compareBatches([pack(run)], [pack(run)], { unpaired: true });
    expect([report.mode, report.certificate]).toEqual(["unpaired", "equivalent"]);
    expect(report.figures[0]!.difference).toBe(0);
    const one = drawRows(4, 4);
    expect(() => compareBatches([pack(one)], [pack(one)], { unpaired: true })).toThrow(
      "A has rollout, B has rollout",
    );
  });

  it("has a false equivalence no more often than α at the tolerance", () => {
    let granted = 0;
    const samples = 100;
    const step = 0.01 * Math.sqrt(Math.PI / 2);
    for (let seed = 1; seed <= samples; seed++) {
      const [a, b] = [drawRun(seed, 0.02, 40), drawRun(seed + 5000, 0.02 + step, 40)];
      if (compareBatches([pack(a)], [pack(b)]).certificate === "equivalent") granted++;
    }
    expect(granted / samples).toBeLessThan(0.05 + 3.3 * Math.sqrt((0.05 * 0.95) / samples));
  });
});
