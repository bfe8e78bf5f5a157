import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KlReport } from "../src/study/results/report.ts";
import {
  findTorchPython,
  makeTorchStudy,
  type TorchStudy,
} from "../src/study/scoring/torch/torch-python.test-data.ts";
import { type CliRun, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const TOKENIZER = join(ROOT, "examples/demo/tokenizer");
const python = findTorchPython();

test("a flag that is not a GPU", () => {
  requireBuild();
  const args = ["texts.jsonl", "--policy", `hf:${ROOT}`, "--policy", "b=hf:b", "--reference", "b"];
  const { status, err } = runCli(ROOT, ["score", ...args, "--gpu", "first"]);
  expect(status).toBe(2);
  expect(err).toContain(
    '--gpu must be a GPU\'s number (0 or cuda:0), several (0,1), or none or cpu for the CPU, not "first"',
  );
});

describe.skipIf(python === undefined)("kl of Hugging Face models", () => {
  let study: TorchStudy;
  beforeAll(() => {
    requireBuild();
    study = makeTorchStudy(python!);
  }, 120_000);
  afterAll(() => {
    rmSync(study.dir, { recursive: true, force: true });
  });
  const kl = (policies: readonly string[], ...args: string[]): CliRun =>
    runCli(study.dir, ["kl", ...policies, "--reference", "dpo", "--tokenizer", TOKENIZER, ...args]);
  const hf = ["texts.jsonl", "--policy", "hf:ckpt/*", "--gpu", "none", "--python", python ?? ""];

  test("one command gives the figures of float64, and those of saved logits", () => {
    const run = kl(hf, "--json", "--out", "hf.study");
    expect(run.status, run.err).toBe(0);
    const report = JSON.parse(run.out) as KlReport;
    const saved = JSON.parse(kl(["logits.npz"], "--json", "--out", "saved.study").out) as KlReport;
    for (const name of ["step_10", "step_20"]) {
      const texts = Object.values(study.expected[name]!);
      for (const [ours, theirs] of [
        ["mean_kl", "forward_kl"],
        ["mean_reverse_kl", "reverse_kl"],
      ] as const) {
        const means = texts.map((text) => text[theirs]!.reduce((a, b) => a + b, 0) / text[theirs]!.length);
        const wanted = means.reduce((a, b) => a + b, 0) / means.length;
        expect(report.checkpoints[name]![ours]).toBeCloseTo(wanted, 5);
        expect(saved.checkpoints[name]![ours]).toBeCloseTo(wanted, 5);
      }
      expect(report.checkpoints[name]!.exact).toBe(true);
    }
    expect(report.policies.step_20!.backend).toBe("hf");
  }, 180_000);

  test("a checkpoint that cannot be read is left out, and the others are not", () => {
    const more = ["--policy", "broken=hf:ckpt@step_30"];
    const { status, err } = kl([...hf, ...more], "--json", "--out", "broken.study");
    expect(status).toBe(4);
    expect(err).toContain("broken (hf:ckpt@step_30) was not scored: ckpt has no revision step_30");
    expect(err).toContain("its revisions are dpo, step_10, step_20");
  }, 180_000);

  test("samples the rollouts first", () => {
    const args = ["--generate", "2", "--max-tokens", "5", "--out", "sampled.study", "--json"];
    const run = kl(hf, ...args);
    expect(run.status, run.err).toBe(0);
    const { checkpoints } = JSON.parse(run.out) as KlReport;
    expect(checkpoints.step_20!.texts).toBe(10);
  }, 180_000);
});
