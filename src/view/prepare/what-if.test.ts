import fc from "fast-check";
import { expect, it } from "vitest";
import { binOf, WhatIfBuilder } from "./what-if.ts";

it("puts every Δ between its edges, and adds up", () => {
  const { edges } = new WhatIfBuilder().finish();
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noNaN: true }), fc.double({ min: -30, max: 30, noNaN: true })),
      (delta) => {
        const bin = binOf(delta);
        expect(delta >= (edges[bin] ?? Number.NEGATIVE_INFINITY)).toBe(true);
        expect(
          delta < (edges[bin + 1] ?? Number.POSITIVE_INFINITY) || delta === Number.POSITIVE_INFINITY,
        ).toBe(true);
      },
    ),
  );
  for (const edge of edges) if (edge !== null) expect(edges[binOf(edge)]).toBe(edge);
});

it("keeps sums that JSON can hold", () => {
  const sums = new WhatIfBuilder();
  sums.add(1, 400, Math.exp(400), Number.NaN);
  const [right] = sums.finish().groups;
  expect(right).toMatchObject({ name: "right" });
  expect(right!.rho_squares.at(-1)).toBe(Number.MAX_VALUE);
  expect(right!.abs_advantage.at(-1)).toBe(0);
});
