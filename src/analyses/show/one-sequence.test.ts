import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { TOKEN_FLAGS } from "../../core/base/token-class.ts";
import { computeDelta } from "../../core/kernels/scalar.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { TokenMetricName } from "../../results/metrics/token-metrics.ts";
import { buildShow } from "./build-show.ts";
import { SequenceFinder, WorstFinder } from "./find-sequence.ts";
import { parseHandle } from "./handle.ts";
import { defaultMetric, openMetric } from "./metrics.ts";
import { makeSpeller, type Speller } from "./speller.ts";

const speller: Speller = {
  pieces: (ids) =>
    Array.from(ids, (id) => ({
      text: id < 0 ? "#?" : `w${id}`,
      kind: id < 0 ? ("id" as const) : ("text" as const),
      bytes: Uint8Array.of(10, 255),
    })),
  textOf: (id) => (id === 404 ? null : `w${id}`),
};

function onlyOf(batch: RecordBatch, side: "rollout" | "trainer"): RecordBatch {
  const { rolloutLogprobs, trainerLogprobs, ...rest } = batch;
  return side === "rollout"
    ? { ...rest, rolloutLogprobs: rolloutLogprobs! }
    : { ...rest, trainerLogprobs: trainerLogprobs! };
}

function show(batch: RecordBatch, metric: TokenMetricName = "delta", token?: number, scale?: number) {
  const finder = new SequenceFinder(parseHandle("q0"));
  finder.add(batch);
  return buildShow({ found: finder.result(new Set()), metric, token, scale, speller });
}

const both = recordBatch([{ deltas: "0 .5 | 7 7 | -1", rollout: -2, tokenIds: [1, 2, 3, 4, 5] }]);
const rich = {
  ...both,
  entropies: { rollout: Float64Array.of(0, 1, 2, 3, 4), trainer: Float64Array.of(9, 8, 7, 6, 5) },
  advantages: Float32Array.of(1, 1, 0, 0, -2),
} satisfies RecordBatch;

describe("metrics that color tokens", () => {
  it.each<[TokenMetricName, title: string, words: RegExp, signed: boolean, neutral: number, scale: number]>([
    ["delta", "Δ", /^log p trainer − log p rollout, nats$/, true, 0, 1],
    ["abs", "|Δ|", /distance between the two log-probs, nats/, false, 0, 1],
    ["rho", "ρ", /ratio exp Δ$/, true, 1, 1],
    ["k3", "k3", /^exp Δ − Δ − 1, nats$/, false, 0, 0.5],
    ["dp", "Δp", /^p trainer − p rollout$/, true, 0, 0.5],
    ["entropy", "entropy", /^of the trainer policy, nats$/, false, 0, 3],
    ["logp", "log p rollout", /under the rollout policy, nats; colored by how small/, false, 0, 10],
    ["trainer", "log p trainer", /under the trainer policy, nats/, false, 0, 10],
    ["advantage", "advantage", /as recorded/, true, 0, 3],
  ])("%s", (name, title, words, signed, neutral, scale) => {
    const { metric } = openMetric(rich, name);
    expect(metric).toMatchObject({ name, title, signed, neutral, scale });
    expect(metric.meaning).toMatch(words);
    expect(openMetric(rich, name, 7).metric.scale).toBe(7);
  });

  it("take the trainer's entropies, and the rollout's where these are all there are", () => {
    expect(openMetric(rich, "entropy").valueAt(1)).toBe(8);
    const { metric, valueAt } = openMetric(
      { ...rich, entropies: { rollout: rich.entropies.rollout } },
      "entropy",
    );
    expect([metric.meaning, valueAt(1)]).toEqual(["of the rollout policy, nats", 1]);
    expect(openMetric(rich, "advantage").valueAt(4)).toBe(-2);
  });

  it("are infinite, and not missing, where both policies rule a token out", () => {
    expect(computeDelta(-Infinity, -Infinity)).toBe(Infinity);
    expect(computeDelta(-Infinity, -1)).toBe(Infinity);
    expect(computeDelta(-1, -Infinity)).toBe(-Infinity);
    expect([computeDelta(Number.NaN, -1), computeDelta(-1, -1.5)]).toEqual([Number.NaN, -0.5]);
  });

  it.each(["entropy", "advantage"] as const)("say in which file %s is not", (name) => {
    expect(() => openMetric(both, name)).toThrow(
      expect.objectContaining({
        _tag: "SchemaError",
        at: { file: "drawn.npz" },
        hint: expect.stringContaining("delta"),
      }),
    );
  });
});

