import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../kernels/layout.ts";
import { mismatchSums } from "../kernels/mismatch.ts";
import type { TokenBlock } from "../kernels/token-block.ts";
import { weightTailIndex } from "../statistics/generalized-pareto.ts";
import { RatioTails } from "./ratio-tails.ts";
import { travelInto } from "./travel.test-data.ts";

function makeBlock(deltas: readonly (readonly number[])[]): TokenBlock {
  const offsets = new Int32Array(deltas.length + 1);
  deltas.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + row.length;
  });
  const flat = deltas.flat();
  const rollout = Float32Array.from(flat, (_, i) => -1 - (i % 7) / 3);
  const trainer = Float32Array.from(flat, (delta, i) => rollout[i]! + delta);
  return { rollout, trainer, mask: Uint8Array.from(flat, (_, i) => (i % 11 === 10 ? 0 : 1)), offsets };
}

function collect(block: TokenBlock, kept?: number): RatioTails {
  const tails = new RatioTails(kept);
  const { rollout, trainer } = block;
  const { rows } = mismatchSums(block, { sink: (tokens) => tails.addTokens(tokens, rollout, trainer) });
  for (let at = 0; at < rows.length; at += FIELDS) tails.addSequence(rows, at);
  return tails;
}

/** In float64, from all tokens. */
function listDeltas({ rollout, trainer, mask }: TokenBlock): number[] {
  return [...rollout].flatMap((value, i) => (mask[i] === 1 ? [trainer[i]! - value] : []));
}

const deltas = fc.array(
  fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 40 }),
  { minLength: 1, maxLength: 20 },
);

describe("the tails of ratios", () => {
  it("hold exactly the largest Δ and −Δ of the tokens with mask 1, however few are kept", () => {
    fc.assert(
      fc.property(deltas, fc.constantFrom(1, 5, 1000), (rows, kept) => {
        const block = makeBlock(rows);
        const tails = collect(block, kept);
        const all = listDeltas(block).sort((a, b) => b - a);
        expect([...tails.ratio.list()]).toEqual(all.slice(0, kept));
        expect([...tails.inverse.list()]).toEqual(
          all
            .map((delta) => -delta)
            .reverse()
            .slice(0, kept),
        );
        expect([tails.ratio.count, tails.inverse.count]).toEqual([all.length, all.length]);
      }),
    );
  });

  it("are the same for any order of shards, also as bytes", () => {
    fc.assert(
      fc.property(deltas, fc.nat(20), (rows, cut) => {
        const whole = collect(makeBlock(rows)).indices();
        const [first, second] = [makeBlock(rows), makeBlock(rows)];
        const middle = first.offsets[Math.min(cut, rows.length)]!;
        first.mask.fill(0, middle);
        second.mask.fill(0, 0, middle);
        const merged = travelInto(collect(second), new RatioTails());
        merged.merge(collect(first));
        const { ratio, inverse, sequence } = merged.indices();
        expect([ratio, inverse]).toEqual([whole.ratio, whole.inverse]);
        if (!whole.sequence) return;
        expect(sequence).toBeCloseTo(whole.sequence, 12);
      }),
    );
  });

  it("give the index of all weights, of tokens and of sequences with a token", () => {
    const rows = Array.from({ length: 60 }, (_, i) => [0.1 * Math.sin(i * 12.9), 0.3 * Math.cos(i * 78.2)]);
    const block = makeBlock([...rows, []]);
    const { ratio, inverse, sequence } = collect(block).indices();
    const all = listDeltas(block).sort((a, b) => b - a);
    expect(ratio).toBe(weightTailIndex(all, all.length));
    expect(inverse).toBe(weightTailIndex(all.map((delta) => -delta).reverse(), all.length));
    const sums = rows
      .map((_, i) =>
        [2 * i, 2 * i + 1].reduce(
          (sum, t) => sum + block.mask[t]! * (block.trainer[t]! - block.rollout[t]!),
          0,
        ),
      )
      .sort((a, b) => b - a);
    expect(sequence).toBeCloseTo(weightTailIndex(sums, 60), 6);
  });

  it("are the same where only the tokens outside their window are handed over", () => {
    fc.assert(
      fc.property(deltas, deltas, fc.constantFrom(1, 5), (before, rows, kept) => {
        const [all, listed] = [collect(makeBlock(before), kept), collect(makeBlock(before), kept)];
        const { rollout, trainer, ...rest } = makeBlock(rows);
        mismatchSums(
          { rollout, trainer, ...rest },
          {
            sink: (tokens) => {
              all.addTokens(tokens, rollout, trainer);
              const { low, high } = listed.window;
              const outside = [...tokens.delta.subarray(0, tokens.count).entries()]
                .filter(([, delta]) => !(delta > low && delta < high))
                .map(([i]) => i);
              // Longer than what is meant of it, as a kernel's list is.
              const places = Int32Array.from([...outside, 0, 0]);
              listed.addListed(tokens, places, outside.length, rollout, trainer);
            },
          },
        );
        for (const side of ["ratio", "inverse"] as const) {
          expect(listed[side].list()).toEqual(all[side].list());
          expect(listed[side].count).toBe(all[side].count);
        }
      }),
    );
  });

  it("take every token until as many are kept as may be", () => {
    expect(new RatioTails(2).window).toEqual({
      low: Number.POSITIVE_INFINITY,
      high: Number.NEGATIVE_INFINITY,
    });
  });
});
