import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { apart, at, closely } from "./closely.test-data.ts";
import { measureConsistency } from "./consistency.ts";

const measure = (...rows: readonly GivenRow[]) => measureConsistency(makeView(rows));
const row = (gaps: readonly number[], more: Partial<GivenRow> = {}): GivenRow => ({
  ...apart(gaps),
  ...more,
});
const ids = (...values: number[]) => Int32Array.from(values);

/** Intraclass correlation of groups of four, by the sums of squares between and within them. */
function correlate(groups: readonly (readonly number[])[]): number {
  const all = groups.flat();
  const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
  const squares = (values: readonly number[], center: number): number =>
    values.reduce((sum, v) => sum + (v - center) ** 2, 0);
  const between =
    groups.reduce((sum, group) => sum + group.length * (mean(group) - mean(all)) ** 2, 0) /
    (groups.length - 1);
  const within = groups.reduce((sum, g) => sum + squares(g, mean(g)), 0) / (all.length - groups.length);
  const size =
    (all.length - groups.reduce((sum, g) => sum + g.length ** 2, 0) / all.length) / (groups.length - 1);
  return (between - within) / (between + (size - 1) * within);
}

const NOTHING = { byToken: NaN, byPair: NaN, byPrompt: NaN, neighbors: NaN, sureness: NaN, turnStarts: NaN };

it("tells nothing of no tokens", () => {
  expect(measure()).toEqual(NOTHING);
  expect(measure(row([1, 2], { mask: [0, 0], ids: ids(1, 2) }))).toEqual(NOTHING);
});

describe("how much a token's id explains", () => {
  const groups = [
    [1, 1.2, 1.1, 1.3, 0.9],
    [-1, -0.5, -0.8, -0.9],
    [0.2, 0.1, 0.5, 0.4],
  ] as const;
  const tokens = groups.flatMap((gaps, id) => gaps.map((gap) => ({ id, gap })));
  const make = (given: readonly { id: number; gap: number }[], more: Partial<GivenRow> = {}) =>
    row(
      given.map(({ gap }) => gap),
      { ids: Int32Array.from(given, ({ id }) => id), ...more },
    );

  it("is an intraclass correlation of the signed gaps", () => {
    expect(measure(make(tokens)).byToken).toBeCloseTo(correlate(groups), 9);
    // A single token of an id says nothing about it.
    expect(measure(make([...tokens, { id: 9, gap: 2.5 }])).byToken).toBeCloseTo(correlate(groups), 9);
  });

  it("holds gaps to 3 either way", () => {
    const far = groups.map((gaps, k) => gaps.map((gap, t) => (t > 0 ? gap : k === 1 ? -3 : 3)));
    const beyond = tokens.map(({ id, gap }, t) => ({
      id,
      gap: [0, 5, 9].includes(t) ? (id === 1 ? -9 : 9) : gap,
    }));
    expect(measure(make(beyond)).byToken).toBeCloseTo(correlate(far), 9);
  });

  it("needs three ids with two tokens, and ten tokens more than ids", () => {
    expect(measure(make(tokens.filter(({ id }) => id < 2))).byToken).toBeNaN();
    expect(measure(make(tokens.slice(1))).byToken).toBeNaN();
    const many = tokens.map(({ id, gap }) => ({ id: Math.min(1, id), gap }));
    expect(measure(make([...many, ...many])).byToken).toBeNaN();
  });

  it("is 0 where nothing differs, and negative where ids differ less than their tokens", () => {
    expect(measure(make(tokens.map(({ id }) => ({ id, gap: 0 })))).byToken).toBe(0);
    const alike = [0, 1, 2].flatMap((id) => [1, -1, 0.5, -0.5, 0].map((gap) => ({ id, gap })));
    expect(measure(make(alike)).byToken).toBeCloseTo(-0.25, 9);
  });

  it("counts an id of another step apart", () => {
    const second = groups.map((gaps) => gaps.map((gap) => 0.3 - gap));
    const other = tokens.map(({ id, gap }) => ({ id, gap: 0.3 - gap }));
    const both = measure(make(tokens), make(other, { step: 2 }));
    expect(both.byToken).toBeCloseTo(correlate([...groups, ...second]), 9);
    const joined = groups.map((gaps, k) => [...gaps, ...second[k]!]);
    expect(measure(make(tokens), make(other)).byToken).toBeCloseTo(correlate(joined), 9);
  });

  it("counts hundreds of ids", () => {
    const many = Array.from({ length: 300 }, (_, id) =>
      [0, 1, 2].map((t) => Math.sin(id * 3.7) + Math.cos(id * 1.3 + t * 2.1) / 2),
    );
    const given = many.flatMap((gaps, id) => gaps.map((gap) => ({ id: id * 7, gap })));
    expect(measure(make(given)).byToken).toBeCloseTo(correlate(many), 9);
    // A step that comes again goes on where it was.
    const back = [0, 1, 2].map((part) => make(given.filter((_, t) => t % 3 === part)));
    const between = make([{ id: 1, gap: 0.5 }], { step: 2 });
    expect(measure(back[0]!, between, back[1]!, between, back[2]!).byToken).toBeCloseTo(
      correlate([...many, [0.5, 0.5]]),
      9,
    );
  });

  it("is not known without ids", () => {
    expect(measure(row(tokens.map(({ gap }) => gap))).byToken).toBeNaN();
  });
});

