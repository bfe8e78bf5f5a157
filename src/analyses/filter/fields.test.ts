import { describe, expect, it } from "vitest";
import { TOKEN_FLAGS } from "../../core/base/token-class.ts";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import type { WireSequence } from "../../results/wire/sequence.ts";
import { parseFilter } from "./filter.ts";
import { batchFilter } from "./filter-batches.ts";
import { madeTable } from "./made-table.test-data.ts";
import { matchingRows } from "./match-rows.ts";
import { tokenMatcher } from "./match-tokens.ts";
import { tokensOfWire } from "./token-columns.ts";

const provenance = { file: "dumps/step_7.npz", format: "npz", trainer: "verl", alignment: "token" } as const;

/** Rows of a batch of these sequences that a filter keeps. */
function findRows(text: string, drafts: readonly Partial<SequenceDraft>[]): number[] {
  const builder = createRecordBuilder({ provenance });
  drafts.forEach((draft, row) => {
    const length = draft.responseMask?.length ?? 2;
    builder.push({ length, responseMask: new Uint8Array(length).fill(1), row, ...draft });
  });
  const { alternatives, problems } = parseFilter(text);
  expect(problems, text).toEqual([]);
  return [...(batchFilter(alternatives).apply(builder.flush())?.rows ?? [])];
}

describe("each field of sequences, under each of its names, means one column", () => {
  it.each([
    ["step", "step"],
    ["rank", "rank"],
    ["row", "row"],
    ["cached", "cached_tokens"],
    ["cached_tokens", "cached_tokens"],
    ["reward", "reward"],
    ["turns", "turns"],
    ["rounds", "turns"],
    ["tokens", "tokens"],
    ["length", "tokens"],
    ["response", "response_tokens"],
    ["prompt", "prompt_tokens"],
    ["mean_abs", "delta_abs_mean"],
    ["worst", "delta_abs_max"],
    ["max", "delta_abs_max"],
    ["max_abs", "delta_abs_max"],
    ["mean_delta", "delta_mean"],
    ["mean", "delta_mean"],
    ["sum", "delta_sum"],
    ["mean_k3", "k3_mean"],
    ["max_dp", "prob_diff_max"],
    ["mean_logp", "rollout_logprob_mean"],
    ["mean_entropy", "entropy_mean"],
    ["mean_advantage", "advantage"],
    ["mean_adv", "advantage"],
    ["delta_abs_mean", "delta_abs_mean"],
    ["prob_diff_max", "prob_diff_max"],
    ["own_tokens", "tokens"],
  ])("%s: %s", (field, column) => {
    const { alternatives, problems } = parseFilter(`${field}>3`);
    expect(problems).toEqual([]);
    expect([...matchingRows(madeTable([{ [column]: 3 }, { [column]: 3.5 }, {}]), alternatives)]).toEqual([1]);
  });

  it.each([
    ["sample", "sample"],
    ["group", "group"],
    ["env", "environment"],
    ["environment", "environment"],
    ["finish", "finish_reason"],
    ["finish_reason", "finish_reason"],
    ["engine", "engine"],
    ["engine_id", "engine"],
    ["file", "file"],
  ])("%s: %s", (field, column) => {
    const { alternatives } = parseFilter(`${field}:step_7`);
    const table = madeTable([{ [column]: "a/Step_7.npz" }, { [column]: "step_8" }, {}]);
    expect([...matchingRows(table, alternatives)]).toEqual([0]);
    expect([...matchingRows(table, parseFilter(`${field}=step_8,none`).alternatives)]).toEqual([1, 2]);
  });

  it("takes a quoted none for a text", () => {
    const table = madeTable([{ group: "none" }, {}]);
    expect([...matchingRows(table, parseFilter('group="none"').alternatives)]).toEqual([0]);
    expect([...matchingRows(table, parseFilter("group=none").alternatives)]).toEqual([1]);
  });

  it("takes an answer for right by any of the usual words", () => {
    const table = madeTable([{ correct: 1 }, { correct: 0 }]);
    const find = (text: string) => [...matchingRows(table, parseFilter(text).alternatives)];
    for (const word of ["yes", "True", "1", "right"]) expect(find(`correct:${word}`), word).toEqual([0]);
    for (const word of ["no", "FALSE", "0", "wrong"]) expect(find(`right:${word}`), word).toEqual([1]);
  });
});

