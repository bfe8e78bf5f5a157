import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "./builder.ts";
import { LIST_COLUMNS, layoutColumns, ORIGIN_COLUMNS, SCALAR_COLUMNS } from "./parquet-layout.ts";
import { formatHandle, readHandle } from "./record.ts";
import { rowFacts } from "./row-facts.ts";
import { findMisfit, type SequenceDraft } from "./sequence-draft.ts";

const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
const full: SequenceDraft = {
  length: 2,
  responseMask: Uint8Array.of(1, 0),
  rolloutLogprobs: Float32Array.of(-1, -2),
  trainerLogprobs: Float32Array.of(-3, -4),
  responseTokenIds: Int32Array.of(5, 6),
  policyLogprobs: { reference: Float32Array.of(-7, -8) },
  entropies: { trainer: Float32Array.of(0.5, 0.25) },
  topK: {
    rollout: {
      k: 2,
      ids: Int32Array.of(1, 2, 3, 4),
      logprobs: Float32Array.of(-0.5, -1, -1.5, -2),
    },
  },
  advantages: Float32Array.of(2, 3),
  positionIds: Int32Array.of(10, 11),
  weightVersions: Int32Array.of(20, 21),
  promptTokenIds: Int32Array.of(30, 31, 32),
  step: 4,
  rank: 1,
  row: 9,
  pack: 3,
  reward: 0.5,
  correctness: 1,
  sourceOffset: 128,
  sampleId: "s",
  groupId: "g",
  environment: "math",
  promptText: "question",
  responseText: "answer",
};
const bare: SequenceDraft = { length: 1, responseMask: Uint8Array.of(1) };

function pack(drafts: readonly SequenceDraft[], sampling = {}) {
  const builder = createRecordBuilder({ provenance, sampling });
  for (const draft of drafts) builder.push(draft);
  return builder.flush();
}

describe("formatHandle", () => {
  it("names what is known", () => {
    expect(formatHandle({ step: 12, rank: 3, sequence: 41, token: 880 })).toBe("s12.r3.q41.t880");
    expect(formatHandle({ sequence: 0 })).toBe("q0");
    expect(formatHandle({ step: Number.NaN, rank: 0, sequence: 2 })).toBe("r0.q2");
  });
});

describe("rowFacts", () => {
  it("is what the record says of a row, null where it does not", () => {
    const batch = pack([bare, full]);
    expect(rowFacts(batch, 1)).toEqual({
      step: 4,
      rank: 1,
      row: 9,
      sample: "s",
      group: "g",
      environment: "math",
      reward: 0.5,
      correct: 1,
      file: "a.npz",
    });
    expect(rowFacts(batch, 0)).toEqual({
      step: null,
      rank: null,
      row: 0,
      sample: null,
      group: null,
      environment: null,
      reward: null,
      correct: null,
      file: "a.npz",
    });
  });
});

describe("findMisfit", () => {
  it("finds nothing where every array has an element for each response token", () => {
    expect(findMisfit(full)).toBeUndefined();
    expect(findMisfit(bare)).toBeUndefined();
    expect(findMisfit({ ...full, advantages: 0.5 })).toBeUndefined();
  });

  it("names the array that does not fit", () => {
    const three = Float32Array.of(1, 2, 3);
    const wrong: [Partial<SequenceDraft>, string, number][] = [
      [{ responseMask: three }, "response mask", 2],
      [{ rolloutLogprobs: three }, "rollout log-probs", 2],
      [{ trainerLogprobs: three }, "trainer log-probs", 2],
      [{ responseTokenIds: three }, "response token ids", 2],
      [{ policyLogprobs: { reference: three } }, "log-probs of reference", 2],
      [{ entropies: { trainer: three } }, "entropy of trainer", 2],
      [{ topK: { rollout: { ...full.topK!.rollout!, ids: three } } }, "top-k ids of rollout", 4],
      [{ topK: { rollout: { ...full.topK!.rollout!, logprobs: three } } }, "top-k log-probs of rollout", 4],
      [{ advantages: three }, "advantages", 2],
      [{ positionIds: three }, "position ids", 2],
      [{ weightVersions: three }, "weight versions", 2],
    ];
    for (const [change, column, expected] of wrong) {
      expect(findMisfit({ ...full, ...change })).toEqual({ column, length: 3, expected });
    }
  });

  it("names the first of several", () => {
    const one = Float32Array.of(1);
    expect(findMisfit({ ...full, trainerLogprobs: one, advantages: one })?.column).toBe("trainer log-probs");
  });
});

