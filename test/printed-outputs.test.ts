/** Outputs shown in the documentation equal what the program prints at 80 columns. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "logratio-printed-"));
beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

const AT_80 = { env: { COLUMNS: "80" } };
const TOKENIZER = ["--tokenizer", "examples/demo/tokenizer"];

/** The block of a page that begins with `start`. */
function findBlock(page: string, start: string): string {
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```\w*\n(.*?\n)```$/gms);
  const found = [...blocks].map(([, text]) => text!).filter((text) => text.startsWith(start));
  expect(found.length, `${page}: blocks that begin with ${start}`).toBe(1);
  return found[0]!;
}

// Long outputs are shortened there: the remaining lines must be in the output, in this order.
test.each([
  ["docs/corrections.md", "stale · 768 sequences", ["sweep", "examples/demo"]],
  ["docs/doctor.md", "stale · 768 sequences", ["doctor", "examples/demo"]],
  [
    "docs/divergence.md",
    "Iteration 30",
    ["divergence", "examples/demo", ...TOKENIZER, "--top-k", "1", "--out", join(folder, "log.jsonl")],
  ],
  [
    "docs/kl.md",
    "Checkpoints against dpo",
    ["kl", "examples/kl/logits.npz", "--reference", "dpo", ...TOKENIZER, "--out", join(folder, "kl")],
  ],
  [
    "docs/gate.md",
    "$ logratio gate examples/demo/stale",
    [
      "gate",
      "examples/demo/stale",
      ...["--limit", "delta_abs_mean <= 0.015", "--limit", "per_step.k3 < 0.01"],
    ],
  ],
])("the lines that %s shows are what logratio prints", (page, start, words) => {
  const printed = runCli(ROOT, words, AT_80).out.split("\n");
  const lines = findBlock(page, start)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("$ "));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const place = printed.indexOf(line);
    expect(place, line).toBeGreaterThanOrEqual(0);
    // Rules and similar lines occur more than once.
    printed.splice(0, place + 1);
  }
});

test("the report of the record's smallest example is that of its rows", () => {
  const page = readFileSync(join(ROOT, "docs/formats/record.md"), "utf8");
  const [, rows = ""] = /^rows = \[\n(.*?)^\]$/ms.exec(page) ?? [];
  // Python's dicts of numbers and strings are valid JSON.
  const run = join(folder, "run");
  mkdirSync(run);
  const objects = JSON.parse(`[${rows.trim().replace(/,$/, "")}]`) as object[];
  writeFileSync(join(run, "step_1.jsonl"), objects.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const { out } = runCli(run, ["report", "step_1.jsonl", "--brief"], AT_80);
  const [, ...shown] = findBlock("docs/formats/record.md", "$ logratio report step_1.parquet").split("\n");
  expect(shown.join("\n")).toBe(out.replaceAll("step_1.jsonl", "step_1.parquet"));
});

test("the answer that docs/assessment.md shows is that of the example", () => {
  const { out } = runCli(ROOT, ["report", "examples/demo", "--json"], AT_80);
  const { level, sentence, when } = (
    JSON.parse(out) as { assessment: { level: string; sentence: string; when: { words: string } } }
  ).assessment;
  expect(JSON.parse(findBlock("docs/assessment.md", "{"))).toEqual({ level, sentence, when: when.words });
});
