import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRunLog } from "../analyses/divergence/run-log.ts";
import { readBatches } from "../analyses/runs/read-batches.ts";
import { ByteReader } from "../core/base/byte-reader.ts";
import { ByteWriter } from "../core/base/byte-writer.ts";
import { openRun } from "../ingest/open-run.ts";
import { logPart } from "./divergence-part.ts";
import { type DivergenceSums, PART_KINDS } from "./kinds/index.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { findParts, readPart } from "./part-files.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader, type SummarizeOptions } from "./summarize-shards.ts";

let folder = "";
const at = (...names: string[]): string => join(folder, ...names);

/** Steps of the rows: b begins with the step that a ends with, and returns to step 1. */
const STEPS = { "a.jsonl": [1, 2, 2], "b.jsonl": [2, 1], "c.jsonl": [3] } as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-divergence-parts-"));
  await mkdir(at("run"));
  for (const [name, steps] of Object.entries(STEPS)) {
    const rows = steps.map((step, i) => ({
      step,
      response_ids: [40, 41, 42, 43],
      response_mask: [1, 1, 1, 1],
      rollout_logprobs: [-0.1 * step, -0.5, -1 - i, -2],
      trainer_logprobs: [-0.1, -0.1, -1, -0.01 * step],
    }));
    await writeFile(at("run", name), `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function summarize(out: string, options: SummarizeOptions = {}): Promise<string> {
  const reader = await openShardReader([at("run")], { for: "divergence", ...options });
  await summarizeInto(reader, { out: at(out) });
  return at(out);
}

/** The log that `logratio divergence` makes in one process. */
async function logAlone(options: Parameters<typeof createRunLog>[0]) {
  const log = createRunLog(options);
  const run = await openRun([at("run")], { keepDetails: true });
  const steps = [];
  for await (const batch of readBatches(run)) steps.push(...log.add(batch));
  steps.push(...log.finish());
  return { steps, leftOut: log.leftOut };
}

describe("parts for divergence", () => {
  it("become the steps of one process, with the tokens that were asked for when they were made", async () => {
    const whole = await logAlone({ divergenceTopK: 2, contextWindow: 1 });
    const log = logPart(
      await mergePaths("divergence", [await summarize("all", { topK: "2", context: "1" })]),
    );
    expect([...log.steps]).toEqual(whole.steps);
    expect(whole.steps.map(({ step, sequences, records }) => [step, sequences, records.length])).toEqual([
      [1, 1, 2],
      [2, 3, 2],
      [1, 1, 2],
      [3, 1, 2],
    ]);
    expect(log.logOptions).toMatchObject({ divergenceTopK: 2, contextWindow: 1, every: 1 });
    expect([log.run, log.leftOut, log.sources.length]).toEqual(["run", 0, 3]);
  });

  it("count the sequences of the steps that were left out", async () => {
    const whole = await logAlone({ every: 2 });
    const log = logPart(await mergePaths("divergence", [await summarize("even", { every: 2 })]));
    expect([...log.steps]).toEqual(whole.steps);
    expect([log.leftOut, whole.leftOut]).toEqual([3, 3]);
    expect(log.logOptions.every).toBe(2);
  });

  it("merge in any order and tree, also with what nothing was added to", async () => {
    const path = await summarize("tree", { every: 2 });
    const whole = [...logPart(await mergePaths("divergence", [path])).steps];
    const [left, top] = [new PartMerger(), new PartMerger()];
    const paths = await findParts([path]);
    for (const part of paths.slice(2).reverse()) left.add(await readPart(part), part);
    top.add(decodePart(await encodePart(left.finish()), "left"), "left");
    for (const part of paths.slice(0, 2)) top.add(await readPart(part), part);
    const tree = top.finish() as Part<DivergenceSums>;
    expect([...logPart(tree).steps]).toEqual(whole);
    expect(logPart(tree).leftOut).toBe(3);
    expect([tree.sums.sequences, tree.sums.tokens]).toEqual([3, 12]);
    expect([...tree.sums.sequencesByFile.values()].reduce((sum, count) => sum + count, 0)).toBe(6);
    const empty = (await openShardReader([at("run")], { for: "divergence" })).emptyPart();
    const read = decodePart(await encodePart(empty), "empty") as Part<DivergenceSums>;
    expect([...logPart(read).steps]).toEqual([]);
    expect(read.sums.kept).toBeUndefined();
  });

  it("have the same bytes in whatever order shards were merged", async () => {
    // Parts of two calls, each of which records its own paths.
    const one = await openShardReader([at("run", "a.jsonl")], { for: "divergence" });
    await summarizeInto(one, { out: at("apart") });
    const paths = await findParts([await summarize("order"), at("apart")]);
    const encode = async (some: readonly string[]): Promise<Uint8Array> => {
      const merger = new PartMerger();
      for (const path of some) merger.add(await readPart(path), path);
      return encodePart(merger.finish());
    };
    expect(await encode([...paths].reverse())).toEqual(await encode(paths));
  });

  it.each([
    [{ topK: "0" }, '--top-k must be a positive whole number, not "0"'],
    [{ topK: "many" }, '--top-k must be a positive whole number, not "many"'],
    [{ every: 0 }, '--every must be a positive whole number, not "0"'],
    [{ every: 1.5 }, '--every must be a positive whole number, not "1.5"'],
    [{ context: "-1" }, '--context must be a whole number, not "-1"'],
  ])("are refused with numbers that cannot be: %o", async (options, message) => {
    await expect(openShardReader([at("run")], { for: "divergence", ...options })).rejects.toMatchObject({
      _tag: "UsageError",
      message,
    });
  });

  it("take a context of no token, and one token of a step", async () => {
    const log = logPart(await mergePaths("divergence", [await summarize("bare", { context: "0", topK: 1 })]));
    const [first] = log.steps;
    expect(first!.records).toHaveLength(1);
    expect(log.logOptions).toMatchObject({ contextWindow: 0, divergenceTopK: 1 });
  });

  it.each([
    ["tokens of a step", [0, 1, 1, 0]],
    ["every so many steps", [1, 1, 0, 0]],
  ])("are refused where they keep 0 %s", (_, numbers) => {
    const to = new ByteWriter();
    to.byte(1);
    for (const number of numbers) to.whole(number);
    const bytes = new ByteReader(to.finishApart(), "zero.lrs");
    expect(() => PART_KINDS.divergence.makeSums().mergeFrom(bytes)).toThrow(/a setting is 0/);
  });
});
