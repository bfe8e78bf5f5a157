import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { permutationsKernel } from "../kernels/wasm/permutations-kernel.ts";
import { createPermuter, type GroupedUnits, permutePlainly } from "./permutations.ts";
import { seededRandom } from "./random.ts";

/** Units in blocks of these sizes; without blocks where `sizes` is a number. */
function drawUnits(sizes: readonly number[] | number, groupCount: number, seed: number): GroupedUnits {
  const random = seededRandom(seed);
  const length = typeof sizes === "number" ? sizes : sizes.reduce((a, b) => a + b, 0);
  const units = {
    values: Float64Array.from({ length }, () => random() - 0.5),
    groups: Int32Array.from({ length }, () => Math.floor(random() * groupCount)),
    groupCount,
  };
  if (typeof sizes === "number") return units;
  const blocks = new Int32Array(sizes.length + 1);
  for (const [i, size] of sizes.entries()) blocks[i + 1] = blocks[i]! + size;
  return { ...units, blocks };
}

/** All sums of so many permutations, asked for `round` at a time. */
function listSums(units: GroupedUnits, seed: number, permutations: number, isPlain: boolean): number[] {
  const permuter = isPlain ? permutePlainly(units, seed) : createPermuter(units, seed);
  const sums: number[] = [];
  for (let done = 0; done < permutations; ) {
    const count = Math.min(permuter.round, permutations - done);
    sums.push(...permuter.next(count));
    done += count;
  }
  return sums;
}

function expectSame(units: GroupedUnits, seed: number, permutations: number): void {
  expect(listSums(units, seed, permutations, false)).toEqual(listSums(units, seed, permutations, true));
}

describe("permutations", () => {
  it("are the same bits in the kernel and in plain loops, in blocks of any sizes", () => {
    const sizes = fc.oneof(
      fc.array(fc.nat(12), { maxLength: 40 }),
      fc.array(fc.oneof(fc.nat(3), fc.integer({ min: 900, max: 1100 })), { maxLength: 6 }),
      fc.nat(50),
    );
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 9 }),
        fc.integer(),
        fc.nat(50),
        (of, groups, seed, many) => {
          expectSame(drawUnits(of, groups, seed), seed, many);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are the same bits at the limits of the kernel, and beyond them in plain loops", () => {
    const { chunk, mostGroups, round } = permutationsKernel()!;
    for (const units of [
      drawUnits(chunk, 3, 1),
      drawUnits([5, chunk, 7], mostGroups, 2),
      drawUnits(Array<number>(3000).fill(1), 3, 3),
      drawUnits(Array<number>(3000).fill(0), 3, 3),
    ]) {
      expect(createPermuter(units, 1).round).toBe(round);
      expectSame(units, 1, 2 * round + 1);
    }
    for (const units of [drawUnits([3, chunk + 1], 3, 1), drawUnits([9, 9], mostGroups + 1, 1)]) {
      expect(createPermuter(units, 1).round).toBe(1);
      expectSame(units, 1, 2);
    }
  });

  it("move values within their block only, and leave what they were given as it was", () => {
    const units = {
      values: Float64Array.of(1, 2, 10, 20, 40, 100),
      groups: Int32Array.of(0, 1, 2, 3, 4, 5),
      groupCount: 6,
      blocks: Int32Array.of(0, 2, 5, 6),
    };
    const seen = new Set<string>();
    const permuter = createPermuter(units, 3);
    for (let round = 0; round < 10; round++) {
      const sums = permuter.next(20);
      for (let at = 0; at < sums.length; at += 6) seen.add(sums.slice(at, at + 6).join(" "));
    }
    // 2! · 3! · 1! orders.
    expect(seen.size).toBe(12);
    for (const order of seen) {
      const values = order.split(" ").map(Number);
      expect(
        [values.slice(0, 2), values.slice(2, 5), values.slice(5)].map((of) => [...of].sort((a, b) => a - b)),
      ).toEqual([[1, 2], [10, 20, 40], [100]]);
    }
    expect([...units.values]).toEqual([1, 2, 10, 20, 40, 100]);
  });
});
