import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { RL_PROBE_TEMPLATE } from "../texts/template.ts";
import { readStudyConfig } from "./read-config.ts";
import { type ConfiguredStudy, readStudy } from "./read-study.ts";

/** The keys of RL-Probe's file that have a meaning here, and some that do not. */
const CONFIG = `
models:
  base_model: allenai/DPO
  sft_model: allenai/SFT
  rlvr_checkpoints:
    - { step: 100, path: allenai/RLVR, revision: step_100, stage: early }
    - { step: 1000, path: local, stage: final }
dataset:
  name: hendrycks_math
  filter: { dpo_correct: false }
  max_problems: 500
rollout:
  num_samples_per_problem: 5
  generation: { max_new_tokens: 2048, temperature: 0.7, top_p: 0.95, do_sample: true }
  save_dir: rollouts/dpo_errors
analysis:
  kl_divergence: { epsilon: 1e-10 }
  spike_detection: { method: adaptive, threshold: 2.5, min_spike_distance: 4 }
baselines:
  checkpoint_progression:
    enabled: true
    pairs: [[step_100, dpo], [step_1200, step_400], [step_1000, step_100]]
visualization: { formats: [png, pdf, eps], dpi: 200, case_study: { num_cases: 3 } }
metrics: { significance: { test: wilcoxon, alpha: 0.01 } }
hardware:
  device: balanced
  dtype: bfloat16
  batch_size: 4
  multi_gpu: { enabled: true, gpu_ids: [0, 4, 5], max_memory_per_gpu: 40GB }
logging: { level: INFO }
seed: 7
`;

async function read(config: string, more: object = {}): Promise<ConfiguredStudy> {
  const dir = temporaryFolder("rl-probe-");
  mkdirSync(join(dir, "local"));
  writeFileSync(join(dir, "config.yaml"), config);
  const settings = await readStudyConfig(join(dir, "config.yaml"));
  const study = await readStudy({ texts: "t.jsonl", ...settings, ...more }, "out", "config.yaml");
  const text = JSON.stringify(study).replaceAll(dir, "");
  return JSON.parse(text) as ConfiguredStudy;
}

test("RL-Probe's own config is a study", async () => {
  const { spec, backend } = await read(CONFIG);
  expect(spec.policies.map(({ name, at, role, step, stage }) => [name, at, role, step, stage])).toEqual([
    ["dpo", "hf:allenai/DPO", "reference", null, null],
    ["sft", "hf:allenai/SFT", "baseline", null, null],
    ["rlvr_step_100", "hf:allenai/RLVR@step_100", "checkpoint", 100, "early"],
    // A directory next to the config is meant as that directory.
    ["rlvr_step_1000", "hf:/local", "checkpoint", 1000, "final"],
  ]);
  // One of its pairs names checkpoints that the file does not have.
  expect(spec.pairs).toEqual([
    ["rlvr_step_100", "dpo"],
    ["rlvr_step_1000", "rlvr_step_100"],
  ]);
  expect(spec.absentPairs).toHaveLength(1);
  expect(spec.analysis.spikes).toMatchObject({ method: "adaptive", threshold: 2.5, minDistance: 4 });
  expect([spec.analysis.alpha, spec.analysis.cases, spec.analysis.seed]).toEqual([0.01, 3, 7]);
  expect([spec.texts.promptTemplate, spec.texts.limit]).toEqual([RL_PROBE_TEMPLATE, 500]);
  expect(backend).toEqual({ gpu: "0,4,5", deviceMap: "balanced", dtype: "bfloat16" });
});

test("its rollouts and figures say how is sampled and drawn, once that is asked for", async () => {
  const { spec } = await read(CONFIG);
  expect([spec.generate, spec.continue]).toEqual([undefined, undefined]);
  expect(spec.figures).toEqual({ formats: ["png", "pdf"], dpi: 200 });
  const drawing = { n: 5, temperature: 0.7, topP: 0.95, maxTokens: 2048, seed: 7 };
  const asked = await read(`${CONFIG}\n`, { continue: { at: ["after_error"] }, generate: { from: "dpo" } });
  expect(asked.spec.generate).toEqual({ ...drawing, from: "dpo" });
  expect(asked.spec.continue).toEqual({ ...drawing, places: ["after_error"] });
  const greedy = await read(CONFIG.replace("do_sample: true", "do_sample: false"), { continue: true });
  expect(greedy.spec.continue).toMatchObject({ temperature: 0, places: ["before_error", "after_error"] });
});

test.each([
  ["device: cuda:1", { gpu: "1" }],
  ["device: cpu", { gpu: "none" }],
  ["device: auto", { deviceMap: "auto" }],
  ["device: cuda", {}],
])("hardware with %s", async (device, wanted) => {
  expect(
    (await read(CONFIG.replace(/hardware:.*(?=logging)/s, `hardware: { ${device} }\n`))).backend,
  ).toEqual(wanted);
});

test("what is wrong in it is named", async () => {
  await expect(read(CONFIG.replace("step: 100, path", "step: soon, path"))).rejects.toThrow(
    'models.rlvr_checkpoints[0].step must be a whole number from 0, not "soon"',
  );
  await expect(read(CONFIG.replace("path: local", "file: local"))).rejects.toThrow(
    "models.rlvr_checkpoints[1].path must be the directory of a checkpoint, not nothing",
  );
});
