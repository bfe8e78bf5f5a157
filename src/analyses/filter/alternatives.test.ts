import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import { sized } from "../../../test/support/run-size.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { batchTable } from "./batch-table.ts";
import { addCondition, joinFilters, parseFilter, understoodText } from "./filter.ts";
import { batchFilter } from "./filter-batches.ts";
import { matchingRows, rowHolds } from "./match-rows.ts";
import { tableMatcher } from "./match-table.ts";
import { tokensOfRow } from "./row-tokens.ts";
import { needsTokens } from "./scopes.ts";

/** What a filter says of a token of a batch, written without the code that is tested. */
interface Said {
  readonly text: string;
  readonly holds: (batch: RecordBatch, row: number, token: number) => boolean;
}

const deltaAt = (batch: RecordBatch, at: number): number =>
  Math.abs(batch.trainerLogprobs![at]! - batch.rolloutLogprobs![at]!);
const idAt = (batch: RecordBatch, at: number): number => batch.responseTokenIds![at]!;
const term: fc.Arbitrary<Said> = fc.oneof(
  fc.constantFrom<Said>(
    { text: "correct:no", holds: (batch, row) => batch.correctness[row] === 0 },
    { text: "-correct:yes", holds: (batch, row) => batch.correctness[row] !== 1 },
    { text: "correct:none", holds: (batch, row) => Number.isNaN(batch.correctness[row]) },
    { text: "row!=0", holds: (batch, row) => batch.rows[row] !== 0 },
    { text: "env:f(x)", holds: (batch, row) => batch.environments[row]?.includes("f(x)") === true },
    { text: 'env="a|b"', holds: (batch, row) => batch.environments[row] === "a|b" },
  ),
  fc
    .integer({ min: 0, max: 2 })
    .map((n): Said => ({ text: `step:${n}`, holds: (batch, row) => batch.steps[row] === n })),
  fc
    .integer({ min: 0, max: 4 })
    .map((n): Said => ({ text: `abs>${n / 4}`, holds: (batch, _, at) => deltaAt(batch, at) > n / 4 })),
  fc
    .integer({ min: 0, max: 4 })
    .map((n): Said => ({ text: `-abs>=${n / 4}`, holds: (batch, _, at) => deltaAt(batch, at) < n / 4 })),
  fc
    .integer({ min: 1, max: 4 })
    .map((n): Said => ({ text: `id:${n},2`, holds: (batch, _, at) => [n, 2].includes(idAt(batch, at)) })),
  fc
    .integer({ min: 1, max: 4 })
    .map((n): Said => ({ text: `id!=${n}`, holds: (batch, _, at) => idAt(batch, at) !== n })),
);

const { expression } = fc.letrec<{ expression: Said }>((tie) => {
  const some = fc.array(tie("expression"), { minLength: 1, maxLength: 3 });
  return {
    expression: fc.oneof(
      { maxDepth: 3 },
      term,
      some.map(
        (all): Said => ({
          text: joinFilters(...all.map(({ text }) => text)),
          holds: (...place) => all.every((one) => one.holds(...place)),
        }),
      ),
      some.map(
        (all): Said => ({
          text: all.map(({ text }) => text).join("|"),
          holds: (...place) => all.some((one) => one.holds(...place)),
        }),
      ),
      (tie("expression") as fc.Arbitrary<Said>).map(
        ({ text, holds }): Said => ({ text: `-(${text})`, holds: (...place) => !holds(...place) }),
      ),
      (tie("expression") as fc.Arbitrary<Said>).map((said) => ({ ...said, text: `( ${said.text} )` })),
    ),
  };
});

