import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerRun } from "../analyses/evidence/answer.ts";
import { RunEvidence } from "../analyses/evidence/run-evidence.ts";
import { readBatches, sourceSummaries } from "../analyses/runs/read-batches.ts";
import { buildSweep } from "../analyses/sweep/build-sweep.ts";
import { chooseCorrections, type GridOptions } from "../analyses/sweep/choose-corrections.ts";
import { Sweep } from "../analyses/sweep/sweep.ts";
import { resultJson } from "../core/base/json.ts";
import { openRun } from "../ingest/open-run.ts";
import { NEWEST_PRESETS } from "../trainers/presets.ts";
import type { SweepSums } from "./kinds/sweep-sums.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { findParts, readPart } from "./part-files.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader, type SummarizeOptions } from "./summarize-shards.ts";
import { sweepPart } from "./sweep-part.ts";

let folder = "";
const demo = (): string => join(folder, "stale");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-sweep-parts-"));
  await cp("examples/demo/stale", demo(), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Includes weights divided by the mean of their step, which has several batches. */
const GRID: GridOptions = {
  methods: "token-tis,seq-tis,geo-rs",
  correction: ["weight:token truncate:..2 normalize:token"],
};

async function summarize(paths: string[], out: string, options: SummarizeOptions = {}): Promise<void> {
  const reader = await openShardReader(paths, { for: "sweep", batchTokens: 2000, ...GRID, ...options });
  await summarizeInto(reader, { out: join(folder, out) });
}

/** The sweep that `logratio sweep` makes in one process. */
async function sweepAlone(path: string): Promise<unknown> {
  const sweep = new Sweep(chooseCorrections(GRID));
  const run = await openRun([path], { batchTokens: 2000 });
  const evidence = new RunEvidence();
  for await (const batch of readBatches(run)) {
    sweep.add(batch);
    evidence.add(batch);
  }
  const read = { run: run.name, findings: run.findings.list(), sources: sourceSummaries(run) };
  const { report } = answerRun({ ...read, paths: [path], parity: [], evidence });
  const { assessment } = report;
  return plain(buildSweep({ ...read, sweep, presets: NEWEST_PRESETS, assessment }));
}

const plain = (result: unknown): unknown => JSON.parse(resultJson(result));
const merged = async (...parts: string[]): Promise<Part<SweepSums>> =>
  mergePaths(
    "sweep",
    parts.map((part) => join(folder, part)),
  );

describe("parts for sweep", () => {
  it("merge to the sweep of one process, bit for bit, in any order and tree", async () => {
    const whole = await sweepAlone(demo());
    await summarize([demo()], "all");
    expect(plain(sweepPart(await merged("all")))).toEqual(whole);
    const [left, right, top] = [new PartMerger(), new PartMerger(), new PartMerger()];
    for (const [i, path] of (await findParts([join(folder, "all")])).reverse().entries())
      (i % 3 === 0 ? left : right).add(await readPart(path), path);
    top.add(decodePart(await encodePart(right.finish()), "half"), "half");
    top.add(left.finish(), "left");
    expect(plain(sweepPart(top.finish() as Part<SweepSums>))).toEqual(whole);
  });

  it("leave out a damaged shard as one process does", async () => {
    await cp(demo(), join(folder, "damaged"), { recursive: true });
    await truncate(join(folder, "damaged/step_0020.npz"), 30_000);
    await summarize([join(folder, "damaged")], "some");
    expect(plain(sweepPart(await merged("some")))).toEqual(await sweepAlone(join(folder, "damaged")));
  });

  it("refuse other corrections, and name both; choose among their own", async () => {
    await summarize([join(demo(), "step_0010.npz")], "ten.lrs");
    await summarize([join(demo(), "step_0020.npz")], "twenty.lrs", { methods: "token-tis" });
    await expect(merged("ten.lrs", "twenty.lrs")).rejects.toThrow(
      /ten\.lrs with .*--methods token-tis,seq-tis.*twenty\.lrs with .*--methods token-tis /,
    );
    const ten = await merged("ten.lrs");
    expect(sweepPart(ten, { choose: "none" }).chosen).toBe("none");
    expect(() => sweepPart(ten, { choose: "icepop 0.5-5" })).toThrow(/unknown correction/);
  });

  it("are refused with the flags of another verb, and with corrections that contradict themselves", async () => {
    await expect(openShardReader([demo()], { methods: "token-tis" })).rejects.toThrow(
      "--methods token-tis is not for report",
    );
    await expect(openShardReader([demo()], { for: "sweep", correction: ["truncate:..2"] })).rejects.toThrow();
    await expect(openShardReader([demo()], { for: "sweep", set: ["a=1"] })).rejects.toThrow(
      "--set needs --preset",
    );
  });
});
