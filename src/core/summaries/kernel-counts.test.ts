import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CountedCells, type CountedGroups, tokensKernel } from "../kernels/wasm/tokens-kernel.ts";
import { TAIL_THRESHOLDS, THRESHOLD_WORDS } from "./cell-counts.ts";
import { GroupSums } from "./group-sums.ts";
import { ValueSketch } from "./value-sketch.ts";

const kernel = tokensKernel()!;

/** The kernel's counts of some Δ, in wide cells and in fine ones. */
function countInKernel(deltas: Float32Array): Record<7 | 10, CountedCells> {
  for (const [i, words] of THRESHOLD_WORDS.entries()) kernel.thresholdsIn.set(words, 2 * i);
  kernel.clearSketches();
  kernel.deltaIn.set(deltas);
  kernel.addDeltas(0, deltas.length, 0);
  kernel.uniteDeltaPages();
  const wide = kernel.wideSketches[0]!;
  return { 7: wide, 10: { ...kernel.deltas, extremes: wide.extremes } };
}

/** Also at thresholds and right beside them, and what is in no sketch. */
const delta = fc.oneof(
  fc.float({ min: -30, max: 30, noNaN: true }),
  fc
    .tuple(fc.constantFrom(...TAIL_THRESHOLDS), fc.constantFrom(-1, -1.0002, 1, 1.0002))
    .map(([threshold, by]) => Math.fround(threshold * by)),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);
const some = (maxLength: number) => fc.array(delta, { maxLength }).map((values) => Float32Array.from(values));

describe("what a kernel has counted", () => {
  it.each([7, 10] as const)(
    "is the same in a sketch of %i bits as values added one by one, few or many",
    (bits) => {
      fc.assert(
        fc.property(some(300), some(300), (before, counted) => {
          const sketch = ValueSketch.of(before, bits);
          sketch.addCounted(countInKernel(counted)[bits]);
          const plain = ValueSketch.of(before, bits);
          for (const value of counted) plain.add(value);
          expect(sketch.toJSON()).toEqual(plain.toJSON());
        }),
      );
    },
  );

  it("notes nothing of the thresholds where what it is added to did not", () => {
    const { beyond, ...older } = ValueSketch.of(Float32Array.of(0.5)).toJSON();
    expect(beyond).toBeDefined();
    const sketch = ValueSketch.fromJSON(older);
    sketch.addCounted(countInKernel(Float32Array.of(1.0001))[10]);
    expect([sketch.count, sketch.toJSON().beyond]).toEqual([2, undefined]);
  });

  it("is, of groups, the same as their tokens", () => {
    const token = fc.record({
      group: fc.integer({ min: 2, max: 9 }),
      delta: fc.float({ min: -9, max: 9, noNaN: true }),
    });
    const batch = fc.array(token, { maxLength: 20 });
    fc.assert(
      fc.property(batch, batch, (before, tokens) => {
        const [plain, sums] = [new GroupSums(), new GroupSums()];
        for (const into of [plain, sums]) addTokens(into, before);
        addTokens(plain, tokens);
        const counted = countGroups(tokens);
        sums.addCounted(counted.groups.length, () => counted);
        expect([...sums.rows()]).toEqual([...plain.rows()]);
      }),
    );
  });
});

type Tokens = readonly { readonly group: number; readonly delta: number }[];

const k3 = (delta: number): number => Math.fround(Math.expm1(delta) - delta);

function addTokens(sums: GroupSums, tokens: Tokens): void {
  const deltas = Float32Array.from(tokens, (token) => token.delta);
  const groups = Int32Array.from(tokens, ({ group }) => group);
  sums.addMany(groups, deltas, Float32Array.from(deltas, k3), 0, tokens.length);
  sums.settle();
}

/** As the kernel gives them. */
function countGroups(tokens: Tokens): CountedGroups {
  const groups = Int32Array.from(new Set(tokens.map(({ group }) => group))).sort();
  const counted = new Float64Array(groups.length);
  const sums = new Float64Array(3 * groups.length);
  const largest = new Float32Array(groups.length);
  for (const { group, delta } of tokens) {
    const row = groups.indexOf(group);
    for (const [i, value] of [delta, Math.abs(delta), k3(delta)].entries()) sums[3 * row + i]! += value;
    counted[row]! += 1;
    largest[row] = Math.max(largest[row]!, Math.abs(delta));
  }
  return { groups, tokens: counted, sums, largest };
}
