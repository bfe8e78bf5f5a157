import { describe, expect, it } from "vitest";
import { normalizedPath, numberList, plainNumber, plainValue } from "./config-entry.ts";
import { Moments } from "./moments.ts";
import { packPadded } from "./padded.ts";

describe("an unquoted value", () => {
  it.each<[text: string, value: unknown]>([
    ["12", 12],
    ["-1.5", -1.5],
    ["+.5", 0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["12.5E-2", 0.125],
    ["1e+2", 100],
    ["1_000", 1000],
    ["0.5_2", 0.52],
    [".inf", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["null", null],
    ["~", null],
    ["", null],
    ["True", true],
    ["FALSE", false],
    // Text that begins or ends as a number does.
    ["1x", "1x"],
    ["x1", "x1"],
    [".x", ".x"],
    ["1e", "1e"],
    ["1ex", "1ex"],
    ["1e--2", "1e--2"],
    [".", "."],
    ["0_1", "0_1"],
    ["_1", "_1"],
    ["nullable", "nullable"],
    ["untrue", "untrue"],
    ["infinite", "infinite"],
  ])("%j is read as %j", (text, value) => {
    expect(plainValue(text)).toEqual(value);
    expect(plainNumber(text)).toEqual(typeof value === "number" ? value : undefined);
  });
});

it("a key is the same with a flag's dashes and an override's signs", () => {
  expect(normalizedPath("--tis-clip-low")).toEqual(["tis_clip_low"]);
  expect(normalizedPath("++a.b-c")).toEqual(["a", "b_c"]);
  expect(normalizedPath("~a")).toEqual(["a"]);
});

it("a list is one of numbers where it has any and all are", () => {
  expect(numberList([1, 2])).toEqual([1, 2]);
  for (const items of [[], [1, "2"], [undefined], [null, 1]]) expect(numberList(items)).toBeUndefined();
});

describe("a padded batch", () => {
  const batch = { old_log_probs: [[-1, -2]], rollout_log_probs: [[-1, -3]] };

  it("without a side is refused, and the message names the side", () => {
    const { old_log_probs, rollout_log_probs } = batch;
    expect(() => packPadded({ old_log_probs } as never)).toThrow("rollout_log_probs is missing");
    expect(() => packPadded({ rollout_log_probs } as never)).toThrow("old_log_probs is missing");
  });

  it.each<[masks: object, mask: number[]]>([
    [{}, [1, 1]],
    [{ response_mask: [[0, 7]] }, [0, 1]],
    [{ attention_mask: [[1, 1, 0]] }, [1, 0]],
    [{ attention_mask: [[0, 0, 0]], response_mask: [[1, 0]] }, [1, 0]],
  ])("with %j has the mask %j", (masks, mask) => {
    expect([...packPadded({ ...batch, ...masks }).mask]).toEqual(mask);
  });

  it.each<[change: object, message: RegExp]>([
    [{ rollout_log_probs: [] }, /old_log_probs has 1 rows, rollout_log_probs 0/],
    [{ rollout_log_probs: [[-1]] }, /old_log_probs has 2 tokens, rollout_log_probs 1/],
    [{ response_mask: [[1, 1, 1]] }, /they have 2 tokens, the mask has 3/],
    [{ response_mask: [[1]] }, /they have 2 tokens, the mask has 1/],
    [{ attention_mask: [[1]] }, /they have 2 tokens, the mask has 1/],
  ])("with %j is refused", (change, message) => {
    expect(() => packPadded({ ...batch, ...change })).toThrow(message);
  });
});

describe("moments that are merged", () => {
  it("are those of all values, and do not change by none", () => {
    const [all, left, right, none] = [new Moments(), new Moments(), new Moments(), new Moments()];
    for (const value of [1, 2, 7]) left.add(value);
    for (const value of [-3, 4]) right.add(value, 2);
    for (const value of [1, 2, 7, -3, -3, 4, 4]) all.add(value);
    left.merge(none);
    left.merge(right);
    none.merge(new Moments());
    expect(left).toMatchObject({ count: 7, min: -3, max: 7 });
    expect(left.mean).toBeCloseTo(all.mean, 12);
    expect(left.variance(1)).toBeCloseTo(all.variance(1), 12);
    expect(none).toMatchObject({ count: 0, mean: 0, m2: 0, min: Infinity, max: -Infinity });
    expect(none.variance()).toBeNaN();
  });
});
