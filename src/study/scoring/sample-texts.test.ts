import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStudy } from "./config/read-study.ts";
import { runStudy } from "./run-study.ts";
import { paths } from "./store/manifest.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sample-texts-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function readSpec(generate: object) {
  const problems = join(dir, "problems.json");
  const rows = [1, 2].map((id) => ({ unique_id: `p${id}`, prompt_ids: [3 + id, 9, 12], answer: "1" }));
  await writeFile(problems, JSON.stringify(rows));
  const config = {
    problems,
    generate: { n: 2, max_tokens: 4, seed: 5, ...generate },
    tokenizer: at("examples/demo/tokenizer"),
    policies: {
      plain: `onnx:${at("test/fixtures/onnx")}/plain`,
      run_1: `onnx:${at("test/fixtures/onnx")}/scaled`,
    },
    reference: "plain",
  };
  return (await readStudy(config, join(dir, "out"), undefined)).spec;
}

test("several temperatures each give n responses, named and counted by temperature", async () => {
  const spec = await readSpec({ temperature: [0, 1.5] });
  expect(spec.generate).toMatchObject({ n: 2, temperature: 0, temperatures: [0, 1.5] });
  const { texts, findings } = await runStudy(spec, { threads: 1 });
  const ids = ["p1", "p2"].flatMap((problem) => [0, 1].map((k) => [problem, k] as const));
  expect(texts.map(({ id }) => id)).toEqual(
    [0, 1.5].flatMap((t) => ids.map(([problem, k]) => `plain:${problem}@t${t}#${k}`)),
  );
  // Greedy responses are all equal, and those at 1.5 differ from them.
  const written = (id: string): string => texts.find((text) => text.id === id)!.tokenIds.join();
  expect(written("plain:p1@t0#0")).toBe(written("plain:p1@t0#1"));
  expect(
    new Set(["@t0#0", "@t1.5#0", "@t1.5#1"].map((name) => written(`plain:p1${name}`))).size,
  ).toBeGreaterThan(1);
  const counted = findings.filter(({ message }) => message.includes("at temperature"));
  expect(counted.map(({ count, message }) => [count, message.split(":")[0]])).toEqual([
    [4, "4 responses of plain at temperature 0"],
    [4, "4 responses of plain at temperature 1.5"],
  ]);
  const lines = await readFile(paths.rollouts(spec.out), "utf8");
  // Nothing is sampled twice.
  const again = await runStudy(spec, { threads: 1 });
  expect(again.policies.map(({ kept }) => kept)).toEqual([8, 8]);
  expect(await readFile(paths.rollouts(spec.out), "utf8")).toBe(lines);
});

test.each([[[]], [[0.3, -1]], [["hot"]]])("temperatures %j are refused", async (temperature) => {
  await expect(readSpec({ temperature })).rejects.toThrow(
    "generate.temperature must be a number from 0, or a list of them",
  );
});
