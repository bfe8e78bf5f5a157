import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineCopies } from "./copies.ts";

const draw = (length: number, row = 0): number[] =>
  Array.from({ length }, (_, t) => -0.4 - ((row * 17 + t * 29) % 31) / 10);
const examine = (rows: readonly GivenRow[]) => {
  const view = makeView(rows);
  const clues = examineCopies(view);
  return { clues, claimed: [...view.left].filter((left) => left === LEFT_OUT.claimed).length };
};

describe("columns that are the same numbers", () => {
  const own = draw(10);
  const withTool = (rollout: readonly number[], trainer: readonly number[]): GivenRow => ({
    rollout: [...own, ...rollout, -0.5],
    trainer: [...own, ...trainer, -0.5],
    mask: [...own.map(() => 1), ...rollout.map(() => 0), 1],
  });
  const five = (value: number): number[] => new Array<number>(5).fill(value);

  it("may be a bitwise consistent engine's: neither is excluded", () => {
    const { clues } = examine([{ rollout: own }]);
    expect(clues).toMatchObject([{ cause: "copied_column", weight: -0.7 }]);
    expect(clues[0]!.sentence).toBe(
      "Rollout and trainer log-probs are identical at all 10 tokens: a bitwise consistent engine and a copied column look the same.",
    );
    expect(examine([{ rollout: own, trainer: [...own.slice(1), -9] }]).clues).toEqual([]);
  });

  it("at tool output too are a copy", () => {
    const { clues } = examine([withTool(five(-4), five(-4))]);
    expect(clues).toMatchObject([
      { weight: 11, figures: { tokens: 11, tool_tokens: 5, tool_tokens_equal: 5 } },
    ]);
    expect(clues[0]!.sentence).toMatch(
      /^Rollout and .* at all 11 tokens, and also at 5 tokens of tool output,/,
    );
    expect(examine([withTool(five(-4).slice(1), five(-4).slice(1))]).clues[0]!.weight).toBe(-0.7);
  });

  it("but not at tool output are an engine's", () => {
    const { clues } = examine([withTool([-4, ...five(0).slice(1)], five(-4))]);
    expect(clues).toMatchObject([{ weight: -2, figures: { tool_tokens: 5, tool_tokens_equal: 1 } }]);
    expect(clues[0]!.sentence).toContain(
      ", but not at 4 tokens of tool output, where the engine wrote its own",
    );
  });

  it("with zeros of both at tool output are likely a copy; padding at the end says nothing", () => {
    const { clues } = examine([withTool(five(0), five(0))]);
    expect(clues).toMatchObject([{ weight: 2, figures: { tool_tokens_zero: 5 } }]);
    expect(examine([withTool(five(0).slice(1), five(0).slice(1))]).clues[0]!.weight).toBe(-0.7);
    const padded = { rollout: [...own, ...five(0)], mask: [...own.map(() => 1), ...five(0)] };
    expect(examine([padded, padded]).clues[0]!.weight).toBe(-0.7);
  });
});

