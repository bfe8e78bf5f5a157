import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELDS } from "./fields.ts";
import { parseFilter } from "./filter.ts";
import { madeTable } from "./made-table.test-data.ts";
import { matchingRows } from "./match-rows.ts";
import { quoted } from "./words.ts";

const table = madeTable([
  {
    step: 10,
    rank: 0,
    row: 41,
    reward: 1,
    correct: 1,
    turns: 3,
    delta_abs_mean: 0.7,
    group: "calc/solve/0001",
  },
  {
    step: 20,
    rank: 1,
    row: 41,
    reward: 0,
    correct: 0,
    turns: 2,
    delta_abs_mean: 0.2,
    group: "calc/gift/0002",
  },
  {
    step: 30,
    rank: 0,
    row: 5,
    reward: -1,
    turns: 3,
    delta_abs_mean: 0.9,
    sample: 'a "b" c',
    environment: "Math",
  },
]);

function rows(text: string): number[] {
  const filter = parseFilter(text);
  expect(filter.problems, text).toEqual([]);
  return [...matchingRows(table, filter.alternatives)];
}

function problem(text: string): string | undefined {
  return parseFilter(text).problems[0]?.message;
}

describe("a filter", () => {
  it("keeps the sequences at which every term holds", () => {
    expect(rows("")).toEqual([0, 1, 2]);
    expect(rows("mean_abs>0.5")).toEqual([0, 2]);
    expect(rows("mean_abs>0.5 turns>=3 correct:yes")).toEqual([0]);
    expect(rows("step:10..20")).toEqual([0, 1]);
    expect(rows("step:20.. reward<0")).toEqual([2]);
    expect(rows("step:10,30")).toEqual([0, 2]);
    expect(rows("step!=10")).toEqual([1, 2]);
    expect(rows("reward<-0.5")).toEqual([2]);
  });

  it("looks for parts of texts without regard to case, and for whole ones with =", () => {
    expect(rows("group:calc/solve/0001")).toEqual([0]);
    expect(rows("group:CALC")).toEqual([0, 1]);
    expect(rows("group=calc")).toEqual([]);
    expect(rows("env:math")).toEqual([2]);
    expect(rows("solve")).toEqual([0]);
    expect(rows(`sample:${quoted('"b" c')}`)).toEqual([2]);
  });

  it("reads the handles that the command line prints", () => {
    expect(rows("q41")).toEqual([0, 1]);
    expect(rows("s20.q41.t880")).toEqual([1]);
    expect(rows("s10.r0.q41")).toEqual([0]);
  });

  it("takes what is missing for neither right nor wrong", () => {
    expect(rows("correct:no")).toEqual([1]);
    expect(rows("correct:none")).toEqual([2]);
    expect(rows("correct:no,none")).toEqual([1, 2]);
    expect(rows("-correct:yes")).toEqual([1, 2]);
    expect(rows("group:none")).toEqual([2]);
  });

  it("says what it does not understand, where, and what was meant", () => {
    const { problems, terms } = parseFilter("abs>0.5 rewrd<0");
    expect(terms).toHaveLength(1);
    expect(problems[0]).toMatchObject({ from: 8, to: 13, instead: "abs>0.5 reward<0" });
    expect(problems[0]?.message).toContain('no field "rewrd"; the nearest is reward');
    expect(problem("nothinglikeit:3")).toBe('there is no field "nothinglikeit"');
    expect(problem("abs>")).toBe("abs> needs a value, as in abs>0.5");
    expect(problem("abs>much")).toBe('"much" is not a number, as in abs>0.5');
    expect(problem("step:30..10")).toBe("the range 30..10 is empty: 30 is above 10");
    expect(problem("step:..")).toBe('".." is not a range, as in 10..30');
    expect(problem("step>10..30")).toContain("a range needs step:");
    expect(problem("step:..")).toBe('".." is not a range, as in 10..30');
    expect(problem("step:a..30")).toBe('"a..30" is not a range, as in 10..30');
    expect(problem("correct:maybe")).toContain("takes yes, no or none");
    expect(problem("group>3")).toContain("group is text");
    expect(problem('sample:"a b')).toBe("this quote is never closed");
    expect(problem("abs>1,2")).toBe("> takes one number; a list needs :");
    expect(parseFilter("-is:space,nmber x").problems).toEqual([
      {
        from: 10,
        to: 15,
        message: 'there is no class "nmber"; the nearest is number',
        instead: "-is:space,number x",
      },
    ]);
    expect(problem("is:verb")).toBe(
      'there is no class "verb"; there are number, word, punctuation, space, special, other',
    );
    expect(problem("is>number")).toContain("is is text");
    expect(problem("rond:3")).toBe('there is no field "rond"; the nearest is turn');
  });

  it("has an example in its help that it understands, for every field", () => {
    for (const { name, example } of FIELDS) {
      const { terms, problems } = parseFilter(example);
      expect(problems).toEqual([]);
      expect(terms[0]?.field?.name).toBe(name);
    }
  });

  it("never fails, and places every word within the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { alternatives, terms, problems } = parseFilter(text);
        for (const { from, to } of [...terms, ...problems]) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(text.length);
          expect(from).toBeLessThan(to);
        }
        matchingRows(table, alternatives);
      }),
    );
  });

  it("finds any text again that was quoted", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const { alternatives, terms, problems } = parseFilter(`group=${quoted(text)}`);
        expect(problems).toEqual([]);
        expect(terms).toHaveLength(1);
        const own = madeTable([{ group: text }, {}, { group: `${text}!` }]);
        expect([...matchingRows(own, alternatives)]).toEqual([0]);
      }),
    );
  });

  it("agrees with a look at every row, and - turns it round", () => {
    const value = fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined });
    const end = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), end, end, (values, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const own = madeTable(values.map((reward) => ({ reward })));
        const meant = values.flatMap((v, i) => (v !== undefined && v >= low && v <= high ? [i] : []));
        const found = [...matchingRows(own, parseFilter(`reward:${low}..${high}`).alternatives)];
        const others = [...matchingRows(own, parseFilter(`-reward:${low}..${high}`).alternatives)];
        expect(found).toEqual(meant);
        expect([...found, ...others].sort((x, y) => x - y)).toEqual(values.map((_, i) => i));
      }),
    );
  });

  it("finds the rows of 100,000 that match three terms", () => {
    const many = madeTable(
      Array.from({ length: 100_000 }, (_, i) => ({ delta_abs_mean: (i % 100) / 100, step: i % 50 })),
    );
    const { alternatives } = parseFilter("mean_abs>0.5 step:10..30 -mean_abs>0.9");
    const meant = Array.from({ length: 100_000 }, (_, i) => i).filter((i) => {
      const [mean, step] = [(i % 100) / 100, i % 50];
      return mean > 0.5 && step >= 10 && step <= 30 && !(mean > 0.9);
    });
    expect(meant.length).toBeGreaterThan(0);
    expect([...matchingRows(many, alternatives)]).toEqual(meant);
  });
});
