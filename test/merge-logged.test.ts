/** `logratio merge --logged` against `logratio report` of the same dumps and metrics. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO, requireBuild, runCli } from "./support/run-cli.ts";

const STEPS = [10, 20, 30];
let dir = "";
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "merge-logged-"));
  mkdirSync(join(dir, "run"));
  for (const step of STEPS)
    cpSync(join(DEMO, `stale/step_00${step}.npz`), join(dir, `run/step_00${step}.npz`));
  const line = (step: number): string =>
    JSON.stringify({ step, data: { "training/rollout_probs_diff_mean": 0.01, "actor/entropy": 0.5 } });
  writeFileSync(join(dir, "metrics.jsonl"), `${STEPS.map(line).join("\n")}\n`);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const readJson = (args: readonly string[]) => {
  const { status, out, err } = runCli(dir, [...args, "--json"]);
  expect(status, err).toBe(0);
  return JSON.parse(out);
};

it("says what one process says of dumps and metrics", () => {
  expect(runCli(dir, ["summarize", "run", "--out", "parts"]).status).toBe(0);
  const merged = readJson(["merge", "parts", "--logged", "metrics.jsonl"]);
  const whole = readJson(["report", "run", "metrics.jsonl"]);
  expect(merged.logged.series.length).toBeGreaterThan(0);
  expect(merged).toEqual(whole);
  expect(merged.findings.map(({ code }: { code: string }) => code)).toContain("logged-differs");
});

it("refuses what holds none", () => {
  const { status, err } = runCli(dir, ["merge", "parts", "--logged", "run"]);
  expect([status, err.split("\n")[0]]).toEqual([2, "error: --logged run contains no logged metrics"]);
  const out = runCli(dir, ["merge", "parts", "--logged", "metrics.jsonl", "--out", "one.lrs"]);
  expect(out.status).toBe(2);
});
