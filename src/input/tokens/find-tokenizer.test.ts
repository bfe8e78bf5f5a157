import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findTokenizer } from "./find-tokenizer.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-tokenizer-"));
  for (const [run, dumps] of [
    ["a", "train_data"],
    ["b", "rollout_data"],
    ["plain", "logs"],
  ] as const) {
    await mkdir(join(folder, run, dumps), { recursive: true });
    await mkdir(join(folder, run, "tokenizer"));
    await writeFile(join(folder, run, dumps, "7_0.pt"), "");
    await writeFile(join(folder, run, "tokenizer", "tokenizer.json"), "{}");
  }
  await mkdir(join(folder, "none", "train_data"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ["the directory of --dump-details", ["a"], "a"],
  ["one of its folders", ["b/rollout_data"], "b"],
  ["a file in one", ["a/train_data/7_0.pt"], "a"],
  ["both folders of a run, and a handle", ["a", "a/train_data", "s7.q1"], "a"],
  ["two runs", ["a", "b"], undefined],
  ["a run without a tokenizer", ["none"], undefined],
  ["the directory of a run of any other trainer", ["plain"], "plain"],
  ["a file that lies elsewhere", ["plain/logs/7_0.pt"], undefined],
  ["standard input", ["-"], undefined],
])("%s", async (_, paths, run) => {
  const found = await findTokenizer(paths.map((path) => (path === "-" ? path : join(folder, path))));
  expect(found).toBe(run === undefined ? undefined : join(folder, run, "tokenizer"));
});
