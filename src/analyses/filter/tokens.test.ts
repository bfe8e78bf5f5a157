import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { TOKEN_FLAGS, type TokenClass } from "../../core/base/token-class.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { parseFilter } from "./filter.ts";
import { batchFilter } from "./filter-batches.ts";
import { madeTable } from "./made-table.test-data.ts";
import { matchingRows } from "./match-rows.ts";
import { tokenMatcher } from "./match-tokens.ts";
import { tokensOfRow } from "./row-tokens.ts";
import { needsTexts, needsTokens } from "./scopes.ts";
import type { TokenColumns } from "./token-columns.ts";

/** One token as a person would write it down. */
interface Token {
  readonly text: string | undefined;
  readonly flags: number;
  readonly id: number;
  readonly rollout: number;
  readonly trainer: number;
  /** NaN between turns. */
  readonly turn: number;
  readonly mask: number;
  readonly entropy: number;
  readonly advantage: number;
}

function makeColumns(tokens: readonly Token[]): TokenColumns {
  const column = (of: (token: Token) => number): number[] => tokens.map(of);
  return {
    length: tokens.length,
    mask: column(({ mask }) => mask),
    rollout: column(({ rollout }) => rollout),
    trainer: column(({ trainer }) => trainer),
    turnMarks: column(({ turn }) => (Number.isNaN(turn) ? 0 : turn + 1)),
    entropy: column(({ entropy }) => entropy),
    advantages: column(({ advantage }) => advantage),
    ids: column(({ id }) => id),
    texts: { textAt: (at) => tokens[at]!.text, flagsAt: (at) => tokens[at]!.flags },
  };
}

function places(text: string, tokens: readonly Token[]): number[] {
  const { alternatives, problems } = parseFilter(text);
  expect(problems, text).toEqual([]);
  return [...tokenMatcher(alternatives)(makeColumns(tokens))];
}

const PLAIN: Token = {
  text: "word",
  flags: 0,
  id: 5,
  rollout: -1,
  trainer: -1,
  turn: 1,
  mask: 1,
  entropy: 0.5,
  advantage: 1,
};

/** What single terms say, written without the code that is tested. */
interface Said {
  readonly text: string;
  readonly holds: (token: Token, at: number) => boolean;
}

const delta = ({ rollout, trainer }: Token): number | undefined => {
  const difference = trainer - rollout;
  return Number.isFinite(difference) ? difference : undefined;
};
const some = (value: number | undefined, test: (value: number) => boolean): boolean =>
  value !== undefined && !Number.isNaN(value) && test(value);

const number = fc.integer({ min: -8, max: 8 }).map((n) => n / 4);
const said: fc.Arbitrary<Said> = fc.oneof(
  number.map((x): Said => ({ text: `abs>${x}`, holds: (t) => some(delta(t), (d) => Math.abs(d) > x) })),
  number.map(
    (x): Said => ({
      text: `impact>${x}`,
      holds: (t) => some(delta(t), (d) => Math.abs(t.advantage * (Math.exp(d) - 1)) > x + 1e-12),
    }),
  ),
  number.map(
    (x): Said => ({
      text: `signed_impact<${x}`,
      holds: (t) => some(delta(t), (d) => t.advantage * (Math.exp(d) - 1) < x - 1e-12),
    }),
  ),
  number.map((x): Said => ({ text: `abs<=${x}`, holds: (t) => some(delta(t), (d) => Math.abs(d) <= x) })),
  fc.integer({ min: -8, max: 4 }).map((n): Said => {
    const low = n / 4;
    return { text: `delta:${low}..1`, holds: (t) => some(delta(t), (d) => d >= low && d <= 1) };
  }),
  number.map((x): Said => ({ text: `rho<${x}`, holds: (t) => some(delta(t), (d) => Math.exp(d) < x) })),
  number.map((x): Said => ({ text: `logp>=${x}`, holds: (t) => some(t.rollout, (v) => v >= x) })),
  number.map((x): Said => ({ text: `trainer<${x}`, holds: (t) => some(t.trainer, (v) => v < x) })),
  number.map((x): Said => ({ text: `entropy>${x}`, holds: (t) => some(t.entropy, (v) => v > x) })),
  number.map((x): Said => ({ text: `adv!=${x}`, holds: (t) => !some(t.advantage, (v) => v === x) })),
  fc.constant<Said>({ text: "delta:none", holds: (t) => delta(t) === undefined }),
  fc.integer({ min: 0, max: 3 }).map((n): Said => ({ text: `turn:${n}`, holds: (t) => t.turn === n })),
  fc.integer({ min: 0, max: 6 }).map((n): Said => ({ text: `pos<${n}`, holds: (_, at) => at < n })),
  fc
    .integer({ min: 0, max: 3 })
    .map((n): Said => ({ text: `id:${n},2`, holds: (t) => t.id === n || t.id === 2 })),
  fc.constantFrom<Said>(
    { text: "id:none", holds: (t) => t.id === -1 },
    { text: 'token:" 7"', holds: (t) => t.text?.includes(" 7") === true },
    { text: 'token=" 7"', holds: (t) => t.text === " 7" },
    { text: "token:none", holds: (t) => t.text === undefined },
    { text: "token:THE", holds: (t) => t.text?.toLowerCase().includes("the") === true },
    { text: "is:number", holds: (t) => findClass(t) === "number" },
    { text: "is:space,special", holds: (t) => ["space", "special"].includes(findClass(t)) },
    { text: "is:word", holds: (t) => findClass(t) === "word" },
    { text: "is!=punctuation", holds: (t) => findClass(t) !== "punctuation" },
  ),
);

