import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  combineMasks,
  explainMask,
  MASK_FIELDS,
  NARROWING_MASKS,
  nameMasks,
  withoutOtherMasks,
} from "./masks.ts";

describe("combineMasks", () => {
  it("counts a token where every mask that is there does", () => {
    const bits = fc.array(fc.constantFrom(0, 1), { minLength: 12, maxLength: 12 });
    const masks = fc.uniqueArray(fc.constantFrom(...MASK_FIELDS, "attention" as const), { minLength: 1 });
    fc.assert(
      fc.property(masks, fc.array(bits, { minLength: 7, maxLength: 7 }), (fields, columns) => {
        const arrays = Object.fromEntries(fields.map((field, i) => [field, Int32Array.from(columns[i]!)]));
        const { mask, firstCount } = combineMasks(arrays, 12)!;
        const expected = Array.from({ length: 12 }, (_, t) =>
          Number(fields.every((_, i) => columns[i]![t] === 1)),
        );
        expect([...mask]).toEqual(expected);
        const first = [...MASK_FIELDS, "attention" as const].find((field) => fields.includes(field))!;
        const ones = [...arrays[first]!].filter((value) => value === 1).length;
        expect(firstCount).toBe(fields.length > 1 ? ones : undefined);
      }),
    );
  });

  it("takes the last columns of masks that cover the prompt too", () => {
    const arrays = { mask: Int32Array.of(1, 1, 1), lossMask: Int32Array.of(1, 1, 0, 1, 1) };
    expect([...combineMasks(arrays, 3)!.mask]).toEqual([0, 1, 1]);
  });

  it("gives back a mask that is too short, so that it is named", () => {
    const short = Int32Array.of(1);
    expect(combineMasks({ mask: Int32Array.of(1, 1), toolMask: short }, 2)!.mask).toBe(short);
    const wide = Int32Array.of(0, 1, 1);
    expect(combineMasks({ mask: wide }, 2)!.mask).toBe(wide);
  });

  it("does not count a token about which a mask says nothing", () => {
    const arrays = { mask: Float64Array.of(1, 1), toolMask: Float64Array.of(Number.NaN, 1) };
    expect([...combineMasks(arrays, 2)!.mask]).toEqual([0, 1]);
  });
});

describe("what --explain says of masks", () => {
  const columns = (...names: [string, string][]): Map<never, { name: string; value: number }> =>
    new Map(names.map(([field, name]) => [field as never, { name, value: 0 }]));

  it("names all that are combined, or where one comes from", () => {
    const several = columns(
      ["toolMask", "tool_mask"],
      ["mask", "completion_mask"],
      ["attention", "attention_mask"],
    );
    expect(explainMask(several)).toBe("response mask: completion_mask AND tool_mask");
    expect(nameMasks(several)).toEqual(["completion_mask", "tool_mask", "attention_mask"]);
    expect(explainMask(columns(["mask", "response_mask"]))).toBeUndefined();
    expect(explainMask(columns(["actionMask", "action_mask"]))).toBe("response mask: action_mask");
    expect(explainMask(columns())).toContain("not present");
  });

  it("asks no other mask where the user names one", () => {
    const names = { mask: ["m"], lossMask: ["loss_mask"], ...NARROWING_MASKS, tokens: ["ids"] };
    expect(withoutOtherMasks(names)).toEqual({ mask: ["m"], tokens: ["ids"] });
  });
});
