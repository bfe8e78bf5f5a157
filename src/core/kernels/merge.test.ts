import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COUNT, DELTA_MAX, DELTA_MIN, FIELDS } from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { tokenSums } from "./scalar.ts";

const special = fc.constantFrom(0, -30, 0.5, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
const logprob = fc.oneof(
  { weight: 9, arbitrary: fc.double({ min: -5, max: 0, noNaN: true }).map((x) => Math.round(x * 1e6) / 1e6) },
  { weight: 1, arbitrary: special },
);
const tokens = fc.array(fc.tuple(logprob, logprob), { maxLength: 60 });

function computeSums(list: readonly (readonly [number, number])[]): Float64Array {
  const rollout = Float64Array.from(list, ([a]) => a);
  return tokenSums(
    rollout,
    Float64Array.from(list, ([, b]) => b),
    undefined,
    0,
    list.length,
  );
}

function merged(...parts: Float64Array[]): Float64Array {
  const into = emptySums();
  for (const part of parts) mergeSums(into, part);
  return into;
}

/** Relative to the field, or to the whole vector's ordinary scale for what may cancel to 0. */
function expectClose(actual: Float64Array, expected: Float64Array): void {
  for (let field = 0; field < FIELDS; field++) {
    const [a, e] = [actual[field]!, expected[field]!];
    if (Object.is(a, e) || a === e) continue;
    const allowed = 1e-10 * Math.abs(e) + 1e-11;
    if (!(Math.abs(a - e) <= allowed)) expect.fail(`field ${field}: ${a} instead of ${e}`);
  }
}

describe("mergeSums", () => {
  it("leaves either side as it is when the other is empty", () => {
    fc.assert(
      fc.property(tokens, (list) => {
        const sums = computeSums(list);
        expect(merged(sums)).toEqual(sums);
        expect(merged(sums, emptySums())).toEqual(sums);
        expect(merged(emptySums(), sums)).toEqual(sums);
      }),
    );
  });

  it("of two parts is the whole, either way round, wherever it is split", () => {
    fc.assert(
      fc.property(tokens, fc.nat(), (list, at) => {
        const cut = list.length === 0 ? 0 : at % (list.length + 1);
        const [a, b, whole] = [
          computeSums(list.slice(0, cut)),
          computeSums(list.slice(cut)),
          computeSums(list),
        ];
        expectClose(merged(a, b), whole);
        expectClose(merged(b, a), whole);
      }),
      { numRuns: 500 },
    );
  });

  it("is associative", () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (x, y, z) => {
        const [a, b, c] = [computeSums(x), computeSums(y), computeSums(z)];
        expectClose(merged(merged(a, b), c), merged(a, merged(b, c)));
      }),
      { numRuns: 300 },
    );
  });

  it("reads and writes at offsets", () => {
    const table = new Float64Array(3 * FIELDS);
    table.set(computeSums([[-1, -2]]), FIELDS);
    table.set(emptySums(), 2 * FIELDS);
    mergeSums(table, table, FIELDS, 2 * FIELDS);
    expect(table.slice(2 * FIELDS)).toEqual(table.slice(FIELDS, 2 * FIELDS));
    expect(table.slice(0, FIELDS)).toEqual(new Float64Array(FIELDS));
  });

  it("starts from sums that say nothing", () => {
    expect(emptySums()[COUNT]).toBe(0);
    expect(emptySums()[DELTA_MIN]).toBe(Number.POSITIVE_INFINITY);
    expect(emptySums()[DELTA_MAX]).toBe(Number.NEGATIVE_INFINITY);
  });
});