describe("each field of sequences has the figure of the batch", () => {
  const logprobs = (...values: number[]) => Float64Array.from(values);
  // Δ of -1, 0.5 and (mask 0) 9; the second sequence agrees everywhere and stops early.
  const drafts: Partial<SequenceDraft>[] = [
    {
      responseMask: Uint8Array.of(1, 1, 0),
      rolloutLogprobs: logprobs(-1, -2, -10),
      trainerLogprobs: logprobs(-2, -1.5, -1),
      entropies: { rollout: logprobs(1, 2, 50) },
      advantages: logprobs(-1, -2, 50),
      promptTokenIds: Int32Array.of(7, 7, 7, 7),
      reward: -0.5,
    },
    {
      responseMask: Uint8Array.of(1, 1),
      rolloutLogprobs: logprobs(-0.25, -0.25),
      trainerLogprobs: logprobs(-0.25, -0.25),
      entropies: { rollout: logprobs(0, 0) },
      advantages: 1,
      promptTokenIds: Int32Array.of(7),
      reward: 1,
    },
  ];
  it.each([
    ["tokens:2 response:3 prompt:4", [0]],
    ["mean_abs:0.75 worst:1 mean_delta:-0.25 sum:-0.5", [0]],
    ["mean_k3:0.25..0.26", [0]],
    ["max_dp:0.2325..0.2326", [0]],
    ["mean_logp:-1.5 mean_entropy:1.5 mean_adv:-1.5", [0]],
    ["ess:0.712..0.713", [0]],
    ["worst:0 ess:1 mean_logp:-0.25", [1]],
    ["reward<0", [0]],
    ["file:step_7", [0, 1]],
  ])("%s", (text, rows) => expect(findRows(text, drafts)).toEqual(rows));

  it("and its ESS at any Δ", () => {
    // ρ of e^400 and e^399: as 1 and 1/e, (1 + 1/e)² / (2 (1 + 1/e²)).
    const far = [{ rolloutLogprobs: logprobs(-401, -400), trainerLogprobs: logprobs(-1, -1) }];
    expect(findRows("ess:0.8240..0.8241", far)).toEqual([0]);
  });

  it("and none where one side's log-probs are missing", () => {
    const alone = [{ rolloutLogprobs: logprobs(-1, -2) }];
    expect(findRows("mean_abs:none worst:none turns:none tokens:0", alone)).toEqual([0]);
    expect(findRows("mean_abs>=0", alone)).toEqual([]);
  });
});

describe("numbers and ranges", () => {
  const table = madeTable([-2000, -1, 0, 0.5, 2000].map((reward) => ({ reward })));
  it.each([
    ["reward<-1", [0]],
    ["reward<=-1", [0, 1]],
    ["reward>0", [3, 4]],
    ["reward>=0", [2, 3, 4]],
    ["reward>1e3", [4]],
    ["reward>1E+3", [4]],
    ["reward<-1e3", [0]],
    ["reward>.25", [3, 4]],
    ["reward>.25e1", [4]],
    ["reward<5e-1", [0, 1, 2]],
    ["reward:+0.5", [3]],
    ["reward:-inf..-1", [0, 1]],
    ["reward:0..inf", [2, 3, 4]],
    ["reward=-1..0.5", [1, 2, 3]],
    ["reward!=-1..0.5", [0, 4]],
    ["reward:..-1", [0, 1]],
    ["-reward!=0", [2]],
  ])("%s", (text, rows) => {
    const { alternatives, problems } = parseFilter(text);
    expect(problems).toEqual([]);
    expect([...matchingRows(table, alternatives)]).toEqual(rows);
  });

  it.each([
    [",", "a word or a field with a value is missing here"],
    ["reward>1e", '"1e" is not a number, as in reward<0'],
    ["reward>.", '"." is not a number, as in reward<0'],
    ["reward>1..2", "a range needs reward: before it, as in reward:10..30"],
    ["reward:5..x", '"5..x" is not a range, as in 10..30'],
    ["reward>none", '"none" is not a number, as in reward<0'],
    ["correct>yes", "correct takes yes, no or none, as in correct:no"],
    ["correct<=yes", "correct takes yes, no or none, as in correct:no"],
    ["file<=a", "file is text: use : for a part of it, = for all"],
    ["file>=a", "file is text: use : for a part of it, = for all"],
    ["reward<=1,2", "<= takes one number; a list needs :"],
  ])("tells what is wrong with %j", (text, message) => {
    const { problems } = parseFilter(text);
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });
});