describe("layoutColumns", () => {
  const sampling = { temperature: 0.7, topP: 0.9, topK: 50, logprobsMode: "raw_logprobs" };
  const columns = layoutColumns(pack([full, bare], sampling));
  const find = (name: string) => columns.find((column) => column.name === name);

  it("has every column of the format, in the order in which it is written", () => {
    expect(columns.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "number step",
      "number rank",
      "number row",
      "number pack",
      "text sample_id",
      "text group_id",
      "text environment",
      "number reward",
      "number correctness",
      "list response_token_ids",
      "list response_mask",
      "list rollout_logprobs",
      "list trainer_logprobs",
      "list policy_logprobs.reference",
      "list entropy.trainer",
      "list topk_ids.rollout",
      "list topk_logprobs.rollout",
      "list advantages",
      "list position_ids",
      "list weight_versions",
      "list prompt_token_ids",
      "text prompt_text",
      "text response_text",
      "number source_offset",
      "text source_file",
      "text source_format",
      "text trainer",
      "text alignment",
      "number temperature",
      "number top_p",
      "number top_k",
      "text logprobs_mode",
    ]);
  });

  it("holds each value under its name", () => {
    const values = Object.fromEntries(
      columns.map((column) => [column.name, Array.from(column.values as ArrayLike<unknown>)]),
    );
    expect(values).toMatchObject({
      step: [4, Number.NaN],
      rank: [1, Number.NaN],
      row: [9, 1],
      pack: [3, 0],
      sample_id: ["s", undefined],
      group_id: ["g", undefined],
      environment: ["math", undefined],
      reward: [0.5, Number.NaN],
      correctness: [1, Number.NaN],
      response_token_ids: [5, 6, -1],
      response_mask: [1, 0, 1],
      rollout_logprobs: [-1, -2, Number.NaN],
      trainer_logprobs: [-3, -4, Number.NaN],
      "policy_logprobs.reference": [-7, -8, Number.NaN],
      "entropy.trainer": [0.5, 0.25, Number.NaN],
      "topk_ids.rollout": [1, 2, 3, 4, -1, -1],
      "topk_logprobs.rollout": [-0.5, -1, -1.5, -2, Number.NaN, Number.NaN],
      advantages: [2, 3, Number.NaN],
      position_ids: [10, 11, -1],
      weight_versions: [20, 21, -1],
      prompt_token_ids: [30, 31, 32],
      prompt_text: ["question", undefined],
      response_text: ["answer", undefined],
      // An unknown place is not a number, and not -1.
      source_offset: [128, Number.NaN],
      source_file: ["a.npz", "a.npz"],
      source_format: ["npz", "npz"],
      trainer: ["verl", "verl"],
      alignment: ["token", "token"],
      temperature: [0.7, 0.7],
      top_p: [0.9, 0.9],
      top_k: [50, 50],
      logprobs_mode: ["raw_logprobs", "raw_logprobs"],
    });
  });

  it("says where a row's list is, and how many values an entry has", () => {
    expect(find(LIST_COLUMNS.rolloutLogprobs)).toMatchObject({
      offsets: Int32Array.of(0, 2, 3),
      inner: undefined,
    });
    expect(find("topk_ids.rollout")).toMatchObject({ offsets: Int32Array.of(0, 2, 3), inner: 2 });
    expect(find("topk_logprobs.rollout")).toMatchObject({ offsets: Int32Array.of(0, 2, 3), inner: 2 });
    expect(find(LIST_COLUMNS.promptTokenIds)).toMatchObject({ offsets: Int32Array.of(0, 3, 3) });
  });

  it("has no list that the batch lacks; what sampling does not say is missing", () => {
    const fewer = layoutColumns(pack([bare]));
    expect(fewer.filter(({ kind }) => kind === "list").map(({ name }) => name)).toEqual(["response_mask"]);
    const findValues = (name: string) => fewer.find((column) => column.name === name)!.values;
    expect([...findValues(ORIGIN_COLUMNS.temperature)]).toEqual([Number.NaN]);
    expect([...findValues(ORIGIN_COLUMNS.logprobsMode)]).toEqual([undefined]);
    expect([...findValues(SCALAR_COLUMNS.sourceOffset)]).toEqual([Number.NaN]);
  });

  it("has the columns that most sources lack only where one sequence has them", () => {
    const more = layoutColumns(
      pack(
        [
          bare,
          { ...bare, finishReason: "stop", engineId: "e", cachedTokens: 3, keptMass: Float32Array.of(1) },
        ],
        {
          minP: 0.1,
        },
      ),
    );
    const values = Object.fromEntries(
      more.map((column) => [column.name, Array.from(column.values as ArrayLike<unknown>)]),
    );
    expect(values).toMatchObject({
      finish_reason: [undefined, "stop"],
      engine_id: [undefined, "e"],
      cached_tokens: [Number.NaN, 3],
      kept_mass: [Number.NaN, 1],
      min_p: [0.1, 0.1],
    });
    expect(Object.keys(values)).not.toContain("repetition_penalty");
    expect(Object.keys(values)).not.toContain("route_agreement");
    expect(Object.keys(values)).not.toContain("rollout_weights");
  });

  it("keeps a place at the start of a file", () => {
    const zero = layoutColumns(pack([{ ...bare, sourceOffset: 0 }]));
    expect([...zero.find(({ name }) => name === "source_offset")!.values]).toEqual([0]);
  });
});

describe("readHandle", () => {
  it("reads what formatHandle writes, negative steps too, and no other text", () => {
    for (const handle of ["q3", "s30.q48", "s-1.q0", "r1.q2.t0", "s30.r2.q48.t39"])
      expect(formatHandle(readHandle(handle)!)).toBe(handle);
    for (const text of ["", "s30", "t39", "s30.q48 ", "q3.x", "see q3", "s30.r-1.q2", `q${"9".repeat(16)}`])
      expect(readHandle(text)).toBeUndefined();
  });
});