describe("one policy alone", () => {
  it.each(["rollout", "trainer"] as const)(
    "%s: colored by its own log-probs, and compared with nothing",
    (side) => {
      const batch = onlyOf(rich, side);
      const own = side === "rollout" ? "logp" : "trainer";
      expect([defaultMetric(batch), defaultMetric(rich)]).toEqual([own, "delta"]);
      const other = side === "rollout" ? "trainer" : "logp";
      for (const name of [own, "entropy", "advantage"] as const)
        expect(openMetric(batch, name).metric.name).toBe(name);
      for (const name of [other, "delta", "abs", "rho", "k3", "dp"] as const)
        expect(() => openMetric(batch, name), name).toThrow(
          expect.objectContaining({
            _tag: "MissingSideError",
            message: `--metric ${name} compares the policies: the input has ${side} log-probs only`,
            hint: `of one policy there are ${own}, entropy, advantage`,
          }),
        );
    },
  );

  it("has means and the least likely token instead of Δ", () => {
    const { policies, sequence, sections, tokens } = show(
      onlyOf({ ...both, trainerLogprobs: Float64Array.of(-1, -4, -9, -9, -Infinity) }, "trainer"),
      "trainer",
    );
    expect(policies).toBe("trainer");
    expect(sequence).toMatchObject({
      ...{ tokens: 3, measured: 2, infinite: 1, missing: 0, worst: 1 },
      ...{
        log_prob_mean: -2.5,
        log_prob_min: -4,
        delta_mean: null,
        delta_abs_mean: null,
        delta_abs_max: null,
        k3: null,
      },
    });
    expect(sections.map(({ tokens: n, log_prob_mean: mean }) => [n, mean])).toEqual([
      [2, -2.5],
      [0, null],
      [1, null],
    ]);
    expect(tokens.map(({ rollout_logprob, delta }) => [rollout_logprob, delta])).toEqual(
      tokens.map(() => [null, null]),
    );
    expect(show(both)).not.toHaveProperty("policies");
  });

  it("counts what is missing", () => {
    const { sequence } = show(
      onlyOf({ ...both, rolloutLogprobs: Float64Array.of(Number.NaN, -4, 0, 0, -6) }, "rollout"),
      "logp",
    );
    expect(sequence).toMatchObject({
      tokens: 3,
      measured: 2,
      missing: 1,
      infinite: 0,
      log_prob_min: -6,
      worst: 4,
    });
  });

  it("has a worst token: the least likely one", () => {
    for (const side of ["rollout", "trainer"] as const) {
      const finder = new WorstFinder();
      finder.add(
        onlyOf(recordBatch([{ deltas: "0 -1 | -9 | -1", rollout: side === "rollout" ? -3 : -1 }]), side),
      );
      expect(finder.result()).toMatchObject(
        side === "rollout" ? { token: 0, size: 3 } : { token: 1, size: 2 },
      );
    }
    const { rolloutLogprobs: _, trainerLogprobs: __, ...none } = both;
    const finder = new WorstFinder();
    finder.add(none);
    expect(() => finder.result()).toThrow(/nothing to compare/);
  });
});

describe("the worst of several", () => {
  it("goes by size, then by file and handle, whatever comes first", () => {
    const batches = [
      recordBatch([{ deltas: "1", row: 5 }], "b.npz"),
      recordBatch(
        [
          { deltas: "-1", row: 7 },
          { deltas: "1", row: 6 },
        ],
        "a.npz",
      ),
      recordBatch([{ deltas: "0.9", row: 1 }], "a.npz"),
    ];
    for (const order of [batches, batches.toReversed()]) {
      const finder = new WorstFinder();
      for (const batch of order) finder.add(batch);
      expect(finder.result()).toMatchObject({ handle: "q6", size: 1 });
    }
  });

  it("may have no distance at all", () => {
    const finder = new WorstFinder();
    finder.add(recordBatch([{ deltas: "0 0" }]));
    expect(finder.result()).toMatchObject({ token: 0, size: 0 });
  });

  it("lists five tokens of a sequence by their distance from the neutral value, the first of equals first", () => {
    const batch = recordBatch([{ deltas: "0 .1 -.2 .3 .3 | 9 | -.5 .6 .05" }]);
    expect(show(batch).worst).toEqual([7, 6, 3, 4, 2]);
    // exp Δ − 1: 0.6 is 0.82 away, −0.5 is 0.39.
    expect(show(batch, "rho").worst).toEqual([7, 6, 3, 4, 2]);
    expect(show(recordBatch([{ deltas: ".5 -.6" }]), "rho").worst).toEqual([0, 1]);
    expect(show(recordBatch([{ deltas: "0 0" }])).worst).toEqual([]);
  });
});