describe("each field of tokens, under each of its names", () => {
  const length = 4;
  const drafts = [
    {
      responseMask: Uint8Array.of(1, 0, 1, 1),
      rolloutLogprobs: Float64Array.of(-1, -1, -2, -3),
      trainerLogprobs: Float64Array.of(-1, -1, -3, -2.5),
      responseTokenIds: Int32Array.of(5, 6, 7, 8),
      entropies: { trainer: Float64Array.of(0, 0, 1, 3) },
      advantages: Float64Array.of(1, 1, -1, 2),
    },
  ];
  const findTokens = (text: string, draft: Partial<SequenceDraft> = drafts[0]!): number[] => {
    const builder = createRecordBuilder({ provenance });
    builder.push({ length, responseMask: new Uint8Array(length).fill(1), ...draft });
    const { alternatives, problems } = parseFilter(text);
    expect(problems, text).toEqual([]);
    const mask = batchFilter(alternatives).apply(builder.flush())?.responseMask ?? [];
    return [...mask].flatMap((value, at) => (value === 1 ? [at] : []));
  };
  it.each([
    ["abs>0.5", [2]],
    ["delta>0", [3]],
    ["rho>1", [3]],
    ["ratio<1", [2]],
    ["dp>0.08", [2]],
    ["prob_diff<=0.01", [0]],
    ["k3>0.2", [2]],
    ["logp<-1.5", [2, 3]],
    ["logprob<-2.5", [3]],
    ["rollout:-2", [2]],
    ["trainer<-2.6", [2]],
    ["entropy>1", [3]],
    ["advantage<0", [2]],
    ["adv>1", [3]],
    ["turn:0", [0]],
    ["round:1", [2, 3]],
    ["pos:3", [3]],
    ["t<3", [0, 2]],
    ["position:2..3", [2, 3]],
    ["id:8", [3]],
    ["mask:0", [1]],
    ["mask:0,1 id>5", [1, 2, 3]],
  ])("%s", (text, places) => expect(findTokens(text)).toEqual(places));

  it("is missing where the batch has no such column, but for masks and places", () => {
    for (const name of ["abs", "id", "entropy", "adv", "logp", "trainer"]) {
      expect(findTokens(`${name}:none`, {}), name).toEqual([0, 1, 2, 3]);
      expect(findTokens(`-${name}:none`, {}), name).toEqual([]);
    }
    expect(findTokens("pos<2 turn:0", {})).toEqual([0, 1]);
    expect(findTokens("trainer:none logp:-1", { rolloutLogprobs: Float64Array.of(-1, -2, -1, -2) })).toEqual([
      0, 2,
    ]);
  });
});

describe("the tokens of a sequence in the viewer", () => {
  const texts = ["Q", "a", " 7", "?"];
  const sequence = {
    meta: { promptLength: 1 },
    ids: Int32Array.of(9, 1, 2, 3),
    texts: new TextEncoder().encode(texts.join("")),
    textOffsets: Uint32Array.of(0, 1, 2, 4, 5),
    flags: Uint8Array.of(0, 0, TOKEN_FLAGS.digit, TOKEN_FLAGS.unknown),
    mask: Uint8Array.of(1, 1, 1),
    turnMarks: Uint16Array.of(1, 1, 2),
    rollout: Float32Array.of(-1, -1, -1),
    trainer: Float32Array.of(-1, -2, -1),
    rolloutEntropy: Float32Array.of(0, 1, 2),
    advantages: Float32Array.of(-1, 0, 1),
    policies: {},
  } as unknown as WireSequence;
  const find = (text: string, hasTexts?: boolean, also: object = {}) => {
    const { alternatives } = parseFilter(text);
    return [...tokenMatcher(alternatives)(tokensOfWire({ ...sequence, ...also }, hasTexts))];
  };

  it("are found by all that is sent of them, from the first token of the response on", () => {
    expect(find("id:1")).toEqual([0]);
    expect(find("id:9")).toEqual([]);
    expect(find("token:7 is:number")).toEqual([1]);
    expect(find("token:none")).toEqual([2]);
    expect(find("turn:1")).toEqual([2]);
    expect(find("abs>0.5 delta<0")).toEqual([1]);
    expect(find("adv<0")).toEqual([0]);
    expect(find("entropy>0.5")).toEqual([1, 2]);
  });

  it("have the trainer's entropy where both are there, and no texts where ids stand for them", () => {
    expect(find("entropy>0.5", true, { trainerEntropy: Float32Array.of(1, 0, 0) })).toEqual([0]);
    expect(find("token:7", false)).toEqual([]);
    expect(find("token:none", false)).toEqual([0, 1, 2]);
  });
});
