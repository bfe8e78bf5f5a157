import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScoringFlags } from "../../flags.ts";
import { studyFromFlags } from "./scoring-flags.ts";

const BASE: ScoringFlags = { policy: ["dpo=onnx:a", "step_1=onnx:b"], reference: "dpo" };
const read = async (flags: ScoringFlags) =>
  (await studyFromFlags("kl", ["texts.jsonl"], { ...BASE, ...flags })).spec;

test("flags for what is sampled: how tokens are drawn is said once", async () => {
  const drawing = { temperature: "0.5", topP: "0.9", maxTokens: "12" };
  const drawn = { temperature: 0.5, topP: 0.9, maxTokens: 12 };
  const continued = await read({ continue: ["after_error", "0.5"], continueSamples: "2", ...drawing });
  expect(continued.continue).toEqual({ places: ["after_error", "0.5"], n: 2, ...drawn, seed: 42 });
  expect(continued.generate).toBeUndefined();
  const both = await read({ continue: ["start"], generate: "3", ...drawing });
  expect(both.continue).toMatchObject({ places: ["start"], n: 4, ...drawn });
  expect(both.generate).toMatchObject({ n: 3, from: "dpo", ...drawn });
  await expect(read(drawing)).rejects.toThrow(/generate.n must be the number of responses/);
});

test("gradients are asked for by a flag", async () => {
  expect((await read({ gradients: true })).gradients).toBe(true);
  expect(await read({})).toMatchObject({ gradients: false, continue: undefined });
});

test.each([
  ["0", "0"],
  ["0,1", "0,1"],
  ["cuda:1", "1"],
  ["cuda:0,cuda:2", "0,2"],
  ["cuda", "0"],
  ["cpu", "none"],
  ["none", "none"],
])("--gpu %s is %s, as a flag and in a config", async (given, gpu) => {
  const { backend } = await studyFromFlags("kl", ["texts.jsonl"], { ...BASE, gpu: given });
  expect(backend.gpu).toBe(gpu);
  const more = { backend: { gpu: given === "0" ? 0 : given } };
  expect((await studyFromFlags("kl", ["texts.jsonl"], BASE, more)).backend.gpu).toBe(gpu);
});

test("--gpu of another form is refused by its name", async () => {
  await expect(read({ gpu: "tpu" })).rejects.toThrow(
    `--gpu must be a GPU's number (0 or cuda:0), several (0,1), or none or cpu for the CPU, not "tpu"`,
  );
});

test("--use-dpo-responses with a config alone finds data/filtered as RL-Probe does; else the hint keeps verb and config", async () => {
  const dir = mkdtempSync(join(tmpdir(), "scoring-flags-"));
  try {
    mkdirSync(join(dir, "configs"));
    const config = join(dir, "configs", "config.yaml");
    writeFileSync(config, "policies: { dpo: 'onnx:a', step_1: 'onnx:b' }\nreference: dpo\n");
    const ask = () => studyFromFlags("kl", [config], { useDpoResponses: true });
    await expect(ask()).rejects.toMatchObject({
      message: "--use-dpo-responses needs the problems file, filtered_problems.json",
      hint: `give its path: logratio kl ${config} DIR/filtered_problems.json --use-dpo-responses`,
    });
    mkdirSync(join(dir, "data", "filtered"), { recursive: true });
    writeFileSync(join(dir, "data/filtered/filtered_problems.json"), "[]");
    const { texts } = (await ask()).spec;
    expect(texts.problems).toMatch(/data\/filtered\/filtered_problems\.json$/);
    expect(texts.responses!.dpo).toMatch(/data\/filtered\/dpo_responses\.json$/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("--temperature takes several for --generate", async () => {
  expect((await read({ generate: "2", temperature: "0.3,0.7" })).generate).toMatchObject({
    temperature: 0.3,
    temperatures: [0.3, 0.7],
  });
});
