import { describe, expect, it } from "vitest";
import { pooledMetrics } from "../../analyses/report/metrics.ts";
import { FIXTURES, readAll, readError, splitRows } from "../adapters/read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}pair/${name}`;
const both = (name: string, extension: string): string[] => [
  fixture(`${name}_a.${extension}`),
  fixture(`${name}_b.${extension}`),
];

describe("two files that scored the same tokens", () => {
  it("Megatron-LM: by key, up to the first token that differs, prompt log-probs left off", async () => {
    const { batches, run, findings } = await readAll(both("megatron", "json"));
    const [batch] = batches;
    expect(splitRows(batch!, batch!.responseTokenIds)).toEqual([
      [5, 6],
      [8, 9],
    ]);
    expect(splitRows(batch!, batch!.rolloutLogprobs)).toEqual([
      [-0.5, -0.5],
      [-0.25, -0.125],
    ]);
    expect(splitRows(batch!, batch!.trainerLogprobs)).toEqual([
      [-0.4375, -0.4375],
      [-0.3125, -0.125],
    ]);
    expect(batch!.sampleIds).toEqual(["0", "7"]);
    expect(batch!.responseTexts).toEqual([undefined, "y"]);
    expect(batch!.provenance.trainer).toBe("pair");
    expect(run.sources.map(({ guessed }) => guessed)).toEqual([
      ["the rollout side, because it was given first"],
      ["the trainer side, because it was given second"],
    ]);
    expect(findings.map(({ code, severity, message, count }) => [code, severity, message, count])).toEqual([
      ["note", "info", "1 entry is not a generation: throughput", 1],
      ["note", "info", "1 entry is not a generation: throughput", 1],
      ["texts-part", "warning", "2 tokens after the point where 1 of 2 sequences diverges", 2],
      ["note", "info", "2 sequences joined from the two sides: 2 by id", 2],
    ]);
    const prompts = pooledMetrics(run.promptSummary()!);
    expect([prompts.tokens, prompts.sequences, prompts.delta_abs_mean]).toEqual([2, 1, 0]);
  });

  it("text-generation-inference: by the prompt, one after the other where several have the same", async () => {
    const { batches, findings } = await readAll(both("tgi", "json"));
    const [batch] = batches;
    expect(splitRows(batch!, batch!.trainerLogprobs)).toEqual([
      [-1.25, -0.5],
      [-1.75, -0.5],
    ]);
    expect(batch!.promptTexts).toEqual(["Pour moi", "Pour moi"]);
    expect(findings.map(({ message, omits }) => [message, omits])).toEqual([
      ["2 sequences joined from the two sides: 2 by prompt and tokens", undefined],
    ]);
  });

  it("rows with ids: what has no counterpart is counted, what does not fit is left out", async () => {
    const { batches, findings } = await readAll(both("rows", "jsonl"));
    expect(batches[0]!.sampleIds).toEqual(["p"]);
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["skipped", "1 row cannot be read: 2 token ids and 1 log-probs"],
      ["info", "1 sequence joined from the two sides: 1 by id"],
      ["skipped", `1 sequence has no counterpart in ${fixture("rows_b.jsonl")}: its id is not there`],
      ["skipped", `1 sequence has no counterpart in ${fixture("rows_a.jsonl")}: its id is not there`],
    ]);
  });

  it("rows without names: in order, and that is said", async () => {
    const { batches, findings } = await readAll(both("unnamed", "jsonl"));
    expect([...batches[0]!.trainerLogprobs!]).toEqual([-0.75, -0.5]);
    expect(findings.map(({ message }) => message)).toEqual([
      "2 sequences joined from the two sides: 2 by order",
      "2 sequences have neither id nor prompt and were joined in the order in which they appear",
    ]);
  });

  it("is no pair when the prompts are others", async () => {
    const error = await readError([fixture("megatron_a.json"), fixture("tgi_a.json")]);
    expect(error._tag).toBe("SchemaError");
    expect(error.message).toBe(
      `none of 2 sequences in ${fixture("megatron_a.json")} has a counterpart among the 2 in ${fixture("tgi_a.json")}`,
    );
  });

  it("needs two", async () => {
    const alone = await readError(fixture("tgi_a.json"));
    expect([alone._tag, alone.message]).toEqual([
      "MissingSideError",
      "text-generation-inference replies: only one policy's log-probs are present",
    ]);
    const forced = await readError(fixture("tgi_a.json"), { pair: true });
    expect([forced._tag, forced.message]).toEqual(["UsageError", "a pair needs two files, 1 were found"]);
  });

  it("can be forced, and then says when a file is no half of one", async () => {
    const error = await readError([fixture("tgi_a.json"), `${FIXTURES}verl/rows.jsonl`], { pair: true });
    expect(error.message).toBe(
      "this file has no token ids with one list of log-probs, so it cannot be half of a pair",
    );
  });
});
