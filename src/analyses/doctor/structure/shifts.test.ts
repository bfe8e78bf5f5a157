import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineShifts } from "./shifts.ts";

/** Neighbors differ by about a nat; no two rows are alike. */
const draw = (length: number, row = 0): number[] =>
  Array.from({ length }, (_, t) => -0.1 - ((row * 7 + t * 29) % 31) / 10);
/** What the trainer's column is where each of its values stands `by` entries further on. */
const move = (values: readonly number[], by: number): number[] =>
  values.map((_, t) => values[Math.min(values.length - 1, Math.max(0, t - by))]!);
const rows = (change: (values: number[]) => number[], count = 4, length = 30): GivenRow[] =>
  Array.from({ length: count }, (_, row) => {
    const values = draw(length, row);
    return { rollout: values, trainer: change(values) };
  });

describe("a column that is shifted", () => {
  it.each([-3, -2, -1, 1, 2, 3])("by %i is told, and put in place", (by) => {
    const view = makeView(rows((values) => move(values, by)));
    const clues = examineShifts(view);
    expect(clues).toMatchObject([{ cause: "token_shift", figures: { shift: by, at_best: 0, sequences: 4 } }]);
    const entries = Math.abs(by) === 1 ? "1 entry" : `${Math.abs(by)} entries`;
    expect(clues[0]!.sentence).toMatch(
      new RegExp(
        `^Shifted ${entries} ${by > 0 ? "later" : "earlier"}, the trainer column matches the rollout`,
      ),
    );
    expect(clues[0]!.sentence).toContain("fits 4 of 4 sequences");
    const own = [...view.left].flatMap((left, i) => (left === LEFT_OUT.own ? view.d[i]! : []));
    expect(own).toHaveLength(4 * (30 - Math.abs(by)));
    expect(Math.max(...own.map(Math.abs))).toBe(0);
    const { picture } = clues[0]!;
    expect(picture!.x).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    expect(picture!.series[0]!.y[by + 3]).toBe(0);
  });

  it("only after the first turn is told so, and only that is moved", () => {
    const mask = Array.from({ length: 60 }, (_, t) => Number(t < 20 || t > 24));
    const view = makeView(
      rows((values) => [...values.slice(0, 25), ...move(values.slice(25), 1)], 4, 60).map((row) => ({
        ...row,
        mask,
      })),
    );
    const [clue] = examineShifts(view);
    expect(clue!.sentence).toMatch(/^Shifted 1 entry later after the first turn, /);
    expect(view.left.slice(0, 20).every((left) => left === LEFT_OUT.own)).toBe(true);
    const own = [...view.left].flatMap((left, i) => (left === LEFT_OUT.own ? Math.abs(view.d[i]!) : []));
    expect(Math.max(...own)).toBe(0);
  });

  it("is not told of equal columns, of few tokens, of one row in two, or where another place fits a little better", () => {
    expect(examineShifts(makeView(rows((values) => values)))).toEqual([]);
    // A row of 26 tokens has 20 with three neighbors on each side.
    const one = (length: number) => examineShifts(makeView(rows((values) => move(values, 1), 1, length)));
    expect([one(25).length, one(26).length]).toEqual([0, 1]);
    const half = rows((values) => move(values, 1)).map((row, at) =>
      at % 2 === 0 ? row : { rollout: row.rollout },
    );
    expect(examineShifts(makeView(half))).toEqual([]);
    const noisy = rows((values) => move(values, 1).map((value, t) => value + ((t * 13) % 7) / 3 - 1));
    expect(examineShifts(makeView(noisy))).toEqual([]);
  });
});

it("turns of other tokens behind a first one that fits are told, and claimed", () => {
  const mask = Array.from({ length: 60 }, (_, t) => Number(t < 20 || t > 24));
  const other = rows(
    (values) => [...values.slice(0, 25), ...move(values.slice(25), 1).map((v, t) => v - (t % 2) * 0.9)],
    4,
    60,
  );
  const view = makeView(other.map((row) => ({ ...row, mask })));
  const [clue] = examineShifts(view);
  expect(clue).toMatchObject({ cause: "retokenized_turns", figures: { first_turn: 0, best_shift: 1 } });
  expect(clue!.sentence).toMatch(
    /^The columns match in the first turn \(mean \|Δ\| capped at 1: 0 nats\) but not after it/,
  );
  expect(view.left.slice(25, 60).every((left) => left === LEFT_OUT.claimed)).toBe(true);
  expect(view.left.slice(0, 20).every((left) => left === LEFT_OUT.own)).toBe(true);
});

describe("logits looked up one position late", () => {
  const late = (lost: number, sure = 20): GivenRow => ({
    rollout: [...Array.from({ length: sure }, () => -0.01), -0.06],
    trainer: [...Array.from({ length: sure }, (_, t) => (t < lost ? -5 : -0.01)), -0.06],
  });

  it("are told by what the rollout is sure of and the trainer is not", () => {
    const view = makeView([late(14)]);
    const [clue] = examineShifts(view);
    expect(clue).toMatchObject({ cause: "token_shift", weight: 9, figures: { share: 0.7, tokens: 20 } });
    expect(clue!.sentence).toMatch(
      /^Of the tokens that the rollout is sure of, 70\.0 % have a trainer log-prob below −3 nats/,
    );
    expect(clue!.figures.mean).toBeCloseTo((14 * -5 + 6 * -0.01) / 20, 9);
    expect([...view.left].every((left) => left === LEFT_OUT.claimed)).toBe(true);
    expect(examineShifts(makeView([late(13)]))).toEqual([]);
    expect(examineShifts(makeView([late(19, 19)]))).toEqual([]);
  });
});
