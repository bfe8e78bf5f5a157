import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../../test/support/run-size.ts";
import { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "../../../../analyses/sweep/buckets.ts";
import { unsweepable } from "../../../../analyses/sweep/evaluate.ts";
import { corrections, randomBatch } from "../../../../analyses/sweep/random.test-data.ts";
import { findRewardGroup, rewardGroups, roundedReward } from "../../../../analyses/sweep/reward-groups.ts";
import type { RecordBatch } from "../../../../core/schema/record.ts";
import { CORRECT_COUNTS, type ValueGroup } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { applyCorrection } from "../../../../trainers/neutral/apply.ts";
import { formatCorrection, parseCorrection } from "../../../../trainers/neutral/text.ts";
import { NEWEST_PRESETS, presetNamed } from "../../../../trainers/presets.ts";
import { completeSettings } from "../../../../trainers/shared/settings.ts";
import { type DeltaBlock, partedBlocks } from "../pass/delta-blocks.ts";
import { answerCorrection, type CorrectAnswers } from "./answer.ts";
import { deltaBatches, needsTokens, type SweepBatch, tokenBatches } from "./batches.ts";
import { type Question, readQuestion } from "./question.ts";
import { shippedCorrections } from "./shipped.ts";

const bounds = fc
  .record({ upper: fc.constantFrom(1.05, 1.5, 3), lower: fc.constantFrom(0.2, 0.7, 0.99) })
  .chain(({ upper, lower }) => fc.constantFrom({ upper }, { lower }, { upper, lower }));
const ratio = fc
  .record({
    level: fc.constantFrom("token", "sequence" as const),
    aggregation: fc.constantFrom("sum", "mean" as const),
  })
  .map((at) => ({ statistic: "ratio" as const, ...at }));
const questions: fc.Arbitrary<Question> = fc
  .record({
    weight: fc.option(ratio.map(({ level, aggregation }) => ({ level, aggregation }))),
    truncated: fc.option(bounds),
    rejected: fc.option(
      fc.record({ measure: ratio, bounds, action: fc.constantFrom("mask", "zero" as const) }),
    ),
    vetoed: fc.option(fc.constantFrom(0.1, 0.5)),
  })
  .map(({ weight, truncated, rejected, vetoed }) => ({
    correction: {
      ...(weight && { weight }),
      steps: [
        ...(weight && truncated ? [{ action: "truncate" as const, ...truncated }] : []),
        ...(rejected ? [{ action: rejected.action, measure: rejected.measure, ...rejected.bounds }] : []),
        ...(vetoed === null
          ? []
          : [
              {
                action: "veto" as const,
                measure: { statistic: "ratio", level: "token", aggregation: "sum" } as const,
                lower: vetoed,
              },
            ]),
      ],
    },
    steps: null,
  }));
const sequences = fc.array(
  fc.record({
    deltas: fc.array(fc.constantFrom(-2, -0.5, -0.1, 0, 0.001, 0.3, 1.2), { maxLength: 8 }),
    correct: fc.constantFrom(0, 1, Number.NaN),
    step: fc.constantFrom(10, 20, 30, Number.NaN),
    reward: fc.constantFrom(-1, 0, 0.25, 0.251, 1, Number.NaN),
  }),
  { minLength: 2, maxLength: 12 },
);
type Row = { readonly deltas: readonly number[] } & Readonly<Record<"correct" | "step" | "reward", number>>;

function packed(rows: readonly Row[]): { deltas: Float64Array; offsets: Int32Array } {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach(({ deltas }, i) => {
    offsets[i + 1] = offsets[i]! + deltas.length;
  });
  return { deltas: Float64Array.from(rows.flatMap(({ deltas }) => deltas)), offsets };
}

function makeGroups(rows: readonly Row[]): ValueGroup[] {
  const counts = new Map<number, number>();
  for (const reward of rows.map((row) => roundedReward(row.reward)))
    if (!Number.isNaN(reward)) counts.set(reward, (counts.get(reward) ?? 0) + 1);
  return rewardGroups(counts);
}

async function* makeBlocks(
  groups: readonly ValueGroup[],
  ...parts: readonly (readonly Row[])[]
): AsyncGenerator<DeltaBlock> {
  for (const rows of parts) {
    const { deltas, offsets } = packed(rows);
    const column = (name: "correct" | "step" | "reward"): Float64Array =>
      Float64Array.from(rows, (row) => row[name]);
    const columns = { step: column("step"), correct: column("correct"), reward: column("reward") };
    yield* partedBlocks(deltas, offsets, columns, groups);
  }
}

async function asked(question: Question, rows: readonly Row[], cut = 1): Promise<CorrectAnswers> {
  const rewards = makeGroups(rows);
  const at = cut % rows.length;
  const blocks = makeBlocks(rewards, rows.slice(0, at), rows.slice(at));
  return answerCorrection(question, { batches: deltaBatches(blocks), rewards, paths: ["dumps"], flags: [] });
}

function expectClose(actual: number | null | undefined, wanted: number | null): void {
  if (wanted === null || Number.isNaN(wanted)) expect(actual).toBeNull();
  else expect(actual).toBeCloseTo(wanted, 10);
}

/** Groups without tokens say nothing. */
function expectGroups(
  actual: readonly { from: number; to: number; tokens: number; dropped: number }[],
  wanted: readonly { from: number; to: number; tokens: number; dropped: number }[],
): void {
  const some = wanted.filter(({ tokens }) => tokens > 0);
  expect(actual.map(({ from, to, tokens }) => [from, to, tokens])).toEqual(
    some.map(({ from, to, tokens }) => [from, to, tokens]),
  );
  for (const [at, { dropped }] of some.entries()) expect(actual[at]!.dropped).toBeCloseTo(dropped, 10);
}

describe("an exact answer", () => {
  it("is what applyCorrection does to the tokens, in however many blocks", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, questions, fc.nat(), async (rows, question, cut) => {
        const { answer } = await asked(question, rows, cut);
        const { deltas, offsets } = packed(rows);
        const mask = new Uint8Array(deltas.length).fill(1);
        const applied = applyCorrection(
          { rollout: new Float64Array(deltas.length), trainer: deltas, mask, offsets },
          question.correction,
        );
        const kept = [...applied.mask].map((bit, t) => bit === 1 && (applied.weights?.[t] ?? 1) !== 0);
        expect(answer.kept_tokens).toBe(kept.filter(Boolean).length);
        const findRow = (t: number): number => offsets.findLastIndex((start) => start <= t);
        expect(answer.kept_sequences).toBe(new Set(kept.flatMap((is, t) => (is ? [findRow(t)] : []))).size);
        const of = (value: number): number[] =>
          kept.flatMap((is, t) => (rows[findRow(t)]!.correct === value ? [is ? 0 : 1] : []));
        const share = (drops: readonly number[]): number | null =>
          drops.length === 0 ? null : drops.reduce((a, b) => a + b, 0) / drops.length;
        for (const [value, said] of [
          [1, answer.dropped_right],
          [0, answer.dropped_wrong],
        ] as const) {
          const expected = share(of(value));
          if (expected === null) expect(said).toBeNull();
          else expect(said).toBeCloseTo(expected, 10);
        }
        const countDropped = (wanted: (row: Row) => boolean): { tokens: number; dropped: number } => {
          const drops = kept.flatMap((is, t) => (wanted(rows[findRow(t)]!) ? [is ? 0 : 1] : []));
          return { tokens: drops.length, dropped: share(drops) ?? 0 };
        };
        const groups = makeGroups(rows);
        const byReward = groups.map((group, at) => ({
          ...group,
          ...countDropped(({ reward }) => findRewardGroup(groups, reward) === at),
        }));
        expectGroups(answer.dropped_by_reward, byReward);
        const counts = new Float64Array(LENGTH_BUCKETS);
        for (const { deltas: own } of rows) if (own.length > 0) counts[lengthBucket(own.length)]!++;
        const byLength = lengthQuartiles(counts).map(({ from, to }) => ({
          from,
          to,
          ...countDropped(({ deltas: own }) => own.length >= from && own.length <= to),
        }));
        expectGroups(answer.dropped_by_length, byLength);
      }),
      { numRuns: sized(20, 120) },
    );
  });

  it("is the sum of its steps, and of some steps what those alone give", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, questions, fc.nat(), async (rows, question, cut) => {
        const { answer, steps } = await asked(question, rows, cut);
        for (const name of CORRECT_COUNTS)
          expect(
            steps.counts[name].reduce((a, b) => a + b, 0),
            name,
          ).toBe(answer[name]);
        expect(steps.tokens.reduce((a, b) => a + b, 0)).toBe(packed(rows).deltas.length);
        for (const [at, step] of steps.steps.entries()) {
          if (step === null) continue;
          const part = rows.filter((row) => row.step === step);
          const alone = await asked(question, part);
          const ranged = await asked({ ...question, steps: [step, step] }, rows, cut);
          expect(ranged.steps).toEqual(steps);
          for (const name of CORRECT_COUNTS) {
            expect(steps.counts[name][at], name).toBe(alone.answer[name]);
            expect(ranged.answer[name], name).toBe(alone.answer[name]);
          }
          for (const name of ["ess", "dropped_right", "dropped_wrong"] as const)
            expectClose(steps.figures[name][at], alone.answer[name]);
        }
      }),
      { numRuns: sized(8, 40) },
    );
  });

  it("takes turns, advantages and probabilities from the tokens", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), corrections, async (seed, correction) => {
        fc.pre(unsweepable(correction) === undefined);
        fc.pre(correction.steps.every(({ action }) => action !== "normalize"));
        const rows = wireSequences(randomBatch(seed, 12, 1));
        const tokens = rows.reduce((sum, { mask }) => sum + mask.filter((bit) => bit === 1).length, 0);
        fc.pre(tokens > 0);
        async function* all(): AsyncGenerator<WireSequence> {
          yield* rows;
        }
        const ask = (batches: AsyncIterable<SweepBatch>): Promise<CorrectAnswers> =>
          answerCorrection({ correction, steps: null }, { batches, rewards: [], paths: [], flags: [] });
        const { answer } = await ask(tokenBatches(all(), []));
        let kept = 0;
        for (const { mask, rollout, trainer, advantages } of rows) {
          const block = { mask, rollout, trainer, advantages: advantages! };
          const offsets = Int32Array.of(0, mask.length);
          const applied = applyCorrection({ ...block, offsets }, correction);
          kept += applied.mask.filter((bit, t) => bit === 1 && (applied.weights?.[t] ?? 1) !== 0).length;
        }
        expect(answer.kept_tokens).toBe(kept);
      }),
      { numRuns: sized(20, 100) },
    );
  });

  it("knows which corrections can be told from Δ alone", () => {
    const needs = (text: string): boolean => needsTokens(parseCorrection(text));
    expect(["weight:token truncate:..2", "mask:sequence.max.k3:..1", "veto:ratio:0.1.."].map(needs)).toEqual([
      false,
      false,
      false,
    ]);
    const more = [
      "weight:turn",
      "mask:turn.mean.k2:..1",
      "zero:token.prob_diff:..0.1",
      "mask:token.binary_kl:..0.1",
      "mask:sequence.mean.binary_kl_reverse:..0.1",
      "mask:token.k1:..1:negative",
    ];
    expect(more.map(needs)).toEqual(more.map(() => true));
  });

  it("refuses signs of advantages where there are none", async () => {
    const question = readQuestion({ correction: "mask:token.ratio:..2:positive" });
    const row = { deltas: [1], correct: 1, step: 1, reward: 1 };
    await expect(asked(question, [row, row])).rejects.toThrow(/sign of advantages, and the run has none/);
  });

  it("is not given to a question without sense", () => {
    expect(readQuestion({ correction: "none" })).toEqual({ correction: { steps: [] }, steps: null });
    expect(readQuestion({ correction: "none", steps: [10, 30] }).steps).toEqual([10, 30]);
    for (const [wrong, why] of [
      [null, /must be an object/],
      [{}, /must be a text/],
      [{ correction: { steps: [] } }, /must be a text/],
      [{ correction: "mask:planet.ratio:..2" }, /no level "planet"/],
      [{ correction: "none", steps: "10..30" }, /first, last/],
      [{ correction: "none", steps: [1] }, /first, last/],
    ] as const)
      expect(() => readQuestion(wrong)).toThrow(why);
  });
});

