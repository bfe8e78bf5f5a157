import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../results/diagnosis.ts";
import { assessComparable } from "./comparable.ts";
import { fact, makeCause, makeDiagnosis } from "./diagnosis.test-data.ts";

const SHIFTS = {
  kind: "bars",
  title: "mean |Δ| by shift",
  x_label: "shift, entries",
  y_label: "mean |Δ|, nats",
  x: [-1, 0, 1, "?", 2],
  series: [{ name: "all", y: [0.14, 0.125, 0.0007, 0.5, null] }],
} as const;

const shifted = (shift: number, probability = 0.99): Diagnosis =>
  makeDiagnosis("fault", {
    causes: [
      makeCause("token_shift", probability, {
        evidence: [fact(1, "Another fact."), fact(9, "It fits.", { figures: { shift }, picture: SHIFTS })],
      }),
    ],
  });

describe("whether the columns can be compared", () => {
  it("is so where nothing was found, also where nothing was diagnosed", () => {
    const fine = { is_comparable: true, reason: null, by_shift: [], shift: null };
    expect(assessComparable(undefined, undefined)).toEqual(fine);
    expect(assessComparable(undefined, makeDiagnosis("healthy"))).toEqual(fine);
  });

  it("is not so where reading says that it is not, in its words", () => {
    expect(assessComparable("the columns hold probabilities", undefined)).toMatchObject({
      is_comparable: false,
      reason: "the columns hold probabilities",
      shift: null,
    });
  });

  it.each([
    [1, "The trainer's log-probs are 1 token late."],
    [-2, "The trainer's log-probs are 2 tokens early."],
  ])("says by how many entries a column is moved: %i", (shift, words) => {
    const { is_comparable, reason, by_shift, shift: found } = assessComparable(undefined, shifted(shift));
    expect([is_comparable, found]).toEqual([false, shift]);
    expect(reason).toBe(`${words} No figure means anything until they are moved back`);
    // Bars without a number have no place in the table.
    expect(by_shift).toEqual([
      { shift: -1, delta_abs_mean: 0.14 },
      { shift: 0, delta_abs_mean: 0.125 },
      { shift: 1, delta_abs_mean: 0.0007 },
    ]);
  });

  it("holds for one cause among others: from 80 % on it is no more in doubt", () => {
    expect(assessComparable(undefined, shifted(1, 0.799))).toMatchObject({
      is_comparable: true,
      reason: null,
    });
    expect(assessComparable(undefined, shifted(1, 0.8)).is_comparable).toBe(false);
    // Reading that saw it too makes it certain.
    expect(assessComparable("moved", shifted(1, 0.5)).reason).toMatch(
      /^The trainer's log-probs are 1 token late/,
    );
  });

  it.each(["rows_shuffled_batch", "rows_shuffled_group", "log_base", "probabilities_not_logs"])(
    "is not so with %s",
    (id) => {
      const found = assessComparable(undefined, makeDiagnosis("fault", { causes: [makeCause(id, 0.95)] }));
      expect(found).toMatchObject({ is_comparable: false, shift: null, by_shift: [] });
      expect(found.reason).toContain(`(95 %): what ${id} is`);
    },
  );

  it("is so with any other fault, and with the same cause where nothing is wrong", () => {
    const other = makeDiagnosis("fault", { causes: [makeCause("dropout_on", 0.99)] });
    expect(assessComparable(undefined, other).is_comparable).toBe(true);
    const second = makeDiagnosis("fault", {
      causes: [makeCause("dropout_on", 0.9), makeCause("log_base", 0.85)],
    });
    expect(assessComparable(undefined, second).is_comparable).toBe(true);
    const unsure = makeDiagnosis("cannot_tell", { causes: [makeCause("log_base", 0.9)] });
    expect(assessComparable(undefined, unsure).is_comparable).toBe(true);
  });
});
