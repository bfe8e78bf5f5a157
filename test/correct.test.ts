import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDocument } from "../src/ingest/open-document.ts";
import { openRun } from "../src/ingest/open-run.ts";
import type { Tensor, TreeDocument } from "../src/input/io/columns.ts";
import { openFile } from "../src/input/io/file-source.ts";
import { type CliRun, DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

let directory: string;
beforeAll(() => {
  requireBuild();
  directory = mkdtempSync(join(tmpdir(), "logratio-correct-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const logratio = (...args: string[]): CliRun => runCli(directory, args);

const STEP = join(DEMO, "stale/step_0030.npz");

async function readTensors(file: string) {
  const document = (await openDocument(await openFile(join(directory, file)))) as TreeDocument;
  const values = async (name: string) => {
    const tensor = document.root[name] as Tensor;
    return { shape: tensor.shape, values: await tensor.readRows(0, tensor.shape[0]!) };
  };
  const read = { weights: await values("importance_weights"), mask: await values("modified_response_mask") };
  await document.close();
  return read;
}

/** ρ and mask of each position in a padded npz, read directly from its arrays. */
async function readRatios(file: string) {
  const document = (await openDocument(await openFile(file))) as TreeDocument;
  const read = async (name: string) => {
    const tensor = document.root[name] as Tensor;
    return { shape: tensor.shape, values: await tensor.readRows(0, tensor.shape[0]!) };
  };
  const [rollout, trainer, mask] = [
    await read("rollout_log_probs"),
    await read("old_log_probs"),
    await read("response_mask"),
  ];
  await document.close();
  const ratios = Float64Array.from(rollout.values, (value, i) => Math.exp(trainer.values[i]! - value));
  return { shape: rollout.shape, ratios, mask: mask.values };
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

describe("logratio correct", () => {
  it("writes weights and mask in the shape of the input", async () => {
    const set = ["--set", "rollout_is=token", "--set", "rollout_is_threshold=1.05"];
    const { status, err } = logratio("correct", STEP, "--preset", "verl", ...set, "--out", "w.npz");
    expect([status, err]).toEqual([0, "written: w.npz\n"]);
    const source = await readRatios(STEP);
    const { weights, mask } = await readTensors("w.npz");
    expect(weights.shape).toEqual(source.shape);
    source.ratios.forEach((ratio, i) => {
      const expected = source.mask[i] === 0 ? 0 : Math.min(ratio, 1.05);
      expect(weights.values[i]).toBeCloseTo(expected, 6);
      expect(mask.values[i]).toBe(source.mask[i]);
    });
  });

  it("divides by the mean over a whole step, however little is read at a time", async () => {
    const run = (name: string, ...more: string[]): CliRun =>
      logratio(
        ...["correct", DEMO, "--preset", "verl", "--set", "rollout_is=token"],
        ...["--set", "rollout_is_batch_normalize=true", "--out", name, ...more],
      );
    expect(run("whole/").status).toBe(0);
    expect(run("pieces/", "--batch-tokens", "300").status).toBe(0);
    const names = readdirSync(join(directory, "whole")).sort();
    expect(names).toEqual(readdirSync(join(DEMO, "stale")).sort());
    for (const name of [names[0]!, names.at(-1)!]) {
      const { weights, mask } = await readTensors(`pieces/${name}`);
      const [tokens, mass] = [total(mask.values), total(weights.values)];
      expect(mass / tokens).toBeCloseTo(1, 6);
      expect([...weights.values]).toEqual([...(await readTensors(`whole/${name}`)).weights.values]);
    }
  });

  it("writes the record with two more columns, which reads like any record", async () => {
    const set = ["--set", "rollout_is_threshold=2,0.5", "--set", "rollout_is_mode=mask"];
    const { status, out } = logratio(
      "correct",
      STEP,
      "--preset",
      "xtuner",
      ...set,
      "--out",
      "c.parquet",
      "--json",
    );
    expect(status).toBe(0);
    const result = JSON.parse(out);
    expect(result).toMatchObject({
      schemaVersion: 2,
      kind: "correct",
      preset: "xtuner",
      written: ["c.parquet"],
    });
    expect(Object.keys(result.trainer_metrics)).toContain("mismatch/rollout_is_masked_fraction");
    const run = await openRun([join(directory, "c.parquet")]);
    let tokens = 0;
    for await (const batch of run.batches()) tokens += batch.responseMask.reduce((sum, bit) => sum + bit, 0);
    expect(tokens).toBe(result.metrics.tokens);
    expect(result.effect.tokens_kept).toBeLessThan(tokens);
  });

  it("gets by with a step that has no token of the policy's own", () => {
    const row = { rollout_log_probs: [-1, -2], old_log_probs: [-1, -1.5] };
    const rows = [
      { ...row, response_mask: [1, 1], step: 1 },
      { ...row, response_mask: [0, 0], step: 2 },
    ];
    writeFileSync(join(directory, "empty-step.jsonl"), rows.map((each) => JSON.stringify(each)).join("\n"));
    const set = ["--set", "rollout_is=token", "--json"];
    const { status, out } = logratio("correct", "empty-step.jsonl", "--preset", "verl", ...set);
    expect(status).toBe(0);
    const { per_step: perStep } = JSON.parse(out);
    expect(perStep.map(({ step }: { step: number }) => step)).toEqual([1, 2]);
    expect(perStep[0].metrics["rollout_corr/rollout_is_mean"]).toBeCloseTo((1 + Math.exp(0.5)) / 2, 6);
    expect(perStep[1].metrics).toEqual({});
  });

  it("takes the correction itself, and then does what the preset that means it does", () => {
    const byPreset = JSON.parse(
      logratio("correct", STEP, "--preset", "verl", "--set", "rollout_is=token", "--json").out,
    );
    const { status, out } = logratio("correct", STEP, "--correction", byPreset.correction_text, "--json");
    expect(status).toBe(0);
    const result = JSON.parse(out);
    expect(result).toMatchObject({
      preset: null,
      trainer: null,
      settings: {},
      correction_text: byPreset.correction_text,
      does: byPreset.does,
      metrics: byPreset.metrics,
      trainer_metrics: {},
      per_step: [],
    });
    const { name: _, preset: __, ...effect } = byPreset.effect;
    expect(result.effect).toMatchObject(effect);
    const shown = logratio("correct", STEP, "--correction", "weight:token truncate:..1.05").out;
    expect(shown).toContain("--correction 'weight:token truncate:..1.05'");
    expect(shown).not.toMatch(/As .* logs it/);
  });

  it("writes the arrays of a correction given as text", async () => {
    const flags = ["--correction", "weight:token truncate:..1.05 normalize:token", "--out", "own.npz"];
    expect(logratio("correct", STEP, ...flags).status).toBe(0);
    const { weights, mask } = await readTensors("own.npz");
    expect(total(weights.values) / total(mask.values)).toBeCloseTo(1, 6);
  });

  it("shows a trainer's traps in words, on the screen and as JSON", () => {
    const args = ["correct", STEP, "--preset", "verl", "--set", "rollout_is=sequence"];
    const { traps } = JSON.parse(logratio(...args, "--json").out);
    expect(traps).toEqual([
      expect.stringMatching(/^rollout_is=sequence multiplies the ratios of all tokens/),
      expect.stringMatching(/^a single rollout_is_threshold clamps from above only/),
    ]);
    expect(logratio(...args).out).toMatch(/^trap +rollout_is=sequence multiplies the ratios of all tokens/m);
  });

  it("lists presets, and the settings of one", () => {
    const { out } = logratio("correct", "--list");
    expect(out).toMatch(/^verl .*\nverl-dppo .*\nxtuner /);
    expect(out).toMatch(/^openrlhf-0\.11\.1 /m);
    expect(logratio("correct", "--list", "--preset", "xtuner").out).toContain("(upper, lower)");
  });
});

describe("logratio correct --lint", () => {
  const config = (name: string): string => join(ROOT, "test/fixtures/configs", name);

  it("says what a config does, and exits with 1 for what its trainer would refuse or turn round", () => {
    const bad = logratio("correct", "--lint", config("verl-bad.yaml"));
    expect(bad.status).toBe(1);
    expect(bad.out).toContain("error  line 13:");
    const good = logratio("correct", "--lint", config("verl-good.yaml"), "--json");
    expect(good.status).toBe(0);
    expect(JSON.parse(good.out)).toMatchObject({ schemaVersion: 1, kind: "lint", errors: 0 });
  });

  it("refuses a dump, a missing file, and what no trainer has written", () => {
    expect(logratio("correct", "--lint", STEP)).toMatchObject({ status: 3, out: "" });
    expect(logratio("correct", "--lint", "nowhere.yaml")).toMatchObject({ status: 3, out: "" });
    writeFileSync(join(directory, "other.yaml"), "color: blue\n");
    const { status, err } = logratio("correct", "--lint", "other.yaml");
    expect([status, err]).toEqual([3, expect.stringContaining("trainer")]);
  });
});

describe("logratio correct refuses", () => {
  it.each([
    ["without a preset", [], "--preset is missing"],
    [
      "a correction that cannot be read",
      ["--correction", "weight:token mask:token.k4:..1"],
      '--correction: cannot read "mask:token.k4:..1" (part 2): there is no statistic "k4"; known: ratio',
    ],
    [
      "a correction beside a preset",
      ["--correction", "none", "--preset", "verl"],
      "--correction cannot be combined with --preset",
    ],
    ["a preset that there is not", ["--preset", "vler"], 'unknown preset "vler"'],
    [
      "a setting that there is not",
      ["--preset", "verl", "--set", "rollout=token"],
      "verl has no setting rollout",
    ],
    [
      "bounds in the wrong order",
      ["--preset", "xtuner", "--set", "rollout_is_threshold=0.8,1.2"],
      "upper_threshold must be greater than lower_threshold",
    ],
    [
      "bounds that contradict each other",
      ["--preset", "verl", "--set", "rollout_is=token", "--set", "rollout_is_threshold=2_0.5"],
      "lower bound must be <= upper bound",
    ],
    [
      "one array file for several inputs",
      ["--preset", "verl", "--set", "rollout_is=token", "--out", "w.npz"],
      "arrays are written per input file",
    ],
    [
      "a setting without a value",
      ["--preset", "verl", "--set", "rollout_is"],
      "--set rollout_is has no value",
    ],
  ])("%s, before any data is read", (_, flags, message) => {
    const { status, out, err } = logratio("correct", DEMO, ...flags);
    expect([status, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  it("input of which a file is damaged, after correcting the rest", () => {
    writeFileSync(join(directory, "step_1.npz"), readFileSync(STEP));
    writeFileSync(join(directory, "step_2.npz"), readFileSync(STEP).subarray(0, 5000));
    const flags = ["--preset", "verl", "--set", "rollout_is=token", "--out", "out/"];
    const { status, err } = logratio("correct", "step_1.npz", "step_2.npz", ...flags);
    expect(status).toBe(4);
    expect(err).toContain("step_2.npz");
    expect(readdirSync(join(directory, "out"))).toEqual(["step_1.npz"]);
  });

  it("input without advantages, when the rule looks at their sign", () => {
    const row = { response_mask: [1, 1], rollout_log_probs: [-1, -2], old_log_probs: [-1, -1] };
    writeFileSync(join(directory, "rows.jsonl"), `${JSON.stringify(row)}\n`);
    const { status, err } = logratio("correct", "rows.jsonl", "--preset", "prime-rl");
    expect(status).toBe(3);
    expect(err).toContain("looks at the sign of advantages");
  });
});
