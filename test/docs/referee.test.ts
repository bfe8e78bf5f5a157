// bench/referee.mjs compares the doctor with other tools: what it hands them, and how it scores their answers.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CLAIMS } from "../../bench/support/referee-claims.mjs";
import { answerOf, score } from "../../bench/support/referee-score.mjs";
import type { Truth } from "../../scripts/score-doctor.mjs";
import { CAUSES } from "../../src/analyses/doctor/causes/catalog.ts";

const truthOf = (cause: string, more: Partial<Truth> = {}): Truth => ({
  healthy: cause === "healthy",
  cause,
  causes: [cause],
  acceptable: [],
  identifiable: true,
  severity: "medium",
  guilty_leg: null,
  ...more,
});

const CLAIMED = {
  inputs_differ: { about: "mismatch", causes: ["bos_missing", "stale_weights"], why: "weights or inputs" },
  rounding: { about: "precision", causes: ["weight_quantization"], why: "precision" },
  ratio_high: { about: "mismatch", causes: [], why: "no cause" },
  plateau: { about: "training", causes: [], why: "reward" },
} as const;
const answerTo = (truth: Truth, ...ids: string[]) =>
  answerOf(
    ids.map((id) => ({ id, level: "warn" })),
    CLAIMED,
    truth,
  );

