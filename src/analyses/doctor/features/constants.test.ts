import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { isRound, measureConstants } from "./constants.ts";

const measure = (...rows: readonly GivenRow[]) => measureConstants(makeView(rows));
/** Values that stand alone, each clearly elsewhere than on the other side. */
const alone = (k: number): number => -1.013 - k * 0.107;

it("describes a placeholder: where it stands, and what of the other side it replaces", () => {
  const found = measure(
    { rollout: [0, 0, 0, -0.7], trainer: [-0.3, -0.31, -0.6, -0.7] },
    { rollout: [0, 0, -0.2], trainer: [-0.02, -0.2, -0.2], mask: [1, 1, 0] },
    { rollout: [-0.7, -0.7, -1.2], trainer: [-0.9, -0.7, -0.03] },
  );
  // Elsewhere than 0 by more than 0.05: 0.3, 0.31, 0.6, 0.7, 0.2, 0.9 and 0.7; nearly sure: 0.02 and 0.03.
  expect(found).toEqual([
    {
      ...{ side: "rollout", value: 0, count: 5, far: [0, 1, 2, 5], share: 4 / 7, shareOfSure: 1 / 2 },
      ...{ isFloor: false, different: 3, rowsWhole: 1, rowsToEnd: 0 },
    },
  ]);
});

it("describes a floor of the trainer", () => {
  const found = measure({
    rollout: [-2, -4, -4.5, -6.1, -5, -3.01],
    trainer: [-2, -3, -3, -3, -3, -3],
  });
  expect(found).toEqual([
    {
      ...{ side: "trainer", value: -3, count: 5, far: [1, 2, 3, 4], share: 4 / 5, shareOfSure: 0 },
      ...{ isFloor: true, different: 4, rowsWhole: 0, rowsToEnd: 1 },
    },
  ]);
});

it("finds nothing without tokens, or where sides agree to 0.05 nats", () => {
  expect(measure()).toEqual([]);
  expect(measure({ rollout: [-1, -1, -1, -1], trainer: [-1.04, -0.96, -1, -1] })).toEqual([]);
  expect(measure({ rollout: [0, 0, 0, 0], trainer: [-1, -2, -3, -4], mask: [0, 0, 0, 0] })).toEqual([]);
});

describe("a value", () => {
  const values = (rollout: readonly number[], mask?: readonly number[]) =>
    measure({ rollout, trainer: rollout.map((_, k) => alone(k)), ...(mask && { mask }) })
      .filter(({ side }) => side === "rollout")
      .map(({ value, far }) => [value, far.length]);

  it("stands at three tokens that are far off, or is the lowest and round", () => {
    expect(values([0, 0, 0])).toEqual([[0, 3]]);
    expect(values([0, 0, -0.77])).toEqual([]);
    expect(values([0, 0, 0], [1, 1, 0])).toEqual([[0, 2]]);
    expect(values([-0.3, -0.4, -9.75])).toEqual([[-9.75, 1]]);
    expect(values([-0.25, -0.4, -9.8])).toEqual([]);
    expect(values([-9, -9, -9.8])).toEqual([]);
  });

  it("is one of the eight that stand at most tokens, those first", () => {
    const given = Array.from({ length: 9 }, (_, k) => new Array(k === 8 ? 4 : 3).fill(-20.3 - k)).flat();
    const found = values(given);
    expect(found.length).toBe(8);
    expect(found[0]).toEqual([-28.3, 4]);
    expect(found[7]).toEqual([-26.3, 3]);
  });

  it("is round where it is a multiple of a quarter", () => {
    expect([-3, -2.5, -100, 0, -0.75].map(isRound)).toEqual(new Array(5).fill(true));
    expect([-3.1, -0.125, -1.2].map(isRound)).toEqual([false, false, false]);
  });

  it("is told of both sides", () => {
    const found = measure({
      rollout: [0, 0, 0, alone(0), alone(1), alone(2)],
      trainer: [alone(3), alone(4), alone(5), -7, -7, -7],
    });
    expect(found.map(({ side, value }) => [side, value])).toEqual([
      ["rollout", 0],
      ["trainer", -7],
    ]);
  });
});

