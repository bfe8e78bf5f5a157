import { describe, expect, it } from "vitest";
import { logit } from "../features/stats.ts";
import { makeView } from "./view.test-data.ts";
import { LEFT_OUT } from "./view.ts";

const { own, masked, missing, claimed } = LEFT_OUT;

it("puts rows side by side", () => {
  const view = makeView([
    { rollout: [-1, -2], trainer: [-1.5, -1] },
    { rollout: [] },
    {
      rollout: [-3, Number.NaN, -1, -1],
      trainer: [-3, -1, -1, Number.NEGATIVE_INFINITY],
      mask: [1, 1, 0, 1],
    },
  ]);
  expect(view.tokens).toBe(6);
  expect([...view.starts]).toEqual([0, 2, 2, 6]);
  expect([...view.a]).toEqual([-1, -2, -3, Number.NaN, -1, -1]);
  expect([...view.c]).toEqual([-1.5, -1, -3, -1, -1, Number.NEGATIVE_INFINITY]);
  expect([...view.d]).toEqual([-0.5, 1, 0, Number.NaN, 0, Number.NEGATIVE_INFINITY]);
  expect([...view.rowAt]).toEqual([0, 0, 2, 2, 2, 2]);
  expect([...view.left]).toEqual([own, own, own, missing, masked, missing]);
  expect([0, 1, 2].map((r) => view.span(r))).toEqual([
    [0, 2],
    [2, 2],
    [2, 6],
  ]);
  expect([0, 1, 2, 5].map((i) => view.index(i))).toEqual([0, 1, 0, 3]);
  expect([0, 1, 2, 5].map((i) => view.row(i).row)).toEqual([0, 0, 2, 2]);
  expect([0, 3, 4].map((i) => view.isOwn(i))).toEqual([true, false, false]);
});

it("numbers the reasons for leaving a token out, 0 where it is in", () => {
  expect(LEFT_OUT).toEqual({ own: 0, masked: 1, missing: 2, claimed: 3 });
});

it("claims own tokens alone", () => {
  const view = makeView([{ rollout: [-1, Number.NaN, -1, -1], mask: [1, 1, 0, 1] }]);
  for (const i of [0, 1, 2]) view.claim(i);
  expect([...view.left]).toEqual([claimed, missing, masked, own]);
});

describe("turns", () => {
  const turns = (...masks: readonly (readonly number[])[]) => {
    const view = makeView(masks.map((mask) => ({ rollout: mask.map(() => -1), mask })));
    const all = Array.from({ length: view.tokens }, (_, i) => i);
    return { later: all.filter((i) => view.isLater(i)), starts: all.filter((i) => view.isTurnStart(i)) };
  };

  it("begin behind a gap of the mask", () => {
    expect(turns([1, 1, 0, 0, 1, 1, 0, 1])).toEqual({ later: [2, 3, 4, 5, 6, 7], starts: [4, 7] });
    expect(turns([1, 1, 1])).toEqual({ later: [], starts: [] });
  });

  it("do not begin behind zeros at the start, nor with zeros at the end", () => {
    expect(turns([0, 0, 1, 1])).toEqual({ later: [], starts: [] });
    expect(turns([0, 1, 0, 1])).toEqual({ later: [2, 3], starts: [3] });
    expect(turns([1, 1, 0])).toEqual({ later: [2], starts: [] });
    expect(turns([1, 0], [1, 1])).toEqual({ later: [1], starts: [] });
  });
});

describe("logits", () => {
  it("are of both sides, and computed once", () => {
    const view = makeView([{ rollout: [-1, -2], trainer: [-3, -0.5] }]);
    const { logits } = view;
    expect([...logits.rollout]).toEqual([logit(-1), logit(-2)]);
    expect([...logits.trainer]).toEqual([logit(-3), logit(-0.5)]);
    expect(view.logits).toBe(logits);
  });

  it("are computed anew after a column was changed", () => {
    const view = makeView([{ rollout: [-1, -2, -1], trainer: [-3, -0.5, -1] }]);
    expect(view.logits.trainer[0]).toBe(logit(-3));
    view.claim(2);
    view.c.set([-2, Number.NaN, Number.NaN]);
    view.refresh();
    expect(view.logits.trainer[0]).toBe(logit(-2));
    expect([...view.d]).toEqual([-1, Number.NaN, Number.NaN]);
    // What was claimed stays so.
    expect([...view.left]).toEqual([own, missing, claimed]);
  });
});

describe("taking the trainer's column later", () => {
  const shifted = (entries: number, isIn: (i: number) => boolean = () => true, mask?: readonly number[]) => {
    const view = makeView([
      { rollout: [-1, -1, -1, -1], trainer: [-1, -2, -3, -4], ...(mask && { mask }) },
      { rollout: [-1, -1], trainer: [-5, -6] },
    ]);
    view.shiftTrainer(entries, isIn);
    return {
      c: [...view.c],
      d: [...view.d],
      claimed: [...view.left.keys()].filter((i) => view.left[i] === claimed),
    };
  };

  it("moves every row's by itself, and claims tokens that are left without a value", () => {
    expect(shifted(1)).toEqual({
      ...{ c: [-2, -3, -4, -4, -6, -6], d: [-1, -2, -3, -3, -5, -5], claimed: [3, 5] },
    });
    expect(shifted(-1)).toMatchObject({ c: [-1, -1, -2, -3, -5, -5], claimed: [0, 4] });
    expect(shifted(-2)).toMatchObject({ c: [-1, -2, -1, -2, -5, -6], claimed: [0, 1, 4, 5] });
  });

  it("moves what is asked for alone", () => {
    expect(shifted(1, (i) => i < 2)).toMatchObject({ c: [-2, -3, -3, -4, -5, -6], claimed: [] });
  });

  it("takes no value of a token that is not the policy's own", () => {
    expect(shifted(1, () => true, [1, 1, 0, 1])).toMatchObject({
      c: [-2, -2, -4, -4, -6, -6],
      claimed: [1, 3, 5],
    });
  });
});
