import fc from "fast-check";
import { expect, it } from "vitest";
import { branchPoints, sharedStart } from "./shared-starts.ts";

const samples = fc
  .array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 }), { maxLength: 8 })
  .map((all) => all.map((ids) => Int32Array.from(ids)));

function countShared(a: Int32Array, b: Int32Array): number {
  const at = a.findIndex((id, place) => b[place] !== id);
  return at < 0 ? a.length : at;
}

it("finds what all begin with, and where each leaves all others, as comparing every two does", () => {
  fc.assert(
    fc.property(samples, (all) => {
      const pairs = all.map((own, at) =>
        all.filter((_, other) => other !== at).map((other) => countShared(own, other)),
      );
      expect(branchPoints(all)).toEqual(pairs.map((shared) => Math.max(0, ...shared)));
      expect(sharedStart(all)).toBe(all.length < 2 ? 0 : Math.min(...pairs[0]!));
    }),
  );
});
