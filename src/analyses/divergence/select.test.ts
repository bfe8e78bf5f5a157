import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MismatchOptions, mismatchSums, type TokenBlock } from "../../core/kernels/mismatch.ts";
import { computeProbDiff } from "../../core/kernels/scalar.ts";
import { BoundedHeap } from "./bounded-heap.ts";
import { type Candidate, offerTokens, topTokens } from "./select.ts";

function select(block: TokenBlock, k: number, engine: MismatchOptions["engine"] = "wasm"): Candidate[] {
  const top = topTokens<Candidate>(k);
  const rows = block.offsets.length - 1;
  const table = mismatchSums(block, { turns: false, engine });
  offerTokens(block, table, [0, rows], top, (divergence, row, token) => ({
    divergence,
    sequence: row,
    token,
  }));
  return top.ranked();
}

/** The definition: all masked tokens with two probabilities, sorted. */
function sorted({ rollout, trainer, mask, offsets }: TokenBlock, k: number): Candidate[] {
  const all: Candidate[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
      const [a, b] = [rollout[i]!, trainer[i]!];
      if (mask[i] === 0 || Number.isNaN(a) || Number.isNaN(b)) continue;
      all.push({ divergence: Math.abs(computeProbDiff(a, b)), sequence: row, token: i - offsets[row]! });
    }
  }
  all.sort((a, b) => b.divergence - a.divergence || a.sequence - b.sequence || a.token - b.token);
  return all.slice(0, k);
}

const logprob = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: -12, max: 0, noNaN: true }) },
  // Few values, so that there are ties within rows and between them.
  { weight: 4, arbitrary: fc.constantFrom(0, -0.5, -1, -3) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NEGATIVE_INFINITY, Number.NaN, -60, 1e-7, 0.5) },
);
const token = fc.record({ rollout: logprob, trainer: logprob, mask: fc.constantFrom(0, 1, 1) });
const rows = fc.array(fc.array(token, { maxLength: 40 }), { minLength: 1, maxLength: 12 });

function makeBlock(
  sequences: readonly (readonly { rollout: number; trainer: number; mask: number }[])[],
): TokenBlock {
  const flat = sequences.flat();
  const offsets = new Int32Array(sequences.length + 1);
  sequences.forEach((sequence, i) => {
    offsets[i + 1] = offsets[i]! + sequence.length;
  });
  return {
    rollout: Float32Array.from(flat, ({ rollout }) => rollout),
    trainer: Float32Array.from(flat, ({ trainer }) => trainer),
    mask: Uint8Array.from(flat, ({ mask }) => mask),
    offsets,
  };
}

describe("offerTokens", () => {
  it("gives what sorting all tokens gives, ties and probabilities of 0 included", () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 25 }), (sequences, k) => {
        const block = makeBlock(sequences);
        expect(select(block, k)).toEqual(sorted(block, k));
        expect(select(block, k, "scalar")).toEqual(sorted(block, k));
      }),
    );
  });

  it("looks at float64 log-probs with all their digits", () => {
    const near = 1e-12;
    const block: TokenBlock = {
      rollout: Float64Array.of(-1, -1, -1),
      trainer: Float64Array.of(-2 + near, -2, -2 + 2 * near),
      mask: Uint8Array.of(1, 1, 1),
      offsets: Int32Array.of(0, 3),
    };
    expect(select(block, 2).map(({ token: at }) => at)).toEqual([1, 0]);
  });

  it("leaves out tokens whose probabilities overflow", () => {
    const block: TokenBlock = {
      rollout: Float32Array.of(900, -1),
      trainer: Float32Array.of(900, -2),
      mask: Uint8Array.of(1, 1),
      offsets: Int32Array.of(0, 2),
    };
    expect(select(block, 2).map(({ token: at }) => at)).toEqual([1]);
  });
});

describe("BoundedHeap", () => {
  it("keeps the best of any stream", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 0, max: 9 }), (values, capacity) => {
        const heap = new BoundedHeap<number>(capacity, (a, b) => a > b);
        for (const value of values) heap.offer(value);
        const best = values.sort((a, b) => b - a).slice(0, capacity);
        expect(heap.ranked()).toEqual(best);
        if (best.length > 0) expect(heap.worst).toBe(best.at(-1));
      }),
    );
  });
});
