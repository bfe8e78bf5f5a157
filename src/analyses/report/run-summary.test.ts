import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import { verlParity } from "../../trainers/verl/mismatch-metrics.ts";
import { xtunerParity } from "../../trainers/xtuner/mismatch-metrics.ts";
import { buildReport } from "./build-report.ts";
import { RunSummary } from "./run-summary.ts";

function makeReport(...batches: (readonly SequencePicture[])[]) {
  const summary = new RunSummary();
  batches.forEach((batch, i) => {
    summary.add(recordBatch(batch, `file-${i}.npz`));
  });
  return buildReport({
    run: "drawn",
    paths: ["drawn"],
    summary,
    parity: [verlParity, xtunerParity],
    findings: [],
    sources: [],
  });
}

/** Sums merged in another order agree up to the last digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item) => (typeof item === "number" ? Number(item.toPrecision(12)) : item)),
  );
}

const RUN: readonly SequencePicture[] = [
  {
    deltas: "0.5 -0.5 | 9 9 | 0.25",
    step: 1,
    rank: 0,
    environment: "maths",
    correct: 1,
    tokenIds: [7, 8, 9, 9, 7],
  },
  { deltas: "0 0", step: 1, rank: 1, environment: "code", correct: 0, tokenIds: [7, 8] },
  { deltas: "-2 | 9 | 0 0", step: 2, rank: 0, environment: "maths", correct: 0, tokenIds: [8, 9, 7, 7] },
];

describe("a report over drawn sequences", () => {
  const report = makeReport(RUN);

  it("pools masked tokens only", () => {
    expect(report.metrics).toMatchObject({
      sequences: 3,
      tokens: 8,
      steps: 2,
      turns_max: 2,
      ranks: 2,
      delta_abs_max: 2,
    });
    expect(report.metrics.delta_abs_mean).toBeCloseTo(3.25 / 8, 12);
    expect(report.metrics.k2).toBeCloseTo((0.25 + 0.25 + 0.0625 + 4) / 16, 12);
    expect(report.metrics.delta_abs_p50).toBeCloseTo(0.125, 3);
  });

  it("slices by step, turn, rank, environment and correctness", () => {
    expect(report.per_step.map(({ step, tokens, delta_abs_max }) => [step, tokens, delta_abs_max])).toEqual([
      [1, 5, 0.5],
      [2, 3, 2],
    ]);
    expect(
      report.per_turn.map(({ turn, sequences, tokens, delta_abs_mean }) => [
        turn,
        sequences,
        tokens,
        delta_abs_mean,
      ]),
    ).toEqual([
      [0, 3, 5, 0.6],
      [1, 2, 3, 0.25 / 3],
    ]);
    expect(report.per_rank.map(({ rank, tokens }) => [rank, tokens])).toEqual([
      [0, 6],
      [1, 2],
    ]);
    expect(report.per_environment.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["code", 2],
      ["maths", 6],
    ]);
    expect(report.per_correctness.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["correct", 3],
      ["incorrect", 5],
    ]);
  });

  it("groups tokens by position, rollout probability and id, with shares that add up", () => {
    const total = (groups: readonly { tokens: number; delta_abs_share: number }[]) => [
      groups.reduce((sum, { tokens }) => sum + tokens, 0),
      groups.reduce((sum, { delta_abs_share }) => sum + delta_abs_share, 0),
    ];
    for (const groups of [report.per_position_decile, report.per_rollout_probability, report.per_token_id]) {
      const [tokens, share] = total(groups);
      expect(tokens).toBe(8);
      expect(share).toBeCloseTo(1, 6);
    }
    expect(report.per_rollout_probability).toMatchObject([{ from: 0.1, to: 0.5, tokens: 8 }]);
    expect(report.per_token_id[0]).toMatchObject({ token_id: 8, tokens: 3, delta_abs_max: 2 });
  });

  it("names the worst token and sequence by handle", () => {
    expect(report.worst_tokens[0]).toMatchObject({
      handle: "s2.r0.q2.t0",
      turn: 0,
      token_id: 8,
      delta: -2,
      file: "file-0.npz",
    });
    expect(report.worst_sequences[0]).toMatchObject({ handle: "s2.r0.q2", tokens: 3, delta_sum: -2 });
  });

  it("keeps both tails apart on the extreme-token curve", () => {
    const point = report.tail_curve.find(({ threshold }) => threshold === 0.3);
    expect(point).toMatchObject({ positive: 1, negative: 2, tokens: 3, share: 3 / 8 });
    expect(report.tails.negative).toMatchObject({ tokens: 2, delta_mean: -1.25, delta_extreme: -2 });
  });

  it("counts catastrophic tokens: those whose ρ is below 1e-4", () => {
    expect(report.metrics).toMatchObject({ catastrophic_tokens: 0, catastrophic_fraction: 0 });
    const { metrics } = makeReport([{ deltas: "0 -9.3 9.3 -9.2", step: 1 }]);
    expect(metrics).toMatchObject({ catastrophic_tokens: 1, catastrophic_fraction: 1 / 4 });
  });

  it("gives each trainer's figures per step", () => {
    const block = report.parity.find(({ trainer }) => trainer === "verl");
    expect(block?.per_step.map(({ metrics }) => metrics["per_round/total_rounds"])).toEqual([2, 2]);
    expect(block?.per_step.map(({ metrics }) => metrics["per_round/round_0_token_count"])).toEqual([4, 1]);
    expect(
      report.parity.find(({ trainer }) => trainer === "xtuner")?.metrics[
        "mismatch/mismatch_logprob_abs_diff"
      ],
    ).toBeCloseTo((0.25 + 2 / 3) / 2, 6);
  });

  it("does not depend on how the run is cut into batches", () => {
    const cut = makeReport(
      RUN.slice(0, 1),
      RUN.slice(1).map((sequence, i) => ({ ...sequence, row: i + 1 })),
    );
    expect(rounded(cut.metrics)).toEqual(rounded(report.metrics));
    expect(cut.intervals).toEqual(report.intervals);
    expect(rounded(cut.per_turn)).toEqual(rounded(report.per_turn));
  });

  it("merges summaries of parts to the summary of the whole", () => {
    const [left, right] = [new RunSummary(), new RunSummary()];
    left.add(recordBatch(RUN.slice(0, 2)));
    right.add(recordBatch(RUN.slice(2).map((sequence) => ({ ...sequence, row: 2 }))));
    right.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(left))));
    const merged = buildReport({
      run: "drawn",
      paths: ["drawn"],
      summary: right,
      parity: [],
      findings: [],
      sources: [],
    });
    expect(rounded(merged.metrics)).toEqual(rounded(report.metrics));
    expect(rounded(merged.per_step)).toEqual(rounded(report.per_step));
    expect(merged.worst_tokens.map(({ handle }) => handle)).toEqual(
      report.worst_tokens.map(({ handle }) => handle),
    );
  });

  it("sorts steps that come out of order", () => {
    const shuffled = makeReport([RUN[2], RUN[0], RUN[1]] as SequencePicture[]);
    expect(shuffled.per_step.map(({ step }) => step)).toEqual([1, 2]);
  });

  it("refuses a batch with one side only", () => {
    const { trainerLogprobs: _, ...oneSided } = recordBatch(RUN);
    expect(() => new RunSummary().add(oneSided)).toThrow(
      "cannot compare policies: the trainer log-probs are missing",
    );
  });
});

describe("verdict and facts", () => {
  const many = (delta: number, count = 100): string =>
    Array.from({ length: count }, (_, i) => (i % 2 ? delta : -delta)).join(" ");

  const sequences = (picture: SequencePicture, count = 10): SequencePicture[] =>
    Array.from({ length: count }, (_, i) => ({ rollout: -1 - (i % 2), ...picture }));

  it("calls identical policies none, small noise normal, large noise broken", () => {
    const findLevel = (delta: number): string => makeReport(sequences({ deltas: many(delta) })).verdict.level;
    expect([0, 0.005, 1].map(findLevel)).toEqual(["none", "normal", "broken"]);
  });

  it("says which steps are worse than the others", () => {
    const steps = Array.from({ length: 40 }, (_, step) =>
      sequences({ deltas: many(step === 30 ? 0.25 : 0.004, 130), step }, 8),
    ).flat();
    const { verdict, facts } = makeReport(steps);
    expect(verdict.level).toBe("broken");
    expect(verdict.headline).toMatch(/^in step 30 only: /);
    expect(facts.map(({ kind }) => kind)).toContain("worst-step");
  });

  it("blames the token that makes most of k3", () => {
    const { facts, next } = makeReport([
      { deltas: many(0.001), step: 1 },
      { deltas: `${many(0.001)} -12`, step: 2, rollout: -0.01 },
    ]);
    expect(facts[0]?.text).toMatch(
      /^One token, s2\.q1\.t100 \(Δ -12\.0, p 0\.9900 → 6\.08e-6\), accounts for >99\.9 % of all k3$/,
    );
    // Of so few tokens there is no word on the run, so the ones that differ most are named together.
    expect(next.command).toBe("logratio show drawn worst");
  });

  it("gives at most three facts, and none about nothing", () => {
    expect(makeReport([{ deltas: "0 0" }]).facts).toEqual([]);
    expect(makeReport(RUN).facts.length).toBeLessThanOrEqual(3);
  });
});

describe("how a step's sequences went", () => {
  const batch = (correct: number, entropy: number, reward: number) => {
    const drawn = recordBatch([{ deltas: "0.5 | 1 | 0.25", step: 1, correct }], `${correct}.npz`);
    const trainer = Float32Array.of(entropy, 100, Number.NaN);
    return { ...drawn, entropies: { trainer }, rewards: Float64Array.of(reward) };
  };
  const parts = [batch(1, 0.5, 2), batch(0, 1.5, Number.NaN), batch(0, 0.25, -1)];
  const report = (summary: RunSummary) =>
    buildReport({ run: "drawn", paths: [], summary, parity: [], findings: [], sources: [] });

  it("leaves out what is masked or not known, and merges over JSON", () => {
    const whole = new RunSummary();
    const merged = new RunSummary();
    for (const part of parts) {
      whole.add(part);
      const own = new RunSummary();
      own.add(part);
      merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(own))));
    }
    expect(report(whole).per_step[0]).toMatchObject({
      entropy: 0.75,
      response_tokens: 3,
      reward: 0.5,
      accuracy: 1 / 3,
    });
    expect(rounded(report(merged))).toEqual(rounded(report(whole)));
  });

  it("spreads right and wrong answers over the same bars, and only where there are both", () => {
    const summary = new RunSummary();
    summary.add(parts[1]!);
    expect(report(summary).histograms.by_correctness).toEqual([]);
    for (const part of [parts[0], parts[2]]) summary.add(part as ReturnType<typeof batch>);
    const [right, wrong] = report(summary).histograms.by_correctness;
    const count = (counts: readonly number[] = []) => counts.reduce((sum, one) => sum + one, 0);
    expect([right?.name, wrong?.name]).toEqual(["correct", "incorrect"]);
    expect(wrong?.delta.edges).toEqual(right?.delta.edges);
    expect([count(right?.delta.counts), count(wrong?.delta.counts)]).toEqual([2, 4]);
    expect([count(right?.sequence_delta_abs.counts), count(wrong?.sequence_delta_abs.counts)]).toEqual([
      1, 2,
    ]);
    expect(right?.sequence_delta_abs_p50).toBeCloseTo(0.375, 2);
  });
});

it("keeps the sums of steps that have passed as bytes", () => {
  const summary = new RunSummary();
  const add = (step: number): void =>
    summary.add(recordBatch([{ deltas: "0.5 -0.25", step }], `step-${step}.npz`));
  add(0);
  const first = summary.steps.get(0);
  for (let step = 1; step < 40; step++) add(step);
  const again = summary.steps.get(0);
  expect(again).not.toBe(first);
  expect(again.sums).toEqual(first.sums);
  expect(summary.steps.get(39)).toBe(summary.steps.get(39));
});
