import { describe, expect, it } from "vitest";
import { FindingLog } from "../../../core/schema/findings.ts";
import { SeriesBuilder } from "../series.ts";
import { addConsole } from "./read-console.ts";

interface Console {
  readonly forms: readonly string[];
  /** `metric@step`: value. */
  readonly values: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
}

function read(text: string): Console {
  const findings = new FindingLog();
  const builder = new SeriesBuilder("run.log");
  const forms = addConsole(text, "run.log", builder, findings);
  const { series } = builder.finish("", findings);
  return {
    forms,
    values: Object.fromEntries(
      series.flatMap(({ metric, steps, values }) =>
        steps.map((step, at) => [`${metric}@${step}`, values[at]!] as const),
      ),
    ),
    findings: findings.list().map(({ message }) => message),
  };
}

const DICTS = "a console log of dictionaries";
const STEPS = "a console log of steps";

describe("each trainer's console is read", () => {
  it.each<[trainer: string, text: string, form: string, values: Readonly<Record<string, number>>]>([
    [
      "slime, miles (slime/backends/megatron_utils/model.py): step N: {…}",
      "(MegatronTrainRayActor pid=91) [2026-04-15 07:58:40] model.py:712 - step 3: {'train/loss': -1.2e-05, 'train/train_rollout_logprob_abs_diff': 0.0127, 'train/tis': tensor(0.998), 'train/grad_norm': 0.21}\n" +
        "(RolloutManager pid=80) [2026-04-15 07:58:41] rollout.py:1193 - rollout 3: {'rollout/raw_reward': 0.5, 'rollout/response_lengths': [1, 2]}\n",
      DICTS,
      {
        "train/loss@3": -1.2e-5,
        "train/train_rollout_logprob_abs_diff@3": 0.0127,
        "train/tis@3": 0.998,
        "train/grad_norm@3": 0.21,
        "rollout/raw_reward@3": 0.5,
      },
    ],
    [
      "OpenRLHF (openrlhf/trainer/ppo_trainer.py): Global step N: {…}",
      "2026-08-21 10:11:12 INFO     ✨ Global step 101: {'policy_loss': nan, 'vllm_kl': 0.0012, 'timing': '1s'}",
      DICTS,
      { "policy_loss@101": Number.NaN, "vllm_kl@101": 0.0012 },
    ],
    [
      "SkyRL (skyrl/train/utils/tracking.py): pprint below the step, numbers as texts",
      "\x1b[36m(skyrl_entrypoint pid=7)\x1b[0m 2026-08-21 10:11:12.123 | INFO     | skyrl.train.utils.tracking:log:189 - Step 4: \n" +
        "\x1b[36m(skyrl_entrypoint pid=7)\x1b[0m {'loss/avg_final_rewards': '0.5000',\n" +
        "(vllm pid=9) INFO 10:11:12 engine.py: 3 requests\n" +
        "Training Batches Processed:  40%|████      | 4/10\n" +
        "\x1b[36m(skyrl_entrypoint pid=7)\x1b[0m  'policy/rollout_train_logprobs_abs_diff_mean': '0.0150',\n" +
        "\x1b[36m(skyrl_entrypoint pid=7)\x1b[0m  'timing': {'step': '3.5000'}}\n",
      DICTS,
      {
        "loss/avg_final_rewards@4": 0.5,
        "policy/rollout_train_logprobs_abs_diff_mean@4": 0.015,
        "timing.step@4": 3.5,
      },
    ],
    [
      "ROLL (roll/pipeline/rlvr/rlvr_pipeline.py): a line of JSON with the step in it",
      '[2026-01-02 03:04:05] [rlvr_pipeline.py (812)] [INFO] [PIPELINE] {"system/step": 6, "critic/rewards/mean": 0.25, "actor/pg_loss@sum": 0.5, "actor/train_infer_ratio_token_mean@sum": 0.75, "ok": true, "none": null}',
      DICTS,
      {
        "critic/rewards/mean@6": 0.25,
        "actor/pg_loss@sum@6": 0.5,
        "actor/train_infer_ratio_token_mean@sum@6": 0.75,
      },
    ],
    [
      "prime-rl (src/prime_rl/trainer/rl/train.py): Step N | … | name value | …",
      "12:03:10 DEBUG Micro Step 1/4 | Loss 0.9 | Mismatch KL 0.5\n" +
        "12:03:11 SUCCESS Step 2 |  31.20s | Loss 0.0012 | Mismatch KL 0.0009 | Grad. Norm 0.0814 | LR 1.00e-06 | Throughput 24813 tokens/s | MFU 33.1% | Peak Mem. 61.2/80.0 GiB (76.5%)\n",
      STEPS,
      {
        "Loss@2": 0.0012,
        "Mismatch KL@2": 0.0009,
        "Grad. Norm@2": 0.0814,
        "LR@2": 1e-6,
        "Throughput@2": 24813,
        "MFU@2": 33.1,
      },
    ],
    [
      "torchtitan (its metrics processor for RL): Train | Step:  N | name:  value",
      "Train | Step:  5 | loss/mean:  0.42 | bit_wise/logprob_diff/max:  0.0001\nValidation | Step:  5 | loss/mean:  0.5\n",
      STEPS,
      { "loss/mean@5": 0.42, "bit_wise/logprob_diff/max@5": 1e-4, "validation/loss/mean@5": 0.5 },
    ],
    [
      "NeMo-RL (nemo_rl/algorithms/grpo.py): a list below the step",
      `${"=".repeat(25)} Step 7/100 ${"=".repeat(25)}\n▶ Preparing batch...\n\n📊 Training Results:\n  • Loss: 0.0000\n  • Generation KL Error: 0.0010\n  • Avg Reward: 0.4375\n\n⏱️  Timing:\n  • Total step time: 35.70s\n`,
      "NeMo-RL's console log",
      { "Loss@7": 0, "Generation KL Error@7": 0.001, "Avg Reward@7": 0.4375 },
    ],
    [
      "verl with colors and a time before it",
      "\x1b[36m(TaskRunner pid=87031)\x1b[0m step:83 - training/rollout_probs_diff_mean:np.float64(0.002) - actor/lr:1e-06\r\n",
      "verl's console log",
      { "training/rollout_probs_diff_mean@83": 0.002, "actor/lr@83": 1e-6 },
    ],
  ])("%s", (_trainer, text, form, values) => {
    const found = read(text);
    expect(found.forms).toEqual([form]);
    expect(found.values).toEqual(values);
    expect(found.findings).toEqual([]);
  });

  it("transformers and TRL print no step: their entries are counted, evaluations and the end do not count", () => {
    const text =
      "{'loss': 0.5, 'sampling/sampling_logp_difference/mean': 0.015, 'epoch': 0.1}\n" +
      " 33%|███▎      | 1/3 [00:31<01:02, 10.4s/it]\r{'loss': '0.25', 'grad_norm': '2.1', 'epoch': '0.2'}\n" +
      "{'eval_loss': 0.75, 'eval_runtime': 3.0, 'epoch': 0.2}\n" +
      "{'train_runtime': 93.1, 'train_loss': 0.4, 'epoch': 0.3}\n" +
      "{'loss': 0.125, 'epoch': 0.3}\n";
    const { values, findings } = read(text);
    expect(values).toEqual({
      "loss@1": 0.5,
      "sampling/sampling_logp_difference/mean@1": 0.015,
      "epoch@1": 0.1,
      "loss@2": 0.25,
      "grad_norm@2": 2.1,
      "epoch@2": 0.2,
      "loss@3": 0.125,
      "epoch@3": 0.3,
    });
    expect(findings).toEqual(["3 entries without a step: counted from 1"]);
  });

  it("settings that a program prints as a dictionary are no metrics", () => {
    expect(read("{'actor': {'optim': {'lr': 1e-06}}, 'trainer': {'total_epochs': 15}}\n").forms).toEqual([]);
    expect(read('INFO {"step": 3, "status": "saved"}\n').forms).toEqual([]);
  });
});