describe("a floor", () => {
  const isFloor = (value: number, others: readonly number[], rest: readonly number[] = []) =>
    measure({ rollout: [...others.map(() => value), ...rest], trainer: [...others, ...rest] }).find(
      (found) => found.side === "rollout" && found.value === value,
    )?.isFloor;

  it("is the lowest value of its side", () => {
    expect(isFloor(-3, [-4, -5, -6])).toBe(true);
    expect(isFloor(-3, [-4, -5, -6], [-3.1])).toBe(false);
    expect(isFloor(-3, [-4, -5, -6], [-2.9])).toBe(true);
  });

  it("has nine tenths of the other side at or below it", () => {
    const below = [-4, -5, -6, -7, -8, -9, -10, -11, -12];
    // Of eleven sorted values the tenth is the quantile of 90 %.
    expect(isFloor(-3, [...below, -3.01, -1])).toBe(true);
    expect(isFloor(-3, [...below, -2.96, -1])).toBe(true);
    expect(isFloor(-3, [...below, -2.94, -1])).toBe(false);
    expect(isFloor(-3, [-1, -2, -4])).toBe(false);
  });
});

describe("shares", () => {
  const found = (others: readonly number[], rest: readonly (readonly [number, number])[]) =>
    measure({
      rollout: [...others.map(() => -0.5), ...rest.map(([a]) => a)],
      trainer: [...others, ...rest.map(([, c]) => c)],
    }).find(({ value }) => value === -0.5);

  it("are of the tokens at which the other side is clearly elsewhere than the value", () => {
    expect(
      found(
        [-1, -2, -3, -0.5],
        [
          [-0.7, -0.52],
          [-0.1, -0.1],
        ],
      ),
    ).toMatchObject({ count: 4, share: 3 / 4 });
    expect(found([-1, -2, -3, -0.449], [])).toMatchObject({ count: 4, share: 1, far: [0, 1, 2, 3] });
    expect(found([-1, -2, -3, -0.451], [])).toMatchObject({ count: 4, share: 1, far: [0, 1, 2] });
  });

  it("of sure ones are of those from 0.95 to 0.9999", () => {
    const sure = (c: number) => found([-1, -2, -3, c], [[-0.04, -0.04]])?.shareOfSure;
    expect(sure(-0.049)).toBe(1 / 2);
    expect(sure(-0.051)).toBe(0);
    expect(sure(-1.1e-4)).toBe(1 / 2);
    expect(sure(-0.9e-4)).toBe(0);
    expect(sure(0)).toBe(0);
    expect(found([-1, -2, -3, -0.04], [])?.shareOfSure).toBe(1);
    expect(found([-1, -2, -3, -0.05], [])?.shareOfSure).toBe(0);
    expect(found([-1, -2, -3, -1e-4], [])?.shareOfSure).toBe(0);
  });
});

describe("rows", () => {
  const rows = (...given: GivenRow[]) => {
    const all = measure(
      { rollout: [0, 0, 0, -0.7], trainer: [-1, -2, -3, -0.7] },
      ...given.map((row) => ({ trainer: row.rollout.map(() => -0.7), ...row })),
    );
    const { rowsWhole, rowsToEnd } = all.find(({ value }) => value === 0)!;
    return { rowsWhole, rowsToEnd };
  };

  it("hold a value as a whole, or in three tokens or more up to their end", () => {
    expect(rows()).toEqual({ rowsWhole: 0, rowsToEnd: 0 });
    expect(rows({ rollout: [0, 0] })).toEqual({ rowsWhole: 1, rowsToEnd: 0 });
    expect(rows({ rollout: [0, 0, 0, 0] }, { rollout: [0] })).toEqual({ rowsWhole: 2, rowsToEnd: 0 });
    expect(rows({ rollout: [-0.7, 0, 0, 0] })).toEqual({ rowsWhole: 0, rowsToEnd: 1 });
    expect(rows({ rollout: [-0.7, 0, 0] })).toEqual({ rowsWhole: 0, rowsToEnd: 0 });
    expect(rows({ rollout: [0, -0.7, 0, 0, 0] })).toEqual({ rowsWhole: 0, rowsToEnd: 1 });
    expect(rows({ rollout: [0, 0, 0, -0.7] })).toEqual({ rowsWhole: 0, rowsToEnd: 0 });
  });

  it("are told by the policy's own tokens", () => {
    expect(rows({ rollout: [-0.7, 0, 0], mask: [0, 1, 1] })).toEqual({ rowsWhole: 1, rowsToEnd: 0 });
    expect(rows({ rollout: [0, 0, 0], mask: [0, 0, 0] })).toEqual({ rowsWhole: 0, rowsToEnd: 0 });
    expect(rows({ rollout: [-0.7, 0, 0, 0, -0.7], mask: [1, 1, 1, 1, 0] }).rowsToEnd).toBe(1);
  });
});