describe("how much an id and the one before it explain", () => {
  // Of each row three pairs: 5 at the start, 6 behind 5, 6 behind 6.
  const gaps = [
    [1, -0.5, 0.2],
    [1.1, -0.6, 0.1],
    [0.8, -0.3, 0.4],
    [0.9, -0.1, 0.5],
    [1.3, -0.2, 0.3],
  ] as const;
  const rows = gaps.map((own) => row(own, { ids: ids(5, 6, 6) }));
  const column = (k: number): number[] => gaps.map((own) => own[k]!);
  const expected = correlate([column(0), column(1), column(2)]);

  it("is that of pairs", () => {
    expect(measure(...rows).byPair).toBeCloseTo(expected, 9);
    expect(measure(...rows).byToken).toBeNaN();
  });

  it("counts each pair once per prompt", () => {
    const again = rows.map((each, group) => ({ ...each, ...apart([3, 3, 3]), group }));
    expect(measure(...rows, ...again).byPair).toBeCloseTo(expected, 9);
    const others = rows.map((each, k) => ({ ...each, group: 100 + k }));
    const twice = [0, 1, 2].map((k) => [...column(k), ...column(k)]);
    expect(measure(...rows, ...others).byPair).toBeCloseTo(correlate(twice), 9);
  });

  it("tells the first token of a row from one behind the id 0", () => {
    const starts = gaps.map((own) => row(own, { ids: ids(0, 0, 5) }));
    // 0 at the start and 0 behind 0 are two pairs.
    expect(measure(...starts).byPair).toBeCloseTo(expected, 9);
    const behind = gaps.map((own) => row([0.5, ...own], { ids: ids(9, 5, 6, 6), mask: [0, 1, 1, 1] }));
    expect(measure(...behind).byPair).toBeCloseTo(expected, 9);
  });
});

it("how much the prompt explains is that of the gaps of its rows", () => {
  const gaps = [
    [1, 1.2, 1.1, 1.3, 0.9],
    [-1, -0.5, -0.8, -0.9],
    [0.2, 0.1, 0.5, 0.4],
  ] as const;
  const rows = gaps.flatMap((own, group) => [row(own.slice(0, 2), { group }), row(own.slice(2), { group })]);
  expect(measure(...rows).byPrompt).toBeCloseTo(correlate(gaps), 9);
  expect(measure(...rows).byToken).toBeNaN();
});

