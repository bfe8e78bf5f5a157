import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../../../test/support/run-size.ts";
import { RunSummary } from "../../../../analyses/report/run-summary.ts";
import { PROBABILITY_EDGES } from "../../../../analyses/report/token-groups.ts";
import { computeImpact } from "../../../../core/kernels/impact.ts";
import { turnMarks } from "../../../../core/kernels/turns.ts";
import { createRecordBuilder } from "../../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../../core/schema/record.ts";
import { TokenTexts } from "../../../../input/tokens/token-texts.ts";
import { findBin } from "../correct/bins.ts";
import { type TokenFigures, TokenPass } from "./token-pass.ts";
import { tokenSums } from "./top-tokens.ts";

interface Token {
  readonly id: number;
  readonly own: boolean;
  readonly rollout: number;
  readonly trainer: number;
  readonly advantage: number;
}

// Few values, so that ties are common; some are missing.
const logprob = fc.constantFrom(-0.125, -0.25, -1, -1, -2.5, -9, Number.NaN, Number.NEGATIVE_INFINITY);
const token: fc.Arbitrary<Token> = fc.record({
  id: fc.nat(5),
  own: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  rollout: logprob,
  trainer: logprob,
  advantage: fc.constantFrom(-1, 0, 0.5, Number.NaN),
});
const rows = fc.array(
  fc.record({
    tokens: fc.array(token, { minLength: 1, maxLength: 30 }),
    correct: fc.constantFrom(0, 1, Number.NaN),
  }),
  { minLength: 1, maxLength: 5 },
);
type Rows = readonly { readonly tokens: readonly Token[]; readonly correct: number }[];

function makeBatch(drawn: Rows, hasAdvantages: boolean): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
  });
  for (const { tokens, correct } of drawn)
    builder.push({
      length: tokens.length,
      correctness: correct,
      responseMask: Uint8Array.from(tokens, ({ own }) => Number(own)),
      responseTokenIds: Int32Array.from(tokens, ({ id }) => id),
      rolloutLogprobs: Float32Array.from(tokens, ({ rollout }) => rollout),
      trainerLogprobs: Float32Array.from(tokens, ({ trainer }) => trainer),
      ...(hasAdvantages && { advantages: Float32Array.from(tokens, ({ advantage }) => advantage) }),
    });
  return builder.flush();
}

/** What a plain loop over a row's tokens says. */
function readNaively(tokens: readonly Token[], hasAdvantages: boolean) {
  const counted = tokens
    .map(({ rollout, trainer, own, ...rest }, place) => ({
      ...rest,
      rollout,
      own,
      place,
      delta: trainer - rollout,
    }))
    .filter(({ own, delta }) => own && Number.isFinite(delta));
  const deltas = counted.map(({ delta }) => delta);
  const known = tokens.filter(({ own, advantage }) => own && !Number.isNaN(advantage));
  const largest = Math.max(...deltas.map(Math.abs));
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const figures: Partial<TokenFigures> = {
    deltas: Float64Array.from(deltas),
    rhoSum: sum(deltas.map(Math.exp)),
    rhoSquares: sum(deltas.map((delta) => Math.exp(delta) ** 2)),
    worst: counted.find(({ delta }) => Math.abs(delta) === largest)?.place ?? -1,
    advantage:
      hasAdvantages && known.length > 0
        ? sum(known.map(({ advantage }) => advantage)) / known.length
        : Number.NaN,
  };
  return { counted, figures };
}

it("gives of every row what a plain loop over its tokens does, and of groups their first worst token", () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (drawn, hasAdvantages) => {
      const batch = makeBatch(drawn, hasAdvantages);
      const pass = new TokenPass();
      const summary = new RunSummary();
      summary.add(batch);
      pass.beginBatch(batch, 0);
      const all = drawn.flatMap(({ tokens }, row) => {
        const marks = turnMarks(batch.responseMask, batch.offsets[row]!, batch.offsets[row + 1]!);
        const prompt = new Int32Array(0);
        const found = pass.addRow({ batch, row, index: row, turnMarks: marks, prompt });
        const { counted, figures } = readNaively(tokens, hasAdvantages);
        expect(found).toMatchObject(figures);
        return counted.map((one) => ({
          ...one,
          row,
          turn: marks[one.place]! - 1,
          decile: Math.floor((one.place * 10) / tokens.length),
        }));
      });
      const worst = (of: readonly (typeof all)[number][]): { sequence: number; token: number } => {
        const largest = Math.max(...of.map(({ delta }) => Math.abs(delta)));
        const { row, place } = of.find(({ delta }) => Math.abs(delta) === largest)!;
        return { sequence: row, token: place };
      };
      const lists = pass.topTokens.finish(tokenSums(summary), new TokenTexts(undefined), false);
      const groups = { by_token: "id", by_position: "decile", by_turn: "turn" } as const;
      for (const [list, name] of Object.entries(groups) as [
        keyof typeof groups,
        "id" | "decile" | "turn",
      ][]) {
        const wanted = new Map(
          all.map((one) => [one[name], worst(all.filter((o) => o[name] === one[name]))]),
        );
        const label = (key: number): string =>
          name === "id" ? `#${key}` : name === "turn" ? `turn ${key}` : `${key * 10}–${key * 10 + 10} %`;
        const found = new Map(lists[list].map((group) => [group.label, group.worst]));
        expect(found).toEqual(new Map([...wanted].map(([key, value]) => [label(key), value])));
      }
      const byBucket = new Map(lists.by_class.map((group) => [group.label, group.worst]));
      expect(byBucket).toEqual(
        new Map(all.map((one) => [bucketOf(one), worst(all.filter((o) => bucketOf(o) === bucketOf(one)))])),
      );
      expect(lists.occurrences).toHaveLength(all.filter(({ delta }) => delta !== 0).length);
      expect(readBins(pass)).toEqual(countBins(drawn, all));
      const impacts = all
        .map(({ advantage, delta }) => (hasAdvantages ? computeImpact(advantage, delta) : Number.NaN))
        .filter(Number.isFinite);
      expect(pass.impact.count).toBe(impacts.length);
      expect(pass.impact.max).toBe(Math.max(...impacts.map(Math.abs).map(Math.fround)));
    }),
    { numRuns: sized(80, 300) },
  );
});

function bucketOf({ rollout }: Pick<Token, "rollout">): string {
  const bucket = PROBABILITY_EDGES.findLastIndex((edge) => Math.exp(rollout) >= edge);
  return `rollout p ${PROBABILITY_EDGES[bucket]} to ${PROBABILITY_EDGES[bucket + 1]}`;
}

const GROUPS = ["right", "wrong", "unknown"];

/** Tokens of each group, by bin. */
function readBins(pass: TokenPass): Map<string, readonly number[]> {
  return new Map(pass.bins.finish([]).groups.map(({ name, tokens }) => [name, tokens]));
}

function countBins(drawn: Rows, all: readonly { row: number; delta: number }[]): Map<string, number[]> {
  const bins = new TokenPass().bins.finish([]).edges.length - 1;
  const found = new Map<string, number[]>();
  for (const group of GROUPS) {
    const tokens = new Array<number>(bins).fill(0);
    for (const { row, delta } of all) {
      const { correct } = drawn[row]!;
      const own = Number.isNaN(correct) ? "unknown" : correct > 0 ? "right" : "wrong";
      if (own === group) tokens[findBin(delta)]!++;
    }
    if (tokens.some((count) => count > 0)) found.set(group, tokens);
  }
  return found;
}