describe("what trainers ship", () => {
  it("is every preset's correction as it comes, once", () => {
    const shipped = shippedCorrections();
    expect(shipped.flatMap(({ presets }) => presets).sort()).toEqual(
      NEWEST_PRESETS.map(({ name }) => name).sort(),
    );
    expect(new Set(shipped.map(({ correction }) => correction)).size).toBe(shipped.length);
    for (const { presets, correction } of shipped)
      for (const name of presets) {
        const preset = presetNamed(name);
        const own = preset.correction(completeSettings(preset, {}));
        expect(formatCorrection(own), name).toBe(correction);
      }
    expect(shipped.find(({ correction }) => correction === "none")?.presets).toEqual([
      "verl",
      "xtuner",
      "skyrl",
    ]);
  });
});

function wireSequences(batch: RecordBatch): WireSequence[] {
  return Array.from({ length: batch.length }, (_, row) => {
    const [from, to] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    return {
      meta: { ...META, index: row, row },
      ids: new Int32Array(to - from),
      textOffsets: new Uint32Array(to - from + 1),
      texts: new Uint8Array(0),
      flags: new Uint8Array(to - from),
      mask: batch.responseMask.slice(from, to),
      turnMarks: new Uint16Array(to - from),
      rollout: Float32Array.from(batch.rolloutLogprobs!.slice(from, to)),
      trainer: Float32Array.from(batch.trainerLogprobs!.slice(from, to)),
      advantages: Float32Array.from(batch.advantages!.slice(from, to)),
      policies: {},
    };
  });
}

const META = {
  ...{
    handle: "s1",
    step: 1,
    rank: 0,
    sample: null,
    group: null,
    environment: null,
    engine: null,
    finish: null,
    reward: null,
  },
  ...{ correct: null, file: "", promptLength: 0 },
};