const DICT_LINE =
  "(Actor pid=9) step 12: {'train/loss': 0.25, 'train/tis': 0.998, 'train/train_rollout_logprob_abs_diff': 0.0127, 'train/mis_kl': -1.5e-05, 'train/grad_norm': nan}";
const BAR_LINE =
  "12:03:11 SUCCESS Step 12 |  31.20s | Loss 0.0012 | Entropy 0.4123 | Mismatch KL 0.0009 | Grad. Norm 0.0814 | LR 1.00e-06 | Throughput 24813 tokens/s";

describe("a broken line", () => {
  it.each([
    ["of a dictionary", DICT_LINE, DICT_LINE.indexOf("{'train/loss'") + 2],
    ["with bars", BAR_LINE, BAR_LINE.indexOf("Loss")],
  ])("%s gives no other value, wherever it is broken", (_name, line, from) => {
    const truth = read(line).values;
    const wrong: unknown[] = [];
    for (let at = from; at < line.length; at++)
      for (const end of ["", "12:03:12 INFO saved\n"]) {
        const { values, findings } = read(`${line.slice(0, at)}\n${line.slice(at)}\n${end}`);
        const differs = Object.entries(values).filter(([name, value]) => !Object.is(truth[name], value));
        const missing = Object.keys(truth).length - Object.keys(values).length;
        if (differs.length > 0 || (missing > 0 && findings.length === 0))
          wrong.push([line.slice(0, at).slice(-12), end, differs, missing]);
      }
    expect(wrong).toEqual([]);
  });

  it("that ends earlier than the lines of other steps may end in the middle of a number", () => {
    const whole = [1, 2].map((step) => BAR_LINE.replace("Step 12", `Step ${step}`)).join("\n");
    const wrong: unknown[] = [];
    for (let at = BAR_LINE.indexOf("Loss"); at < BAR_LINE.indexOf("Throughput"); at++) {
      const { values, findings } = read(`${whole}\n${BAR_LINE.slice(0, at)}\n`);
      const differs = Object.entries(values).filter(
        ([name, value]) => value !== values[name.replace("@12", "@1")],
      );
      if (differs.length > 0 || (findings.length === 0 && !BAR_LINE.slice(0, at).trimEnd().endsWith("|")))
        wrong.push([BAR_LINE.slice(0, at).slice(-12), differs, findings]);
    }
    expect(wrong).toEqual([]);
  });

  it("at the end of a log that is cut off is told, even if none of its values is whole", () => {
    const { values, findings } = read("{'loss': 0.5, 'grad_norm': 2.0}\n{'loss': 0.2");
    expect(values).toEqual({ "loss@1": 0.5, "grad_norm@1": 2 });
    expect(findings).toContain(
      "1 metric at the end of a console line is cut off, or may be, and left out: loss",
    );
  });

  it("of a dictionary that never ends leaves out the value at its end, and the next step is read", () => {
    const { values, findings } = read(
      "step 1: {'train/loss': 0.25, 'train/tis': 0.99\nTraceback (most recent call last):\nstep 2: {'train/loss': 0.5}\n",
    );
    expect(values).toEqual({ "train/loss@1": 0.25, "train/loss@2": 0.5 });
    expect(findings[0]).toContain(
      "1 metric at the end of a console line is cut off, or may be, and left out: train/tis",
    );
  });
});

it("the output of two trainers in one file is told", () => {
  const { forms, values, findings } = read("step:1 - actor/lr:1e-06\nstep 1: {'train/loss': 0.5}\n");
  expect(forms).toEqual(["verl's console log", DICTS]);
  expect(values).toEqual({ "actor/lr@1": 1e-6, "train/loss@1": 0.5 });
  expect(findings).toEqual([
    "metrics are printed in several ways: 1 entry like “step:1 - name:value”, 1 entry like “step 1: {'name': value}”",
  ]);
});
