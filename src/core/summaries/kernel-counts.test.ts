import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CountedCells, type CountedGroups, tokensKernel, viewGroups } from "../kernels/index.ts";
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
        const { counted, groups } = countGroups(tokens, 2, 9);
        sums.addCounted(counted, groups, groups.length, 2);
        expect([...sums.rows()]).toEqual([...plain.rows()]);
      }),
    );
  });

  it("has no group where it lists none", () => {
    const sums = new GroupSums();
    sums.addCounted(countGroups([{ group: 3, delta: 1 }], 2, 9).counted, Int32Array.of(3), 0, 2);
    expect([...sums.rows()]).toEqual([]);
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

/** As the kernel lays them out; it lists every group of a range, also those without a token. */
function countGroups(
  tokens: Tokens,
  first: number,
  last: number,
): { counted: CountedGroups; groups: Int32Array } {
  const groups = Int32Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const counted = viewGroups(new Float64Array(4 * groups.length));
  for (const { group, delta } of tokens) {
    const place = group - first;
    for (const [i, value] of [delta, Math.abs(delta), k3(delta)].entries())
      counted.sums[4 * place + i]! += value;
    counted.tokens[8 * place]! += 1;
    counted.largest[8 * place] = Math.max(counted.largest[8 * place]!, Math.abs(delta));
  }
  return { counted, groups };
}
