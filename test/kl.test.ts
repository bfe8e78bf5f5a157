import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KlReport } from "../src/study/results/report.ts";
import type { ScoreReport } from "../src/study/results/score.ts";
import { type CliRun, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const LOGITS = join(ROOT, "examples/kl/logits.npz");
const TOKENIZER = join(ROOT, "examples/demo/tokenizer");
const MODELS = join(ROOT, "test/fixtures/onnx");
const EXAMPLE = [LOGITS, "--reference", "dpo", "--tokenizer", TOKENIZER];

let dir: string;
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "kl-"));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const kl = (...args: string[]): CliRun => runCli(dir, ["kl", ...args]);
const report = (...args: string[]): KlReport => JSON.parse(kl(...args, "--json").out) as KlReport;

describe("kl of saved logits", () => {
  test("prints the checkpoints, the spikes and what they mean", () => {
    const { status, out, err } = kl(...EXAMPLE, "--out", "example", "--html", "page.html");
    expect(status).toBe(0);
    expect(err).toBe("written: page.html\n");
    expect(out).toMatch(/2 checkpoints against dpo · 4 problems · 4 texts/);
    expect(out).toMatch(/rlvr_step_1000 +1000 +0\.01424 ± 0\.00450/);
    expect(out).toMatch(/Step 1: first compute 7 \* 57⟦ =⟧ 429/);
    const page = readFileSync(join(dir, "page.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("rlvr_step_100");
  });

  test("says why a checkpoint has no scores where none has", () => {
    const damaged = readFileSync(LOGITS);
    for (const name of ["rlvr_step_100.npy", "rlvr_step_1000.npy"]) {
      const at = damaged.indexOf(`solve0000.${name}`);
      damaged[at + 30_000]! ^= 1;
    }
    writeFileSync(join(dir, "damaged.npz"), damaged);
    const { status, out, err } = kl("damaged.npz", "--reference", "dpo", "--tokenizer", TOKENIZER);
    expect([status, out]).toEqual([3, ""]);
    expect(err).toMatch(
      /skipped: rlvr_step_100 \(logits:damaged.npz#rlvr_step_100\) was not scored: zip member/,
    );
    expect(err).toMatch(/skipped: rlvr_step_1000 .* was not scored: zip member/);
    expect(err).toContain("error: no checkpoint has scores in damaged.study");
  });

  test("JSON holds the figures; the study's directory is enough to read it again", () => {
    const first = report(...EXAMPLE, "--out", "again");
    expect(first.checkpoints.rlvr_step_1000).toMatchObject({
      exact: true,
      problems: 4,
      tokens: 213,
      step: 1000,
    });
    expect(first.checkpoints.rlvr_step_1000!.mean_kl).toBeCloseTo(0.01424, 5);
    expect(first.categories.rlvr_step_1000!.math_symbol!.count).toBe(18);
    expect(first.metrics.masked_out_tokens).toBe(14);
    expect(report("again")).toEqual(first);
    const other = report(
      "again",
      "--spikes",
      "percentile",
      "--spike-percentile",
      "80",
      "--parity",
      "rl-probe",
    );
    expect(other.metrics.spikes_total).toBeGreaterThan(first.metrics.spikes_total);
    expect(other.checkpoints.rlvr_step_1000!.rl_probe).not.toBeNull();
    const kept = JSON.parse(readFileSync(join(dir, "again/results/rlvr_step_100.json"), "utf8")) as object;
    expect(kept).toMatchObject({ kind: "kl-checkpoint", checkpoint: "rlvr_step_100", reference: "dpo" });
  });

  test("Markdown has the tables of the published analysis, and the command", () => {
    const { out } = kl(...EXAMPLE, "--out", "example", "--markdown");
    for (const title of ["Checkpoint", "Token categor", "Spike distribution", "most spikes"])
      expect(out).toContain(title);
    expect(out).toContain("logratio kl");
  });
});

describe("score and kl of local models", () => {
  const config = (more = ""): string => {
    const row = (id: number, length: number): string =>
      JSON.stringify({
        id: `t${id}`,
        prompt_ids: [1, 5, 9],
        response_ids: Array.from({ length }, (_, i) => 3 + ((id + 5 * i) % 40)),
      });
    writeFileSync(join(dir, "texts.jsonl"), [row(1, 6), row(2, 9), row(3, 90)].join("\n"));
    const yaml = `
texts: texts.jsonl
tokenizer: ${TOKENIZER}
policies:
  plain: onnx:${MODELS}/plain
  run_step_1: onnx:${MODELS}/scaled
reference: plain
${more}`;
    writeFileSync(join(dir, "study.yaml"), yaml);
    return "study.yaml";
  };

  test("one config, one command; what is refused makes the status 4 and is said once per policy", () => {
    const run = runCli(dir, ["score", config(), "--threads", "1", "--json"]);
    expect(run.status).toBe(4);
    const scored = JSON.parse(run.out) as ScoreReport;
    expect(scored.metrics).toMatchObject({ policies: 2, texts: 3, scored: 4, kept: 0, refused: 2 });
    expect(run.err).toMatch(/skipped: run_step_1 has no scores of t3: .*93/);

    const again = JSON.parse(runCli(dir, ["score", "study.yaml", "--json"]).out) as ScoreReport;
    expect(again.metrics).toMatchObject({ scored: 0, kept: 4, refused: 2 });
    const result = kl("study.yaml", "--json");
    expect(result.status).toBe(4);
    expect((JSON.parse(result.out) as KlReport).checkpoints.run_step_1).toMatchObject({
      texts: 2,
      texts_missing: 1,
    });
  });

  test("--attention tells how local models look back at errors, and what they say without seeing them", () => {
    const rows = [0, 1, 2].map((id) => ({
      id: `t${id}`,
      prompt_ids: [1, 5, 9],
      response_ids: Array.from({ length: 12 }, (_, i) => 3 + ((id + 5 * i) % 40)),
      correct: false,
      error_token: 4,
    }));
    writeFileSync(join(dir, "wrong.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
    const policies = ["plain", "scaled"].flatMap((name) => ["--policy", `${name}=onnx:${MODELS}/${name}`]);
    const study = ["wrong.jsonl", ...policies, "--reference", "plain", "--tokenizer", TOKENIZER];
    expect(report(...study, "--out", "plain-study").attention).toEqual([]);
    const { attention } = report(...study, "--attention", "--out", "looking");
    expect(attention).toMatchObject([{ checkpoint: "scaled", texts: 3, problems: 3 }]);
    expect(attention[0]!.to_error).toBeGreaterThan(0);
    expect(attention[0]!.hidden!.kl_without_error).toBeGreaterThan(0);
    expect(report("looking").attention).toEqual(attention);
    expect(kl("looking").out).toContain("Attention to the first error");
  });

  test.each([
    [["kl"], 2, /no policies to score/],
    [["kl", "study.study", "--policy", "x=onnx:y"], 2, /already scored study/],
    [["kl", "nowhere.yaml"], 3, /nowhere\.yaml cannot be read/],
    [["kl", "study.yaml", "--json", "--markdown"], 2, /cannot be combined/],
    [["kl", "study.yaml", "--stage", "early"], 2, /--stage must have the form name=value/],
    [["score", "texts.jsonl", "--policy", "plain"], 2, /"plain" is not a policy that can be scored/],
    [["score", "texts.jsonl", "--use-dpo-responses", "--responses", "a=b"], 2, /cannot be combined/],
    [["score", "study.yaml", "--reference", "gone"], 2, /the reference gone is not one of the policies/],
  ])("%j ends with %i", (args, status, message) => {
    config();
    const run = runCli(dir, args);
    expect(run.status).toBe(status);
    expect(run.err).toMatch(message);
  });
});
