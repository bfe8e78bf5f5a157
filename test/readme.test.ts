import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "logratio-readme-"));
beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

test("the report in the README is what logratio prints", () => {
  const [, printed] = /```\n(stale · 12 files.*?\n)```/s.exec(readme) ?? [];
  const { out } = runCli(ROOT, ["report", "examples/demo", "--brief"], { env: { COLUMNS: "80" } });
  expect(printed).toBe(out);
});

const TOKENIZER = ["--tokenizer", "examples/demo/tokenizer"];

// Long outputs are shortened there: what is left stands in the output, in this order.
test.each([
  ["sweep", "stale · 768 sequences", ["examples/demo"]],
  [
    "divergence",
    "Iteration 30",
    ["examples/demo", ...TOKENIZER, "--top-k", "1", "--out", join(folder, "log.jsonl")],
  ],
  [
    "kl",
    "Checkpoints against dpo",
    ["examples/kl/logits.npz", "--reference", "dpo", ...TOKENIZER, "--out", join(folder, "kl")],
  ],
])("the lines of %s in the README are what logratio prints", (verb, start, words) => {
  const [, sample] = new RegExp(`\n\`\`\`\n(${start}.*?\n)\`\`\``, "s").exec(readme) ?? [];
  const printed = runCli(ROOT, [verb, ...words], { env: { COLUMNS: "80" } }).out.split("\n");
  const lines = (sample ?? "").split("\n").filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const place = printed.indexOf(line);
    expect(place, line).toBeGreaterThanOrEqual(0);
    // Rules and the like occur more than once.
    printed.splice(0, place + 1);
  }
});
