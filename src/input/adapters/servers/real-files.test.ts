import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REAL, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { readAll } from "../read.test-data.ts";

const present = existsSync(REAL);
warnIfAbsent("public servers' replies", REAL);

const MEGATRON = "NVIDIA__Megatron-LM/tests/functional_tests/test_cases/gpt";
const TGI = "huggingface__text-generation-inference/integration-tests/models/__snapshots__";
const ROBBY = "Robby955__logprobe";

/** Sequences and tokens, as jq counts them. */
const FILES: readonly (readonly [path: string, what: string, sequences: number, tokens: number])[] = [
  [`${ROBBY}/demo/gemini_sample.json`, "Gemini replies", 1, 12],
  [`${ROBBY}/demo/gpt2_openai.json`, "OpenAI chat completions", 1, 9],
  [`${ROBBY}/demo/gpt41_nano.json`, "OpenAI chat completions", 1, 1],
  [`${ROBBY}/demo/ollama_sample.json`, "Ollama replies", 1, 7],
  [`${ROBBY}/research/data/domain_creative.json`, "OpenAI chat completions", 1, 150],
  [`${ROBBY}/research/data/lang_japanese.json`, "OpenAI chat completions", 1, 100],
  [`${ROBBY}/research/data/topk_5.json`, "OpenAI chat completions", 1, 100],
  [
    "sunnweiwei__verl-vllm-rollout-benchmark/task/vllm-src/tests/models/fixtures/mistral_small_3_chat.json",
    "vLLM's recorded outputs",
    3,
    135,
  ],
  [`${TGI}/test_bloom_560m/test_bloom_560m_load.json`, "text-generation-inference replies", 4, 40],
  [
    `${MEGATRON}/gpt_static_inference_tp1_pp1_583m_cudagraphs/golden_values_dev_dgx_h100.json`,
    "Megatron-LM inference results",
    1,
    30,
  ],
];

describe.skipIf(!present)("public files of servers", () => {
  it.each(FILES)("%s is one policy", async (path, what, sequences, tokens) => {
    const { run, batches } = await readAll(`${REAL}${path}`, { onePolicy: true });
    expect(run.sources[0]!.found[0]).toBe(what);
    expect(run.onePolicy?.has).toBe("rollout");
    const [batch] = batches;
    expect([batch!.length, batch!.responseMask.length]).toEqual([sequences, tokens]);
    expect(batch!.trainerLogprobs).toBeUndefined();
    expect([...batch!.rolloutLogprobs!].every((logprob) => Number.isNaN(logprob) || logprob <= 0)).toBe(true);
    expect(batch!.responseTexts.every((text) => typeof text === "string" && text.length > 0)).toBe(true);
  });

  it("a file given twice is no second engine", async () => {
    const file = `${REAL}${ROBBY}/demo/gpt2_openai.json`;
    await expect(readAll([file, file])).rejects.toThrow("the two sides are the same file");
  });

  it("other texts are refused with what differs", async () => {
    const [a, b] = [`${REAL}${ROBBY}/demo/gpt2_openai.json`, `${REAL}${ROBBY}/demo/ollama_sample.json`];
    await expect(readAll([a, b])).rejects.toThrow(
      `the two files hold different texts: the sequence differs from the first token on`,
    );
  });
});