describe("a sequence that is not there", () => {
  const refuse = (
    handle: string,
    steps: readonly number[],
    ...batches: readonly RecordBatch[]
  ): Record<string, unknown> => {
    const finder = new SequenceFinder(parseHandle(handle));
    for (const batch of batches) finder.add(batch);
    try {
      finder.result(new Set(steps));
    } catch (error) {
      const { _tag, message, hint } = error as Record<string, unknown>;
      return { _tag, message, hint };
    }
    return {};
  };
  const row = (step: number | undefined, at: number, rank?: number) => ({
    deltas: "0",
    row: at,
    ...(step !== undefined && { step }),
    ...(rank !== undefined && { rank }),
  });

  it("in an input without any", () => {
    expect(refuse("q1", [])).toEqual({
      _tag: "EmptyInputError",
      message: "the input has no sequences",
      hint: undefined,
    });
    expect(refuse("s1.q1", [])).toMatchObject({ _tag: "EmptyInputError" });
    expect(refuse("s1.q1", [2])).toMatchObject({ _tag: "UsageError", message: "there is no sequence s1.q1" });
  });

  it("has neighbors of its step, in ranges", () => {
    const rows = recordBatch([row(1, 4), row(1, 6), row(1, 5)]);
    expect(refuse("s1.q9.t3", [1], rows)).toEqual({
      _tag: "UsageError",
      message: "there is no sequence s1.q9",
      hint: "there are 3 sequences from s1.q4 to s1.q6",
    });
    expect(refuse("q9", [], recordBatch([row(undefined, 4)])).hint).toBe("there is q4");
  });

  it("names the nearest ranges only, and counts the others", () => {
    const rows = recordBatch([row(1, 90, 0), row(1, 10, 1), row(1, 20, 2), row(1, 300, 3), row(1, 12, 4)]);
    expect(refuse("s1.q15", [1], rows).hint).toBe(
      "there is s1.r4.q12\nthere is s1.r1.q10\nthere is s1.r2.q20\nand sequences of 2 other steps and ranks",
    );
  });

  it("may be of a step that is not there", () => {
    const rows = recordBatch([row(4, 0)]);
    expect(refuse("s9.q0", [40, 8, 9, 12, 4], rows).hint).toBe(
      "the nearest steps are 4, 8, 12 (4 in all, 4 to 40)",
    );
    expect(refuse("s9.q0", [9], recordBatch([row(undefined, 0)])).hint).toBe(
      "the run's steps are unknown: leave out the step",
    );
  });

  it("may be one of many", () => {
    const handles = (n: number) =>
      refuse("q7", [], recordBatch(Array.from({ length: n }, (_, step) => row(step, 7))));
    expect(handles(6).hint).toBe("say which: s0.q7, s1.q7, s2.q7, s3.q7, s4.q7, s5.q7");
    expect(handles(7)).toMatchObject({
      message: "q7 names 7 sequences",
      hint: expect.stringMatching(/s5\.q7 and 1 more$/),
    });
    const files = Array.from({ length: 8 }, (_, file) => recordBatch([row(1, 7)], `${file}.npz`));
    expect(refuse("s1.q7", [], ...files)).toMatchObject({
      message: "s1.q7 is the handle of 8 sequences",
      hint: "give one of the files: 0.npz, 1.npz, 2.npz, 3.npz, 4.npz, 5.npz",
    });
  });
});