const TEXTS: readonly (readonly [string | undefined, number, TokenClass | ""])[] = [
  [" 7", TOKEN_FLAGS.digit, "number"],
  ["17", TOKEN_FLAGS.digit, "number"],
  [" The", 0, "word"],
  ["\n ", 0, "space"],
  ["?!", 0, "punctuation"],
  ["<eos>", TOKEN_FLAGS.special, "special"],
  ["a 7", 0, "other"],
  [undefined, TOKEN_FLAGS.unknown, ""],
];

function findClass({ text, flags }: Token): TokenClass | "" {
  return TEXTS.find(([each, bits]) => each === text && bits === flags)![2];
}

const missing = fc.option(number, { nil: Number.NaN });
const token: fc.Arbitrary<Token> = fc
  .record({
    text: fc.constantFrom(...TEXTS),
    id: fc.integer({ min: -1, max: 3 }),
    rollout: fc.oneof(missing, fc.constant(-Infinity)),
    trainer: missing,
    turn: fc.option(fc.integer({ min: 0, max: 3 }), { nil: Number.NaN }),
    mask: fc.integer({ min: 0, max: 1 }),
    entropy: missing,
    advantage: missing,
  })
  .map(({ text: [text, flags], ...rest }) => ({ text, flags, ...rest }));

describe("a filter on tokens", () => {
  it("finds the tokens at which all its terms hold", () => {
    const tokens: Token[] = [
      PLAIN,
      { ...PLAIN, text: " 7", flags: TOKEN_FLAGS.digit, trainer: -2, turn: 3 },
      { ...PLAIN, text: " 7", flags: TOKEN_FLAGS.digit, trainer: -2, turn: 3, mask: 0 },
      { ...PLAIN, text: " 7", flags: TOKEN_FLAGS.digit, trainer: -1.1, turn: 3 },
    ];
    expect(places("abs>0.5 turn:3 is:number correct:no", tokens)).toEqual([1]);
    expect(places('abs>0.5 mask:1 round:3 token:" 7" reward<0 is:number', tokens)).toEqual([1]);
    expect(places("abs>0.5 mask:0", tokens)).toEqual([2]);
    expect(places("abs>0.5 mask:0,1", tokens)).toEqual([1, 2]);
    expect(places("-is:number", tokens)).toEqual([0]);
    expect(places("t:3 dp>0.03 k3<0.1 rho<1", tokens)).toEqual([3]);
    expect(places("", tokens)).toEqual([0, 1, 3]);
  });

  it("agrees with a look at every token, whatever the terms, turned round or not", () => {
    const terms = fc.array(fc.tuple(said, fc.boolean()), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), terms, fc.boolean(), (tokens, asked, all) => {
        const text = asked.map(([term, negated]) => (negated ? "-" : "") + term.text).join(" ");
        const meant = tokens.flatMap((each, at) => {
          const holds = asked.every(([term, negated]) => term.holds(each, at) !== negated);
          return holds && (all || each.mask === 1) ? [at] : [];
        });
        expect(places(all ? `${text} mask:0,1` : text, tokens)).toEqual(meant);
      }),
      { numRuns: 500 },
    );
  });

  it("knows when the table of sequences says all, and never leaves out what the tokens would keep", () => {
    const needs = (text: string): boolean => needsTokens(parseFilter(text).alternatives);
    expect(["", "correct:no mean_abs>1", "abs>0.5", "abs>=1 reward<0", "abs:1..inf"].map(needs)).toEqual(
      Array(5).fill(false),
    );
    expect(
      ["abs<0.5", "-abs>0.5", "abs:1..2", "abs>0.5 turn:2", "abs>1 abs>2", "abs>1 mask:1", "is:word"].map(
        needs,
      ),
    ).toEqual(Array(7).fill(true));
    expect(["token:a", "is:word", "-is:word"].map((text) => needsTexts(parseFilter(text).terms))).toEqual(
      Array(3).fill(true),
    );
    const deltas = fc.array(fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 4 }), {
      maxLength: 5,
    });
    const text = fc.constantFrom(
      "abs>3",
      "abs>=3",
      "abs:2..4",
      "abs:2,5",
      "abs>2 abs<5",
      "-abs>3",
      "abs:1..inf",
    );
    fc.assert(
      fc.property(deltas, text, (sequences, asked) => {
        const table = madeTable(sequences.map((own) => ({ delta_abs_max: Math.max(...own.map(Math.abs)) })));
        const { alternatives } = parseFilter(asked);
        const match = tokenMatcher(alternatives);
        const meant = sequences.flatMap((own, row) => {
          const tokens = own.map((value): Token => ({ ...PLAIN, rollout: -9, trainer: value - 9 }));
          return match(makeColumns(tokens)).length > 0 ? [row] : [];
        });
        const found = [...matchingRows(table, alternatives)];
        if (needsTokens(alternatives)) expect(found).toEqual(expect.arrayContaining(meant));
        else expect(found).toEqual(meant);
      }),
    );
  });
});

