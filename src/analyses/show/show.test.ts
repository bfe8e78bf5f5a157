import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { ShowReport } from "../../results/show.ts";
import { buildShow } from "./build-show.ts";
import { SequenceFinder, WorstFinder } from "./find-sequence.ts";
import { parseHandle } from "./handle.ts";
import { openMetric } from "./metrics.ts";
import type { Speller } from "./speller.ts";

const speller: Speller = {
  pieces: (ids) =>
    Array.from(ids, (id) => {
      const text = id < 0 ? "#?" : `w${id}`;
      return { text, kind: "text", bytes: new TextEncoder().encode(text) };
    }),
  textOf: (id) => `w${id}`,
};

const find = (handle: string, ...batches: readonly RecordBatch[]): SequenceFinder => {
  const finder = new SequenceFinder(parseHandle(handle));
  for (const batch of batches) finder.add(batch);
  return finder;
};

const NONE = new Set<number>();

function built(
  batch: RecordBatch,
  handle: string,
  metric: ShowReport["metric"]["name"] = "delta",
): ReturnType<typeof buildShow> {
  const found = find(handle, batch).result(NONE);
  return buildShow({ found, token: parseHandle(handle).token, metric, speller });
}

describe("parseHandle", () => {
  it("reads what formatHandle writes, and its shorter forms", () => {
    expect(parseHandle("s12.r3.q41.t880")).toEqual({ step: 12, rank: 3, sequence: 41, token: 880 });
    expect(parseHandle("q0")).toEqual({ sequence: 0 });
    expect(parseHandle("s-1.q2")).toEqual({ step: -1, sequence: 2 });
    expect(parseHandle("r1.q2.t0")).toEqual({ rank: 1, sequence: 2, token: 0 });
  });

  it.each(["", "s1", "41", "q", "q1.s2", "q1.t", "s--1.q2", "q1 "])("refuses %j", (text) => {
    expect(() => parseHandle(text)).toThrow(/is not a handle/);
  });
});

describe("SequenceFinder", () => {
  const ranks = recordBatch([
    { deltas: "0 0", step: 1, rank: 0, row: 4 },
    { deltas: "1", step: 1, rank: 1, row: 4 },
    { deltas: "2", step: 2, rank: 0, row: 5 },
  ]);

  it("finds a whole handle, and a short one that names one sequence", () => {
    expect(find("s1.r1.q4", ranks).result(NONE)).toMatchObject({ row: 1, handle: "s1.r1.q4" });
    expect(find("q5", ranks).result(NONE)).toMatchObject({ row: 2, handle: "s2.r0.q5" });
    expect(find("s1.r1.q4", ranks).isExact).toBe(true);
    expect(find("q5", ranks).isExact).toBe(false);
  });

  it("says between which sequences an ambiguous handle leaves the choice", () => {
    expect(() => find("q4", ranks).result(NONE)).toThrow(
      expect.objectContaining({
        _tag: "UsageError",
        message: "q4 names 2 sequences",
        hint: "say which: s1.r0.q4, s1.r1.q4",
      }),
    );
    const many = recordBatch(Array.from({ length: 9 }, (_, step) => ({ deltas: "0", step, row: 7 })));
    expect(() => find("q7", many).result(NONE)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/s5\.q7 and 3 more$/) }),
    );
  });

  it("says that one handle names sequences of two files", () => {
    const [a, b] = ["a.npz", "b.npz"].map((file) => recordBatch([{ deltas: "0", step: 1 }], file));
    expect(() => find("s1.q0", a!, b!).result(NONE)).toThrow(
      expect.objectContaining({ hint: "give one of the files: a.npz, b.npz" }),
    );
  });

  it("says what there is where a sequence is not", () => {
    const findHint = (handle: string, steps = NONE): unknown => {
      try {
        return find(handle, ranks).result(steps);
      } catch (error) {
        return (error as { hint?: string }).hint;
      }
    };
    expect(findHint("s1.r0.q9")).toContain("there is s1.r0.q4");
    expect(findHint("s3.q4", new Set([1, 2, 3]))).toBe("the nearest steps are 1, 2 (2 in all, 1 to 2)");
    expect(findHint("s3.q4", new Set([1, 2, 8, 40]))).toBe(
      "the nearest steps are 1, 2, 8 (4 in all, 1 to 40)",
    );
  });
});

