import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";
import { FormatError } from "../base/errors.ts";
import type { LargeTokenDetails } from "./large-token-details.ts";
import { deltaOf, impactOf, type LargeToken, LargeTokens } from "./large-tokens.ts";

const [KEPT, DETAILED] = [6, 3];

/** Few sizes and contents, so that many tokens are off by the same and contents come back. */
const drawnToken = fc.record({
  delta: fc.constantFrom(-3, -1, 1, 1.5, 2),
  advantage: fc.constantFrom(Number.NaN, 0, 0, 1, -2),
  content: fc.integer({ min: 1, max: 5 }),
  step: fc.constantFrom(1, 2, Number.NaN),
});

function makeToken(
  { delta, advantage, content, step }: { delta: number; advantage: number; content: number; step: number },
  i: number,
): LargeToken {
  return {
    ...{ file: i % 2 === 0 ? "a.npz" : "b.npz", batch: i % 3, step, rank: Number.NaN, row: i, token: i },
    ...{ turn: 0, id: content, rollout: -4, trainer: -4 + delta, advantage, correct: 0 },
    ...{ prompt: 1, isPrompt: true, cluster: 1, siblings: 8, content },
  };
}

const describeToken = ({ row, content }: LargeToken): LargeTokenDetails => ({
  ...{
    before: [row, -1],
    after: [],
    promptIds: [7, content],
    promptLength: 2,
    promptText: row === 0 ? "?" : null,
  },
  texts: row % 2 === 0 ? ["before", "token", "after"] : null,
  rollout: row % 3 === 0 ? { ids: [1, 2], logprobs: [-0.1, -3] } : null,
  trainer: null,
});

function collect(tokens: readonly LargeToken[]): LargeTokens {
  const large = new LargeTokens(KEPT, DETAILED);
  for (const token of tokens) large.add(token, () => describeToken(token));
  return large;
}

function encode(large: LargeTokens): Uint8Array {
  const to = new ByteWriter();
  large.encode(to);
  return to.finish();
}

describe("the largest tokens", () => {
  it("of shards, merged in any order, are those of the whole bit for bit", () => {
    fc.assert(
      fc.property(
        fc.array(drawnToken, { maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.boolean()), { minLength: 60, maxLength: 60 }),
        (drawn, dealt) => {
          const tokens = drawn.map(makeToken);
          const whole = encode(collect(tokens));
          const order = tokens.map((_, i) => i).sort((a, b) => dealt[a]![0] - dealt[b]![0] || a - b);
          const shards = [0, 1, 2, 3].map((shard) =>
            collect(order.filter((i) => dealt[i]![1] === shard).map((i) => tokens[i]!)),
          );
          const merged = new LargeTokens(KEPT, DETAILED);
          for (const [i, shard] of shards.entries()) {
            if (dealt[i]![2]) merged.merge(shard);
            else merged.mergeFrom(new ByteReader(encode(shard), "shard"));
          }
          expect(encode(merged)).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are those with the largest |Δ|, and those with the largest impact", () => {
    fc.assert(
      fc.property(fc.array(drawnToken, { maxLength: 40 }), (drawn) => {
        const tokens = drawn.map(makeToken);
        const kept = new Set(collect(tokens).list());
        const sizes = [...kept].map((token) => Math.abs(deltaOf(token))).sort((a, b) => b - a);
        const all = tokens.map((token) => Math.abs(deltaOf(token))).sort((a, b) => b - a);
        expect(sizes.slice(0, KEPT)).toEqual(all.slice(0, KEPT));
        const impacts = (of: Iterable<LargeToken>): number[] =>
          [...of]
            .map(impactOf)
            .filter((impact) => impact > 0)
            .sort((a, b) => b - a)
            .slice(0, KEPT);
        expect(impacts(kept)).toEqual(impacts(tokens));
      }),
    );
  });

  it("has the surroundings of the largest token of each content", () => {
    const tokens = [
      { delta: 1, advantage: 1, content: 1, step: 1 },
      { delta: -3, advantage: 0, content: 1, step: 1 },
      { delta: 2, advantage: 0, content: 2, step: 1 },
    ].map(makeToken);
    const [byDelta, byImpact] = collect(tokens).detailed();
    expect(byDelta.map(({ token: { row }, details }) => [row, details.before[0]])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(byImpact.map(({ token: { row } }) => row)).toEqual([0]);
  });

  it("refuses bytes that end early", () => {
    const bytes = encode(collect([makeToken({ delta: 2, advantage: 1, content: 1, step: 1 }, 0)]));
    const cut = new ByteReader({ packed: bytes.subarray(0, 20), plain: new Uint8Array(0) }, "shard");
    expect(() => new LargeTokens().mergeFrom(cut)).toThrow(FormatError);
  });
});
