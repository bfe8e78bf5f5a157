import fc from "fast-check";
import { expect, it } from "vitest";
import { assembleSlices, findSlices, type SliceLayout } from "./context-parallel.ts";

const layouts = fc
  .record({
    prompt: fc.integer({ min: 1, max: 40 }),
    response: fc.integer({ min: 1, max: 40 }),
    cpSize: fc.integer({ min: 2, max: 5 }),
    padding: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  })
  .map(
    ({ prompt, response, cpSize, padding }): SliceLayout => ({
      total: prompt + response,
      response,
      cpSize,
      paddedTo: padding === undefined ? undefined : prompt + response + padding,
    }),
  );

const ranks = ({ cpSize }: SliceLayout): number[] => Array.from({ length: cpSize }, (_, rank) => rank);

it("each response token is in one rank's slices, and comes back to its place", () => {
  fc.assert(
    fc.property(layouts, (layout) => {
      const whole = Float64Array.from({ length: layout.response }, (_, t) => -t);
      const slices = ranks(layout).map((rank) =>
        Float64Array.from(
          findSlices(layout, rank).flatMap(([start, end]) => [...whole.subarray(start, end)]),
        ),
      );
      expect(slices.reduce((sum, slice) => sum + slice.length, 0)).toBe(layout.response);
      expect([...assembleSlices(slices, layout)!]).toEqual([...whole]);
    }),
  );
});

it("cuts 13 tokens for two ranks into chunks of four: rank 0 has the first and the last, rank 1 those between", () => {
  // get_logits_and_tokens_offset_with_cp(13, 9, cp_size=2): logits 3..11 of chunks 0-4, 4-8, 8-12, 12-16.
  const layout = { total: 13, response: 9, cpSize: 2 };
  expect(findSlices(layout, 0)).toEqual([
    [0, 1],
    [0, 0],
  ]);
  expect(findSlices(layout, 1)).toEqual([
    [1, 5],
    [5, 9],
  ]);
});

it("refuses slices of another length than the layout's", () => {
  const layout = { total: 13, response: 9, cpSize: 2 };
  expect(assembleSlices([new Float64Array(2), new Float64Array(8)], layout)).toBeUndefined();
  expect(assembleSlices([new Float64Array(1), new Float64Array(7)], layout)).toBeUndefined();
});