describe("WorstFinder", () => {
  it("takes the largest finite |Δ| of tokens with mask 1, ties as the report does", () => {
    const finder = new WorstFinder();
    finder.add(recordBatch([{ deltas: "-2 | 9 | .5", row: 8 }], "b.npz"));
    finder.add(
      recordBatch(
        [
          { deltas: "0 2", row: 3 },
          { deltas: "-Infinity", row: 4 },
        ],
        "a.npz",
      ),
    );
    expect(finder.result()).toMatchObject({ handle: "q3", token: 1, size: 2 });
  });

  it("refuses a run in which nothing can be compared", () => {
    const finder = new WorstFinder();
    finder.add(recordBatch([{ deltas: "NaN Infinity" }]));
    expect(() => finder.result()).toThrow(/nothing to compare/);
  });
});

describe("buildShow", () => {
  const batch = recordBatch([{ deltas: "0 .5 | 7 7 | -1 -Infinity NaN", tokenIds: [1, 2, 3, 4, 5, 6, 7] }]);

  it("splits a response into turns and what stands between them", () => {
    const { sections, sequence } = built(batch, "q0");
    expect(sections.map(({ kind, turn, from, to }) => [kind, turn, from, to])).toEqual([
      ["turn", 0, 0, 2],
      ["tool", null, 2, 4],
      ["turn", 1, 4, 7],
    ]);
    expect(sequence).toMatchObject({
      ...{ tokens: 5, measured: 3, infinite: 1, missing: 1, turns: 2 },
      ...{ response_tokens: 7, delta_abs_mean: 0.5, delta_abs_max: 1, worst: 4 },
    });
    expect(sequence.delta_mean).toBeCloseTo(-1 / 6, 12);
    expect(sections[1]).toMatchObject({ tokens: 0, delta_abs_mean: null, worst: null });
  });

  it("keeps tool output out of every figure, and puts infinite values first", () => {
    const { tokens, worst } = built(batch, "q0");
    expect(tokens.map(({ value }) => value)).toEqual([0, 0.5, null, null, -1, -Infinity, null]);
    expect(tokens[2]).toMatchObject({ delta: null, turn: null, text: "w3", trainer_logprob: 6 });
    expect(worst).toEqual([5, 4, 1]);
  });

  it.each([
    ["abs", [0, 0.5, 1]],
    ["rho", [1, Math.exp(0.5), Math.exp(-1)]],
    ["k3", [0, Math.exp(0.5) - 1.5, Math.exp(-1)]],
    ["dp", [0, Math.exp(-0.5) - Math.exp(-1), Math.exp(-2) - Math.exp(-1)]],
    ["logp", [-1, -1, -1]],
    ["trainer", [-1, -0.5, -2]],
  ] as const)("has the values of %s", (metric, expected) => {
    const { tokens } = built(batch, "q0", metric);
    [0, 1, 4].forEach((at, i) => {
      expect(tokens[at]!.value).toBeCloseTo(expected[i]!, 12);
    });
  });

  it("says which metric the input has no columns for", () => {
    expect(() => openMetric(batch, "entropy")).toThrow(/--metric entropy: the input has no entropies/);
    expect(() => openMetric(batch, "advantage")).toThrow(/has no advantages/);
  });

  it("tells of a token what both policies would rather have said", () => {
    const logprobs = (...probabilities: readonly number[]): Float32Array =>
      Float32Array.from(probabilities, Math.log);
    const one = {
      ...recordBatch([{ deltas: "-2", tokenIds: [5], rollout: Math.log(0.5), step: 3 }]),
      topK: {
        rollout: { k: 2, ids: Int32Array.of(5, 9), logprobs: logprobs(0.5, 0.25) },
        trainer: { k: 2, ids: Int32Array.of(9, 8), logprobs: logprobs(0.75, 0.125) },
      },
    };
    const { token } = built(one, "s3.q0.t0");
    expect(token).toMatchObject({
      ...{ handle: "s3.q0.t0", text: "w5", bytes: "77 35", turn: 0, turn_token: 0, advantage: null },
      alternatives: { rollout_k: 2, trainer_k: 2 },
    });
    const { candidates, rollout_rest, trainer_rest } = token!.alternatives!;
    expect(candidates.map(({ id, sampled }) => [id, sampled])).toEqual([
      [9, false],
      [5, true],
      [8, false],
    ]);
    expect(candidates[1]).toMatchObject({
      rollout: { rank: 1, at_most: false },
      // Known from the token's own log-prob, though the trainer's list ends above it.
      trainer: { rank: null, at_most: false },
    });
    expect(candidates[1]!.trainer!.probability).toBeCloseTo(0.5 * Math.exp(-2), 6);
    expect(candidates[2]!.rollout).toMatchObject({ rank: null, at_most: true });
    expect(candidates[2]!.rollout!.probability).toBeCloseTo(0.25, 6);
    expect(rollout_rest).toBeCloseTo(0.25, 6);
    expect(trainer_rest).toBeCloseTo(0.125 - 0.5 * Math.exp(-2), 6);
  });
});
