import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLimited } from "../support/limited-run.ts";
import { sized } from "../support/run-size.ts";

const PARTS = sized(20_000, 100_000);
const COUNT = PARTS.toLocaleString("en");
/** Limit on memory for 100,000 parts of a run; it grows with their number, and `--memory` does not cover it. */
const MOST_BYTES = 1.3 * 2 ** 30;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-many-"));
});
afterAll(() => rm(folder, { recursive: true }));

function rows(count: number, of: (i: number) => string): string {
  const lines = Array.from({ length: count }, (_, i) => {
    const values = [-(i % 13) / 10, -1 - (i % 7) / 10];
    return `{${of(i)},"rollout_log_probs":[${values}],"old_log_probs":[${values[0]},-1.2]}\n`;
  });
  return lines.join("");
}

test.each([
  [
    "steps",
    "",
    (i: number) => `"step":${i}`,
    new RegExp(`${PARTS} steps in \\d+ rows|${COUNT} steps in \\d+ rows`),
  ],
  ["ranks", "--rank rank", (i: number) => `"step":1,"rank":${i}`, new RegExp(`the 200 of ${COUNT} ranks`)],
  [
    "environments",
    "--environment env",
    (i: number) => `"step":1,"env":"e${i}"`,
    new RegExp(`the 200 of ${COUNT} environments`),
  ],
  [
    "engines",
    "",
    (i: number) => `"step":1,"engine_id":"e${i}"`,
    new RegExp(`(${COUNT}|more than 17,408) engines are too many to list separately`),
  ],
] as const)(
  `reports a run of ${COUNT} %s`,
  async (name, flags, of, says) => {
    await writeFile(join(folder, `${name}.jsonl`), rows(PARTS, of));
    const args = ["report", `${name}.jsonl`, ...flags.split(" ").filter(Boolean)];
    const run = await runLimited(folder, args, { wallMs: 100_000 });
    expect(run.err).toBe("");
    expect([run.status, run.timedOut]).toEqual([0, false]);
    expect(run.out.replace(/\s+/g, " ")).toMatch(says);
    expect(run.out.split("\n").length).toBeLessThan(1000);
    expect(run.peakBytes).toBeLessThan(MOST_BYTES);
  },
  120_000,
);

test("reports a row of 100,000 turns", async () => {
  const values = Array.from({ length: 200_000 }, (_, i) => -(i % 7) / 10);
  const mask = values.map((_, i) => i % 2);
  const row = {
    step: 1,
    rollout_log_probs: values,
    old_log_probs: values.map((v) => v / 2),
    response_mask: mask,
  };
  await writeFile(join(folder, "turns.jsonl"), JSON.stringify(row));
  const run = await runLimited(folder, ["report", "turns.jsonl"]);
  expect([run.status, run.timedOut, run.err]).toEqual([0, false, ""]);
  expect(run.out).toContain("the 200 of 100,000 turns with the largest mean |Δ|; --json has all");
  expect(run.out.split("\n").length).toBeLessThan(1000);
  expect(run.peakBytes).toBeLessThan(MOST_BYTES);
}, 90_000);
