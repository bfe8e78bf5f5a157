import fc from "fast-check";
import { expect, it } from "vitest";
import { DifferenceProfile } from "./profile.ts";

const token = fc.record({
  step: fc.constantFrom(1, 2, 10, Number.NaN),
  turn: fc.integer({ min: 0, max: 70 }),
  position: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1020, max: 2060 })),
  isUnequal: fc.boolean(),
  delta: fc.constantFrom(0, 0.5, -0.25, Number.NaN),
});
type Token = typeof token extends fc.Arbitrary<infer T> ? T : never;

/** The definition: a slice for each value, ascending, what is not known last. */
function listSlices(tokens: readonly Token[], by: "step" | "turn") {
  const values = [...new Set(tokens.map((one) => one[by]))].sort((a, b) =>
    Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b,
  );
  return values.map((value) => {
    const own = tokens.filter((one) => Object.is(one[by], value));
    const measured = own.filter(({ delta }) => !Number.isNaN(delta));
    return {
      value: Number.isNaN(value) ? null : value,
      tokens: own.length,
      unequal: own.filter(({ isUnequal }) => isUnequal).length,
      delta_abs_mean:
        measured.length === 0
          ? null
          : measured.reduce((sum, { delta }) => sum + Math.abs(delta), 0) / measured.length,
    };
  });
}

function listStarts(tokens: readonly Token[]) {
  return (["step", "turn", "position"] as const).flatMap((by) => {
    const unequal = tokens.filter((one) => one.isUnequal && !Number.isNaN(one[by])).map((one) => one[by]);
    if (unequal.length === 0) return [];
    const at = Math.min(...unequal);
    const before = tokens.filter((one) => one[by] < at).length;
    return before > 0 ? [{ by, at, equal_before: before }] : [];
  });
}

it("says where differences are and where they begin, as counting every token does", () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      const profile = new DifferenceProfile();
      for (const { step, turn, position, isUnequal, delta } of tokens)
        profile.add(step, turn, position, isUnequal, delta);
      expect(profile.listSteps()).toEqual(listSlices(tokens, "step"));
      expect(profile.listTurns()).toEqual(listSlices(tokens, "turn").filter(({ value }) => value! < 64));
      expect(profile.listStarts()).toEqual(listStarts(tokens));
    }),
  );
});