/** Quarters of nats, which are exact; `|` around tokens that are not the policy's. */
const picture: fc.Arbitrary<SequencePicture> = fc
  .record({
    tokens: fc.array(
      fc.record({
        delta: fc.integer({ min: -6, max: 6 }),
        id: fc.integer({ min: 1, max: 4 }),
        own: fc.boolean(),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    step: fc.integer({ min: 0, max: 2 }),
    correct: fc.constantFrom(0, 1, undefined),
    environment: fc.constantFrom("f(x) of 2", "a|b", "a", undefined),
  })
  .map(({ tokens, step, correct, environment }) => ({
    deltas: tokens.map(({ delta, own }) => (own ? `${delta / 4}` : `| ${delta / 4} |`)).join(" "),
    tokenIds: tokens.map(({ id }) => id),
    step,
    ...(correct !== undefined && { correct }),
    ...(environment !== undefined && { environment }),
  }));
const drawn = fc.array(picture, { minLength: 1, maxLength: 5 }).map((rows) => recordBatch(rows));

/** The tokens of each row that a filter finds; undefined where it is refused. */
function found(text: string, batch: RecordBatch): readonly (readonly number[])[] | undefined {
  const { alternatives, problems } = parseFilter(text);
  if (problems.length > 0) {
    expect(problems[0]!.message).toContain("more than 64");
    return undefined;
  }
  const { rows, tokensOf } = tableMatcher(alternatives)(batchTable(batch));
  return Array.from({ length: batch.length }, (_, row) =>
    rows.includes(row) ? [...tokensOf(row)(tokensOfRow(batch, row))] : [],
  );
}

function meant({ holds }: Said, batch: RecordBatch, mask: readonly number[] = [1]): number[][] {
  return Array.from({ length: batch.length }, (_, row) => {
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    return Array.from({ length: end - start }, (_, at) => at).filter(
      (at) => mask.includes(batch.responseMask[start + at]!) && holds(batch, row, start + at),
    );
  });
}

const batch = recordBatch([
  { deltas: "0 .6 -.2 .3", step: 1, row: 0, correct: 0, tokenIds: [1, 2, 3, 4] },
  { deltas: "0 .1", step: 1, row: 1, correct: 1, tokenIds: [6, 7] },
  { deltas: ".9 -.4", step: 2, row: 2, correct: 1, tokenIds: [8, 1] },
  { deltas: "| 5", step: 2, row: 3, correct: 0, tokenIds: [9] },
]);

describe("alternatives and brackets", () => {
  it("agree with a look at every token of every row", () => {
    let looked = 0;
    fc.assert(
      fc.property(expression, drawn, (said, rows) => {
        const tokens = found(said.text, rows);
        if (tokens === undefined) return;
        looked++;
        const all = meant(said, rows);
        expect(tokens, said.text).toEqual(all);
        const { alternatives } = parseFilter(said.text);
        const sure = matchingRows(batchTable(rows), alternatives);
        for (const [row, own] of all.entries()) {
          if (own.length > 0) expect(sure, `${said.text} at ${row}`).toContain(row);
          const hasOwn = rows.responseMask.subarray(rows.offsets[row], rows.offsets[row + 1]).includes(1);
          // Where the table says all, it says it of every row that has tokens of the policy.
          if (!needsTokens(alternatives) && hasOwn)
            expect(sure.includes(row), `${said.text} at ${row}`).toBe(own.length > 0);
        }
      }),
      { numRuns: sized(400, 1000) },
    );
    expect(looked).toBeGreaterThan(sized(200, 500));
  });

  it("find tokens of other masks by the alternatives that ask for them, and only by those", () => {
    fc.assert(
      fc.property(expression, term, drawn, (said, other, rows) => {
        const either = found(`(${said.text}) mask:0,1`, rows);
        if (either !== undefined) expect(either, said.text).toEqual(meant(said, rows, [0, 1]));
        const outside = found(`${said.text} | ${other.text} mask:0`, rows);
        if (outside === undefined) return;
        const [own, others] = [meant(said, rows), meant(other, rows, [0])];
        const union = own.map((places, row) => [...places, ...others[row]!].sort((a, b) => a - b));
        expect(outside, said.text).toEqual(union);
      }),
      { numRuns: 500 },
    );
  });

  it("leave batches with mask 1 at the same tokens", () => {
    fc.assert(
      fc.property(expression, drawn, (said, rows) => {
        const { alternatives, problems } = parseFilter(said.text);
        if (
          problems.length > 0 ||
          alternatives.every((terms) => terms.every(({ field }) => field?.scope !== "token"))
        )
          return;
        const left = batchFilter(alternatives).apply(rows);
        const own = meant(said, rows);
        const kept = own.flatMap((places, row) => (places.length > 0 ? [row] : []));
        const masks = Array.from({ length: left?.length ?? 0 }, (_, row) => {
          const mask = left!.responseMask.subarray(left!.offsets[row]!, left!.offsets[row + 1]!);
          return Array.from(mask.keys()).filter((at) => mask[at] === 1);
        });
        expect(
          masks.filter(({ length }) => length > 0),
          said.text,
        ).toEqual(kept.map((row) => own[row]));
      }),
      { numRuns: 500 },
    );
  });

  it("keep a sequence without tokens by an alternative that asks nothing of tokens", () => {
    const left = (text: string) => [
      ...(batchFilter(parseFilter(text).alternatives).apply(batch)?.rows ?? []),
    ];
    expect(left("correct:no | abs>0.5")).toEqual([0, 2, 3]);
    expect(left("correct:no abs>0 | abs>0.5")).toEqual([0, 2]);
  });

  it("say what is wrong, and what was meant", () => {
    const told = (text: string) =>
      parseFilter(text).problems.map(({ message, instead }) => [message, instead]);
    expect(told("step:1 |")).toEqual([["nothing stands after this |", "step:1"]]);
    expect(told("| step:1")).toEqual([["nothing stands before this |", " step:1"]]);
    expect(told("(step:1 | abs>1")).toEqual([["this bracket is never closed", "(step:1 | abs>1)"]]);
    expect(told("row:1 (step:1 | (abs>1")).toEqual([
      ["this bracket and 1 more are never closed", "row:1 (step:1 | (abs>1))"],
    ]);
    expect(parseFilter("row:1 (step:1 | (abs>1").problems[0]).toMatchObject({ from: 6, to: 7 });
    // The bracket may be closed within the quote.
    expect(told('(step:1 | token:"a)')).toEqual([["this quote is never closed", undefined]]);
    expect(told("step:1 )")).toEqual([["this bracket closes nothing", "step:1"]]);
    expect(told("step:1 ()")).toEqual([["nothing stands in these brackets", "step:1"]]);
    expect(told("step:1 OR step:2")[0]![1]).toBe("step:1 | step:2");
    expect(told("(step:1 | step:2)".repeat(7))[0]![0]).toContain("more than 64");
    expect(told("group:f(x) (sample:a(1))")).toEqual([]);
  });

  it("are written again with brackets where they are needed", () => {
    expect(joinFilters("a | b", "c")).toBe("(a | b) c");
    expect(joinFilters("(a | b) c", "", "d")).toBe("(a | b) c d");
    expect(understoodText(parseFilter("a (b | foo:1) -(c d | bar:2"))).toBe("a b -c | a b -d");
    expect([...matchingRows(batchTable(batch), parseFilter("step:1 | rewrd:2").alternatives)]).toEqual([
      0, 1,
    ]);
  });

  it("take one condition more, and keep what was not understood where it changes nothing", () => {
    const added = (text: string): string => addCondition(parseFilter(text), "id:55");
    expect(added("")).toBe("id:55");
    expect(added("correct:no | abs>1")).toBe("(correct:no | abs>1) id:55");
    expect(added("abs>1 rewrd:2")).toBe("abs>1 rewrd:2 id:55");
    expect(added("abs>1 | rewrd:2")).toBe("(abs>1 | rewrd:2) id:55");
    expect(added("abs>1 ) | step:2")).toBe("(abs>1 | step:2) id:55");
    // It would be in the quote, or in the bracket.
    expect(added('abs>1 group:"a')).toBe("abs>1 id:55");
    expect(added("abs>1 | (step:1")).toBe("(abs>1 | step:1) id:55");
  });

  it("hold at a row by the terms on its sequence", () => {
    const table = batchTable(batch);
    const [first, second] = parseFilter("correct:no abs>5 | step:2 -row:2").alternatives;
    expect([0, 1, 2, 3].map((row) => rowHolds(table, first!, row))).toEqual([true, false, false, true]);
    expect([0, 1, 2, 3].map((row) => rowHolds(table, second!, row))).toEqual([false, false, false, true]);
  });
});
