import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLimited } from "../support/limited-run.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-memory-"));
  const side = Array.from({ length: 3_000_000 }, () => -1);
  const run = { rollout_log_probs: [side], old_log_probs: [side] };
  await writeFile(join(folder, "wide.json"), JSON.stringify(run));
});
afterAll(() => rm(folder, { recursive: true }));

test("reads a file that its memory limit allows, refuses it below, and says so", async () => {
  const allowed = await runLimited(folder, ["report", "wide.json", "--memory", "256", "--json"]);
  expect([allowed.status, JSON.parse(allowed.out).metrics.tokens]).toEqual([0, 3_000_000]);
  const refused = await runLimited(folder, ["report", "wide.json", "--memory", "16", "--json"]);
  expect([refused.status, refused.out]).toEqual([3, ""]);
  expect(refused.err).toBe(`error: one JSON value has more than the limit of 8388608 bytes of text
  where   wide.json, line 1, byte 0
  likely  it is not JSON, or one row holds an entire run
  try     if it is valid and there is enough memory: --memory 32 (MiB)
`);
});

test.each(["0", "x", "-1"])("refuses %s as a memory limit", async (memory) => {
  const { status, err } = await runLimited(folder, ["report", "wide.json", `--memory=${memory}`]);
  expect(status).toBe(2);
  expect(err).toBe(`error: --memory must be a positive integer, not "${memory}"\n`);
});

test("every verb that reads runs takes the limit", async () => {
  for (const verb of [
    "report",
    "show",
    "view",
    "correct",
    "sweep",
    "digits",
    "analyze",
    "sql",
    "divergence",
  ]) {
    const { out } = await runLimited(folder, [verb, "--help"]);
    expect(out, verb).toMatch(/--memory <mib>\s+memory for/);
  }
});