describe("the card of a token", () => {
  it("has all that the batch knows, and of tool output no figure", () => {
    const batch = {
      ...rich,
      weightVersions: Int32Array.of(3, 3, 4, 4, 5),
      policyLogprobs: { rescore: Float64Array.of(-1, -2, -3, -4, Number.NaN) },
    } as unknown as RecordBatch;
    const own = show(batch, "delta", 1).token!;
    expect(own).toMatchObject({
      ...{ handle: "q0.t1", text: "w2", bytes: "0a ff", turn: 0, turn_token: 1, weight_version: 3 },
      ...{ rollout_entropy: 1, trainer_entropy: 8, advantage: 1, policy_logprobs: { rescore: -2 } },
      alternatives: null,
    });
    expect(own.rollout_probability).toBeCloseTo(Math.exp(-2), 12);
    expect(own.trainer_probability).toBeCloseTo(Math.exp(-1.5), 12);
    expect(own.probability_difference).toBeCloseTo(Math.exp(-1.5) - Math.exp(-2), 12);
    expect(own.rho).toBeCloseTo(Math.exp(0.5), 12);
    expect(own.k3).toBeCloseTo(Math.exp(0.5) - 1.5, 12);
    const last = show(batch, "delta", 4).token!;
    expect(last).toMatchObject({
      turn: 1,
      turn_token: 0,
      weight_version: 5,
      policy_logprobs: { rescore: null },
    });
    const tool = show(batch, "delta", 3).token!;
    expect(tool).toMatchObject({
      turn: null,
      turn_token: null,
      rho: null,
      k3: null,
      probability_difference: null,
      delta: null,
    });
    expect(tool.rollout_probability).toBeCloseTo(Math.exp(-2), 12);
    expect([show(both).token, show(both, "delta", 99).token]).toEqual([null, null]);
    expect(show(both, "delta", 0).token).toMatchObject({
      weight_version: null,
      policy_logprobs: {},
      advantage: null,
    });
  });

  it("has no bytes where the token is known by its id only", () => {
    const { responseTokenIds: _, ...bare } = both;
    const { tokens, token } = show(bare, "delta", 0);
    expect(tokens[0]).toMatchObject({ id: null, text: "#?", kind: "id" });
    expect(token!.bytes).toBe("");
  });
});

describe("the prompt", () => {
  const prompted = (more: object): RecordBatch =>
    ({
      ...both,
      promptOffsets: Int32Array.of(0, 2),
      promptTokenIds: Int32Array.of(8, 9),
      ...more,
    }) as RecordBatch;

  it("is its tokens, else its text, else nothing", () => {
    expect(show(prompted({})).prompt).toEqual([
      { id: 8, text: "w8", kind: "text" },
      { id: 9, text: "w9", kind: "text" },
    ]);
    expect(show(prompted({})).sequence.prompt_tokens).toBe(2);
    expect(show(prompted({ promptTexts: ["a text"] })).prompt).toHaveLength(2);
    const unknown = prompted({ promptTexts: ["a text"], promptTokenIds: Int32Array.of(404, 9) });
    expect(show(unknown).prompt).toEqual([{ id: null, text: "a text", kind: "text" }]);
    expect(show({ ...both, promptTexts: ["a text"] }).prompt).toEqual([
      { id: null, text: "a text", kind: "text" },
    ]);
    expect(show(both).prompt).toEqual([]);
    expect(show(prompted({ promptTokenIds: Int32Array.of(404, 9) })).prompt).toHaveLength(2);
  });
});

describe("spelling", () => {
  const made = makeSpeller({
    pieces: (ids) =>
      Array.from(ids)
        .filter((id) => id >= 0)
        .map((id) => ({ text: `t${id}`, bytes: Uint8Array.of(id), flags: id })),
    nameOf: (id) => `name${id}`,
  });

  it("tells special tokens, unknown ids and parts of a character", () => {
    const { special, unknown, continuation } = TOKEN_FLAGS;
    const kinds = made
      .pieces([0, special, unknown, continuation, continuation | unknown])
      .map(({ kind }) => kind);
    expect(kinds).toEqual(["text", "special", "id", "continuation", "continuation"]);
    expect(made.pieces([5])[0]).toMatchObject({ text: "t5", bytes: Uint8Array.of(5) });
  });

  it("has no name for what the tokenizer does not know", () => {
    expect([made.textOf(0), made.textOf(TOKEN_FLAGS.unknown), made.textOf(-1)]).toEqual([
      "name0",
      null,
      null,
    ]);
  });
});
