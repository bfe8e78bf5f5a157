import { describe, expect, it } from "vitest";
import { fileNumbers, runName, seriesFolder } from "./file-numbers.ts";

describe("fileNumbers", () => {
  it.each([
    ["run/npz/step_0010.npz", 10, undefined],
    ["logs/train_data_step12.jsonl", 12, undefined],
    ["token_exports/step_3/rank_5.jsonl", 3, 5],
    ["ckpt/global_step_100/batch.pt", 100, undefined],
    ["dumped_data/global_step_7_training_input.pkl", 7, undefined],
    ["details/train_data/42.pt", 42, undefined],
    ["details/train_data/42_3.pt", 42, 3],
    ["out/step-8_dp_rank_2.safetensors", 8, 2],
    ["completions/completions_00010.parquet", 10, undefined],
    ["a/step_1/step_2.jsonl.gz", 2, undefined],
    ["logratio/step_000012_rank_1.pt", 12, 1],
    ["monitors/file/traces/stream/00003.jsonl.zst", undefined, undefined],
    ["batch.npz", undefined, undefined],
    ["steps.jsonl", undefined, undefined],
    ["footstep_4x.npz", undefined, undefined],
    ["-", undefined, undefined],
  ])("%s", (path, step, rank) => {
    expect(fileNumbers(path)).toEqual({ step, rank });
  });
});

describe("runName", () => {
  it.each([
    ["/data/lab", "main/npz/step_0001.npz", "main"],
    ["/data/lab/main", "npz/step_0001.npz", "main"],
    ["/data/lab/main/npz", "step_0001.npz", "main"],
    ["/data/lab/main/npz/step_0001.npz", "", "main"],
    ["/runs/qwen/token_exports", "step_1/rank_0.jsonl", "qwen"],
    ["/runs/qwen", "token_exports/step_1/rank_0.jsonl", "qwen"],
    ["/runs/qwen", "monitors/file/traces/stream/00003.jsonl.zst", "qwen"],
    ["/step_1/rank_0.jsonl", "", "run"],
    ["/runs/qwen", "../llama/npz/step_1.npz", "llama"],
    ["/data/lab", "../main/step_0001.npz", "main"],
    ["/runs/qwen", "../step_1/rank_0.jsonl", "qwen"],
  ])("%s + %s", (root, relative, name) => {
    expect(runName(root, relative)).toBe(name);
  });
});

describe("seriesFolder", () => {
  it("is the same for all steps and ranks of one kind", () => {
    expect(seriesFolder("a/token_exports/step_1/rank_0.jsonl")).toBe("a/token_exports");
    expect(seriesFolder("a/token_exports/step_2/rank_1.jsonl")).toBe("a/token_exports");
  });
});
