import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requireBuild, runCli } from "./support/run-cli.ts";

let directory: string;
beforeAll(() => {
  requireBuild();
  directory = mkdtempSync(join(tmpdir(), "logratio-constant-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Sequences of ten tokens, whose rollout log-probs `rollout` gives for the i-th token. */
function write(name: string, rollout: (i: number) => number): void {
  const rows = Array.from({ length: 4 }, (_, s) =>
    JSON.stringify({
      response_ids: Array.from({ length: 10 }, (_, t) => t),
      response_mask: Array(10).fill(1),
      rollout_log_probs: Array.from({ length: 10 }, (_, t) => rollout(10 * s + t)),
      old_log_probs: Array.from({ length: 10 }, (_, t) => -0.001 * (10 * s + t + 1)),
      step: 1,
    }),
  );
  writeFileSync(join(directory, name), `${rows.join("\n")}\n`);
}

it("calls a run not comparable, and says why, whose one side is a single number", () => {
  write("constant.jsonl", () => -1);
  const { out: stdout } = runCli(directory, ["report", "constant.jsonl", "--json"]);
  const { level, headline } = JSON.parse(stdout).verdict;
  expect(level).toBe("not_comparable");
  expect(headline).toContain(
    "all 40 rollout log-probs are -1 (column rollout_log_probs): these are not log-probs",
  );
  const first = runCli(directory, ["report", "constant.jsonl", "--brief"]).out;
  expect(first).toContain("✗ NOT COMPARABLE");
  expect(first).toContain("All 40 rollout log-probs are -1");
  write("varies.jsonl", (i) => (i === 39 ? -1.001 : -1));
  const varies = JSON.parse(runCli(directory, ["report", "varies.jsonl", "--json"]).out).verdict;
  expect(varies.headline).not.toContain("not log-probs");
});