describe("what other tools claim", () => {
  it("is said in the doctor's causes", () => {
    const named = Object.values(CLAIMS).flatMap((tool) =>
      Object.values(tool).flatMap(({ causes }) => causes),
    );
    expect(named.filter((id) => !CAUSES.has(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  it("is right if one of its causes is", () => {
    expect(answerTo(truthOf("stale_weights"), "inputs_differ").ranked).toEqual(["stale_weights"]);
    expect(answerTo(truthOf("token_shift"), "inputs_differ").ranked).toEqual(["bos_missing"]);
    expect(answerTo(truthOf("token_shift"), "ratio_high").ranked).toEqual(["cannot_tell"]);
  });

  it("counts a statement on precision where that is the fault, and is no alarm elsewhere", () => {
    expect(answerTo(truthOf("weight_quantization"), "rounding").healthy).toBe(false);
    expect(answerTo(truthOf("token_shift"), "rounding").healthy).toBe(true);
    expect(answerTo(truthOf("healthy"), "rounding").healthy).toBe(true);
  });

  it("keeps findings about training and information apart from alarms", () => {
    expect(answerTo(truthOf("healthy"), "plateau").healthy).toBe(true);
    const informed = answerOf([{ id: "inputs_differ", level: "info" }], CLAIMED, truthOf("healthy"));
    expect(informed.healthy).toBe(true);
  });

  it("refuses a diagnosis whose meaning nobody wrote down", () => {
    expect(() => answerTo(truthOf("healthy"), "new_diagnosis")).toThrow("new_diagnosis");
  });
});

it("counts alarms, right causes, and those among the faults that a tool names", () => {
  const run = (truth: Truth, ...ids: string[]) => ({ truth, answer: answerTo(truth, ...ids), cpu: 2 });
  const figures = score(
    [
      run(truthOf("healthy")),
      run(truthOf("healthy"), "ratio_high", "plateau"),
      run(truthOf("stale_weights"), "inputs_differ"),
      run(truthOf("bos_missing"), "ratio_high"),
      run(truthOf("token_shift")),
      run(truthOf("clamped_logprobs", { identifiable: false }), "ratio_high"),
    ],
    CLAIMED,
  );
  expect(figures).toEqual({
    sound: 2,
    falseAlarms: 1,
    faulty: 3,
    alarms: 2,
    right: 1,
    named: 2,
    namedRight: 1,
    size: 1,
    cpu: 2,
  });
});

const SCRIPT = fileURLToPath(new URL("../../bench/referee_inputs.py", import.meta.url));
const isPython = spawnSync("python3", ["--version"]).status === 0;
if (!isPython) console.warn("skipped: no python3 to make the other tools' inputs with");

function makeInputs(what: "scalars" | "sequences", given: object) {
  const { stdout, stderr } = spawnSync("python3", [SCRIPT, what], {
    input: JSON.stringify(given),
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const row = (step: number, more: object = {}) => ({
  step,
  group_id: `${step}`,
  reward: 1,
  prompt_token_ids: [7, 8],
  response_token_ids: [1, 2, 3, 4],
  response_mask: [1, 0, 1, 1],
  rollout_logprobs: [-1, -5, -2, -0.5],
  trainer_logprobs: [-1.5, -9, -1.5, -0.5],
  advantages: [1, 1, 1, 1],
  ...more,
});

describe.runIf(isPython)("inputs of other tools", () => {
  it("computes scalars over the tokens of the mask", () => {
    const [record] = makeInputs("scalars", { rows: [row(3)], least: 1 });
    const k3 = (delta: number) => Math.exp(delta) - delta - 1;
    expect(record.kl).toBeCloseTo((k3(-0.5) + k3(0.5)) / 3, 12);
    expect(record.logprob).toBeCloseTo(-3.5 / 3, 12);
    expect(record.entropy).toBeCloseTo(3.5 / 3, 12);
    expect(record.ratio).toBeCloseTo((Math.exp(-0.5) + Math.exp(0.5) + 1) / 3, 12);
    // With a positive advantage, PPO clips above only.
    expect([record.clip_low, record.clip_high, record.clip]).toEqual([0, 1 / 3, 1 / 3]);
    expect(record).toMatchObject({ length: 4, prompt_length: 2, reward: 1, non_finite: 0 });
  });

  it("lacks what the run lacks", () => {
    const [record] = makeInputs("scalars", {
      rows: [row(3, { reward: null, advantages: null, trainer_logprobs: null })],
      least: 1,
    });
    for (const name of ["reward", "advantage", "kl", "clip", "zero_variance_groups"])
      expect(record).not.toHaveProperty(name);
  });

  it("takes recorded entropies before surprisal, and counts what is not finite", () => {
    const [record] = makeInputs("scalars", {
      rows: [row(3, { "entropy.trainer": [2, 9, 3, 4], rollout_logprobs: [-1, -5, null, -0.5] })],
      least: 1,
    });
    expect(record).toMatchObject({ entropy: 3, non_finite: 1 });
  });

  it("cuts steps into mini-batches until there are enough records, in time order", () => {
    const rows = [5, 4].flatMap((step) =>
      Array.from({ length: 4 }, (_, i) => row(step, { reward: step * 10 + i })),
    );
    const records = makeInputs("scalars", { rows, least: 4 });
    expect(records.map(({ update, reward }: { update: number; reward: number }) => [update, reward])).toEqual(
      [
        [0, 40.5],
        [1, 42.5],
        [2, 50.5],
        [3, 52.5],
      ],
    );
    // Too few sequences for more: none is used twice.
    expect(makeInputs("scalars", { rows, least: 30 })).toHaveLength(8);
  });

  it("judges groups whole, also those that a cut divides", () => {
    const rows = [1, 1, 1, 0].map((reward, i) => row(1, { reward, group_id: i < 2 ? "flat" : "spread" }));
    const [first, second] = makeInputs("scalars", { rows, least: 2 });
    expect([first.zero_variance_groups, second.zero_variance_groups]).toEqual([1, 0]);
    const [whole] = makeInputs("scalars", { rows, least: 1 });
    expect(whole).toMatchObject({ zero_variance_groups: 0.5, group_size: 2 });
  });

  it("records the policy's own tokens, and refuses rows that martingale refuses", () => {
    const { sequences, refused } = makeInputs("sequences", {
      rows: [row(2), row(1, { trainer_logprobs: [-1, -1, null, -1] }), row(1, { reward: 0 })],
    });
    expect(refused).toBe(1);
    expect(sequences.map(({ step }: { step: number }) => step)).toEqual([1, 2]);
    expect(sequences[0]).toMatchObject({
      ids: [1, 3, 4],
      rollout: [-1, -2, -0.5],
      trainer: [-1.5, -1.5, -0.5],
      prompt: [7, 8],
      versions: null,
      reference: null,
    });
  });
});
