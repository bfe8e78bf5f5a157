import fc from "fast-check";
import { expect, it } from "vitest";
import { PROBABILITY_EDGES } from "../../../../analyses/report/index.ts";
import { findBucket } from "./top-tokens.ts";

const edges = PROBABILITY_EDGES.slice(1, -1).map(Math.log);
const near = fc
  .tuple(fc.constantFrom(...edges), fc.integer({ min: -40, max: 40 }), fc.constantFrom(2 ** -52, 2 ** -25))
  .map(([edge, steps, width]) => edge * (1 + steps * width));
const logprob = fc.oneof(
  near,
  near.map(Math.fround),
  fc.double({ min: -30, max: 0, noNaN: true }),
  fc.constantFrom(0, -0, 1, -1e-300, Number.MAX_VALUE, -Number.MAX_VALUE),
);

it("finds the bucket that a log-prob is in, of single and of double precision", () => {
  fc.assert(
    fc.property(logprob, (value) => {
      expect(findBucket(value)).toBe(edges.filter((edge) => value >= edge).length);
    }),
    { numRuns: 2000 },
  );
});
