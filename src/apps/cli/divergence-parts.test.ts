import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { logPart } from "../../parts/divergence-part.ts";
import type { DivergenceSums } from "../../parts/kinds/index.ts";
import { mergePaths, PartMerger } from "../../parts/merge-parts.ts";
import type { Part } from "../../parts/part.ts";
import { decodePart, encodePart } from "../../parts/part-bytes.ts";
import { findParts, readPart } from "../../parts/part-files.ts";
import { captured } from "./commands/captured.test-data.ts";
import { type DivergenceCommandOptions, divergence } from "./commands/divergence.ts";
import { type SummarizeOptions, summarize } from "./commands/summarize.ts";

const TOKENIZER = "examples/demo/tokenizer";
let folder = "";
let run = "";

/** Files that end and begin with the same step, one that comes back to a step, ties, and an infinite log-prob. */
const FILES: Readonly<Record<string, readonly (readonly [step: number, ...rollout: number[]])[]>> = {
  "a.jsonl": [
    [1, -0.1, -3],
    [2, -0.5, -0.5],
    [2, -0.2, -2],
  ],
  "b.jsonl": [
    [2, -0.25, -2],
    [2, -4, 0],
    [1, -0.01, -0.02],
    [2, -1, -6],
  ],
  "c.jsonl": [
    [2, -0.001, -0.3],
    [3, -9, -1],
    [4, -0.2, -0.2],
  ],
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-divergence-parts-"));
  run = join(folder, "run");
  await mkdir(run);
  for (const [name, rows] of Object.entries(FILES)) {
    const lines = rows.map(([step, ...rollout], at) =>
      JSON.stringify({
        ...{
          step,
          rollout_logprobs: rollout,
          trainer_logprobs: rollout.map((_, t) => (t === 1 ? -0.4 : -2)),
        },
        ...{ response_mask: rollout.map(() => 1), response_ids: rollout.map((_, t) => 40 + 3 * at + t) },
        ...{ prompt_ids: [5, 6, 7], reward: at % 2 },
      }),
    );
    await writeFile(join(run, name), `${lines.join("\n")}\n`);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const KEPT = { topK: "3", context: "1" } as const;

async function makeParts(name: string, options: SummarizeOptions = {}): Promise<string> {
  const out = join(folder, name);
  const given = { ...KEPT, ...options, for: "divergence", out };
  expect((await captured((terminal) => summarize([run], given, terminal))).status).toBe(0);
  return out;
}

async function log(path: string, options: DivergenceCommandOptions): Promise<{ out: string; err: string }> {
  const { status, out, err } = await captured((terminal) => divergence([path], options, terminal));
  expect(status).toBe(0);
  return { out, err };
}

describe("parts for divergence", () => {
  it("become the log of one process: its steps, ties, texts, findings and files, byte for byte", async () => {
    const parts = await makeParts("all");
    const written = { threshold: "0.1", tokenizer: TOKENIZER };
    const ours = await log(parts, { ...written, json: true });
    expect(ours).toEqual(await log(run, { ...written, ...KEPT, json: true }));
    const { per_step, findings } = JSON.parse(ours.out);
    expect(per_step.map(({ step }: { step: number }) => step)).toEqual([1, 2, 1, 2, 3, 4]);
    expect(findings.map(({ message }: { message: string }) => message).join()).toContain("not contiguous");
    for (const form of [{}, { lean: true, out: "-" }] as const)
      expect(await log(parts, { ...written, ...form })).toEqual(
        await log(run, { ...written, ...KEPT, ...form }),
      );
    const rotated = { ...written, rotate: "iteration" };
    await log(parts, { ...rotated, out: join(folder, "ours", "log.jsonl") });
    await log(run, { ...rotated, ...KEPT, out: join(folder, "theirs", "log.jsonl") });
    const read = async (name: string): Promise<(readonly [string, string])[]> => {
      const files = (await readdir(join(folder, name))).sort();
      return Promise.all(
        files.map(async (file) => [file, await readFile(join(folder, name, file), "utf8")] as const),
      );
    };
    const files = await read("ours");
    expect(files).toEqual(await read("theirs"));
    expect(files.length).toBeGreaterThan(2);
  });

  it("merge in any order and tree", async () => {
    const parts = await makeParts("tree");
    const paths = await findParts([parts]);
    const whole = [...logPart(await mergePaths("divergence", [parts])).steps];
    const [left, top] = [new PartMerger(), new PartMerger()];
    for (const path of paths.slice(2).reverse()) left.add(await readPart(path), path);
    top.add(decodePart(await encodePart(left.finish()), "left"), "left");
    for (const path of paths.slice(0, 2)) top.add(await readPart(path), path);
    const tree = top.finish() as Part<DivergenceSums>;
    expect([...logPart(tree).steps]).toEqual(whole);
    // Steps are read as often as one likes.
    expect([...logPart(tree).steps]).toEqual(whole);
  });

  it("leave out steps as one process does, and refuse what was decided when they were made", async () => {
    const parts = await makeParts("even", { every: "2" });
    expect(await log(parts, { json: true })).toEqual(await log(run, { ...KEPT, every: "2", json: true }));
    await expect(captured((terminal) => divergence([parts], { topK: "9" }, terminal))).rejects.toMatchObject({
      message: `--top-k 9 belongs to summarize: ${parts} contains results, not dumps`,
    });
    const wrong = { for: "divergence", topK: "0", out: join(folder, "no") };
    await expect(captured((terminal) => summarize([run], wrong, terminal))).rejects.toThrow(
      '--top-k must be a positive whole number, not "0"',
    );
  });
});