describe("the size of gaps", () => {
  const logs = (values: readonly number[]): number[] => values.map((value) => Math.log(value + 1e-5));
  const pearson = (x: readonly number[], y: readonly number[]): number => {
    const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
    const cross = (p: readonly number[], q: readonly number[]): number =>
      p.reduce((sum, value, k) => sum + (value - mean(p)) * (q[k]! - mean(q)), 0);
    return cross(x, y) / Math.sqrt(cross(x, x) * cross(y, y));
  };

  it("goes with that of the token before it in the row", () => {
    const [first, second] = [
      [0.1, 0.4, 0.2, 1],
      [1, 0.2, 0.7],
    ] as const;
    const expected = pearson(logs([0.1, 0.4, 0.2, 1, 0.2]), logs([0.4, 0.2, 1, 0.2, 0.7]));
    expect(measure(row(first), row(second)).neighbors).toBeCloseTo(expected, 9);
    expect(measure(row(first.map((gap) => -gap)), row(second)).neighbors).toBeCloseTo(expected, 9);
    // A masked token, and one that is too sure, are nobody's neighbors.
    const apartBy = (mask: readonly number[], more: Partial<GivenRow> = {}) =>
      measure(row([0.1, 0.4, 0.2, 2, 1, 0.2, 0.7], { mask, ...more })).neighbors;
    const without = pearson(logs([0.1, 0.4, 1, 0.2]), logs([0.4, 0.2, 0.2, 0.7]));
    expect(apartBy([1, 1, 1, 0, 1, 1, 1])).toBeCloseTo(without, 9);
    const sure = apart([0.1, 0.4, 0.2, 2, 1, 0.2, 0.7]);
    sure.rollout[3] = -1e-5;
    sure.trainer[3] = -1.5e-5;
    expect(measure(sure).neighbors).toBeCloseTo(without, 9);
    sure.trainer[3] = 0;
    expect(measure(sure).neighbors).toBeCloseTo(without, 9);
    sure.rollout[3] = 0;
    sure.trainer[3] = -1;
    expect(measure(sure).neighbors).toBeCloseTo(without, 9);
  });

  it("keeps a token of which one side is as sure as can be said, or both nearly", () => {
    for (const [a, c, gap] of [
      [-2e-5, -1e-5, Math.LN2],
      [-1e-5, -2e-5, -Math.LN2],
      [-1, -1e-5, 3],
      [-1e-5, -1, -3],
    ] as const) {
      const given = apart([0.1, 0.4, 0]);
      given.rollout[2] = a;
      given.trainer[2] = c;
      const three = pearson(logs([0.1, 0.4, 0.2]), logs([0.4, Math.abs(gap), 0.9]));
      expect(measure(given, row([0.2, 0.9])).neighbors).toBeCloseTo(three, 4);
    }
  });

  it("goes with how sure the rollout is, either way", () => {
    const x = [-2, -1, 0.5, 1, 3];
    const gaps = [0.5, 0.1, 0.2, -0.4, 0];
    const found = measure({ rollout: x.map(at), trainer: x.map((value, k) => at(value + gaps[k]!)) });
    expect(found.sureness).toBeCloseTo(pearson(x.map(Math.abs), logs(gaps.map(Math.abs))), 6);
  });
});

describe("gaps at the start of later turns", () => {
  const mask = [1, 1, 0, 1, 1, 1, 1];
  const turn = (start: number): GivenRow => row([0.1, 0.1, 9, start, -start, start, 0.2], { mask });

  it("are those of their first three tokens over those of all others", () => {
    const found = measure(turn(1), turn(1), turn(1), turn(1));
    expect(found.turnStarts).toBeCloseTo(1 / (0.4 / 3 + 1e-5), 9);
  });

  it("need ten tokens", () => {
    expect(measure(turn(1), turn(1), turn(1)).turnStarts).toBeNaN();
    const ten = row([0.1, 9, 1], { mask: [1, 0, 1] });
    expect(measure(turn(1), turn(1), turn(1), ten).turnStarts).toBeCloseTo(1 / (1.3 / 10 + 1e-5), 9);
    expect(measure(row(new Array(20).fill(1))).turnStarts).toBeNaN();
  });

  it("count tokens of the turn that are too sure", () => {
    const given = turn(1);
    const sure = { ...given, rollout: [...given.rollout], trainer: [...given.trainer!] };
    sure.rollout[3] = 0;
    // Two starts in each row are left; the third token behind is another.
    const found = measure(sure, sure, sure, sure, sure);
    expect(found.turnStarts).toBeCloseTo(1 / (0.4 / 3 + 1e-5), 9);
  });
});

it("gives all figures of one view", () => {
  const found = measure(row([0.1, 0.4, 0.2, 0.8], { ids: ids(1, 2, 3, 4) }));
  expect(found).toEqual(closely({ ...NOTHING, neighbors: expect.any(Number), sureness: NaN }));
});