describe("a filter on batches", () => {
  const batch = recordBatch([
    { deltas: "0 .6 | 5 5 | -.2", step: 1, row: 0, correct: 0, tokenIds: [1, 2, 3, 4, 5] },
    { deltas: "0 .1", step: 1, row: 1, correct: 0, tokenIds: [6, 7] },
    { deltas: ".9", step: 2, row: 2, correct: 1, tokenIds: [8] },
  ]);
  const apply = (text: string): RecordBatch | undefined =>
    batchFilter(parseFilter(text).alternatives).apply(batch);

  it("leaves sequences out, with all that is theirs", () => {
    const left = apply("correct:no -worst<0.5")!;
    expect(left.length).toBe(1);
    expect([...left.offsets]).toEqual([0, 5]);
    expect([...left.responseTokenIds!]).toEqual([1, 2, 3, 4, 5]);
    expect(left.responseMask).toEqual(batch.responseMask.subarray(0, 5));
    expect(apply("step:2")!.rolloutLogprobs).toEqual(batch.rolloutLogprobs!.subarray(7));
    expect([...apply("step:2")!.rows]).toEqual([2]);
    expect(apply("step:3")).toBeUndefined();
    expect(apply("step:1..2")).toBe(batch);
  });

  it("sets the mask to 0 where a token does not match, and counts what it did", () => {
    const filter = batchFilter(parseFilter("abs>0.5").alternatives);
    const left = filter.apply(batch)!;
    expect([...left.rows]).toEqual([0, 2]);
    expect([...left.responseMask]).toEqual([0, 1, 0, 0, 0, 1]);
    expect(filter.counts).toEqual({ sequences: 3, keptSequences: 2, tokens: 6, keptTokens: 2 });
    expect([...apply("mask:0 abs>1")!.responseMask]).toEqual([0, 0, 1, 1, 0]);
    expect([...apply("turn:1")!.responseMask]).toEqual([0, 0, 0, 0, 1]);
  });

  it("leaves tokens in the turns that they were in", () => {
    const turns = (text: string): number[] | undefined => {
      const left = apply(text)!;
      return left.turnMask && [...left.turnMask];
    };
    expect(turns("abs>0.5")).toEqual([1, 1, 0, 0, 1, 1]);
    expect(turns("turn:1")).toEqual([1, 1, 0, 0, 1]);
    // What is between turns is in none, so turns are counted anew.
    expect(turns("mask:0 abs>1")).toBeUndefined();
    expect(turns("correct:no")).toBeUndefined();
  });

  it("asks for texts by the ids of a sequence, and only where a term is about them", () => {
    const asked: number[][] = [];
    const makeTexts = (ids: Int32Array) => {
      asked.push([...ids]);
      return { textAt: (at: number) => `#${ids[at]!}`, flagsAt: () => 0 };
    };
    const filter = batchFilter(parseFilter("token:#7 correct:no").alternatives, makeTexts);
    expect([...filter.apply(batch)!.responseMask]).toEqual([0, 1]);
    expect(asked).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7],
    ]);
    batchFilter(parseFilter("abs>0.5").alternatives, makeTexts).apply(batch);
    expect(asked).toHaveLength(2);
  });

  it("keeps what the tokens of each sequence say", () => {
    const text = fc.constantFrom(
      "abs>0.15",
      "abs<0.15 turn:0",
      "-turn:1",
      "pos:0..1 delta>=0",
      "id:5,6 correct:no",
    );
    fc.assert(
      fc.property(text, (asked) => {
        const { alternatives } = parseFilter(asked);
        const match = tokenMatcher(alternatives);
        const rows = [
          ...matchingRows(
            madeTable(Array.from(batch.correctness, (correct) => ({ correct, delta_abs_max: 9 }))),
            alternatives,
          ),
        ];
        const meant = rows
          .map((row) => [...match(tokensOfRow(batch, row))])
          .filter(({ length }) => length > 0);
        const left = batchFilter(alternatives).apply(batch);
        const found = Array.from({ length: left?.length ?? 0 }, (_, row) => {
          const mask = [...left!.responseMask.subarray(left!.offsets[row]!, left!.offsets[row + 1]!)];
          return mask.flatMap((value, at) => (value === 1 ? [at] : []));
        });
        expect(found).toEqual(meant);
      }),
    );
  });
});