describe("a rollout column of zeros", () => {
  const zero = (row: number, group: number, ids = row, length = 10): GivenRow => ({
    rollout: new Array<number>(length).fill(0),
    trainer: draw(length, row),
    group,
    ids: new Int32Array(length).fill(ids),
  });
  const weights = (rows: readonly GivenRow[]) =>
    Object.fromEntries(examine(rows).clues.map(({ cause, weight }) => [cause, weight]));

  it("is greedy decoding where responses of a prompt are the same, else a placeholder", () => {
    const greedy = [zero(0, 0, 5), zero(0, 0, 5), zero(1, 1, 6), zero(1, 1, 6)];
    expect(weights(greedy)).toEqual({ greedy_zero_logprobs: 12, sentinel_fill: 7 });
    const sampled = [zero(0, 0, 5), zero(1, 0, 6), zero(2, 1, 7), zero(3, 1, 8)];
    expect(weights(sampled)).toEqual({ greedy_zero_logprobs: 5, sentinel_fill: 11 });
    const { clues, claimed } = examine(sampled);
    expect(clues[0]!.sentence).toBe(
      "All 40 rollout log-probs are exactly 0, and 0 % of the responses that share a prompt are the same: greedy decoding gives one response per prompt.",
    );
    expect(clues[1]!.sentence).toMatch(
      /while the trainer gives [\d.]+ % of the tokens a probability below ½\.$/,
    );
    expect(claimed).toBe(40);
    expect(examine([zero(0, 0), zero(1, 1)]).clues[0]!.sentence).toContain("no prompt was sampled twice");
    expect(examine([zero(0, 0), zero(1, 1)]).clues[0]!.figures.rows_all_same).toBeNull();
  });

  it("is twenty tokens or more of which the trainer is not sure, with nothing else among them", () => {
    expect(weights([zero(0, 0, 0, 19)])).toEqual({});
    expect(Object.keys(weights([zero(0, 0, 0, 20)]))).toHaveLength(2);
    const sure = { ...zero(0, 0), trainer: new Array<number>(10).fill(-0.1) };
    expect(weights([sure, sure, sure])).toEqual({});
    const some = { ...zero(0, 0, 0, 30), rollout: [-1, ...new Array<number>(29).fill(0)] };
    expect(weights([some])).toEqual({});
  });
});

describe("rows that repeat another bit for bit", () => {
  const row = (content: number, more: Partial<GivenRow> = {}): GivenRow => ({
    rollout: draw(20, content).map((value) => value - 1),
    trainer: draw(20, content).map((value) => value - 1.1),
    ids: Int32Array.from({ length: 20 }, (_, t) => content * 31 + t),
    ...more,
  });

  it("are told with how many pairs chance would make", () => {
    const rows = [row(0), row(1), row(2), ...Array.from({ length: 6 }, (_, at) => row(3 + (at % 2)))];
    const [clue] = examine(rows).clues;
    expect(clue).toMatchObject({
      cause: "duplicated_rows",
      figures: { copies: 4, pairs: 6, expected_pairs: 0 },
    });
    expect(clue!.sentence).toBe(
      "4 sequences of 9 (44.4 %) repeat another sequence of their step exactly, in tokens and in both columns: 6 pairs, where chance would give 0.",
    );
    expect(clue!.handles).toEqual(["s1.q5", "s1.q3", "s1.q6", "s1.q4", "s1.q7"]);
  });

  it("are not few pairs, other steps, other tokens or other numbers", () => {
    expect(examine([row(0), row(0)]).clues).toEqual([]);
    const apart = (change: (at: number) => Partial<GivenRow>) =>
      examine(Array.from({ length: 9 }, (_, at) => row(0, change(at)))).clues.length;
    expect(apart(() => ({}))).toBe(1);
    expect(apart((step) => ({ step }))).toBe(0);
    expect(apart((at) => ({ ids: new Int32Array(20).fill(at) }))).toBe(0);
    expect(apart((at) => ({ trainer: draw(20, at) }))).toBe(0);
  });

  it("of other prompts are never chance, and neither are responses beyond a prompt's number", () => {
    const prompts = (last: number) => [
      row(0, { prompt: Int32Array.of(1, 2) }),
      row(0, { prompt: Int32Array.of(1, last) }),
    ];
    expect(examine(prompts(2)).clues).toEqual([]);
    expect(examine(prompts(3)).clues).toHaveLength(1);
    const grouped = (copies: number) => [
      ...Array.from({ length: 8 }, (_, at) => row(at, { group: Math.floor(at / 2) })),
      ...Array.from({ length: copies }, () => row(0, { group: 0 })),
    ];
    const [clue] = examine(grouped(1)).clues;
    expect(clue!.figures.in_larger_groups).toBe(1);
    expect(clue!.sentence).toMatch(
      /; 1 of them belongs to prompts with more responses than the other prompts\.$/,
    );
  });
});
