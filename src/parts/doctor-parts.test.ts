import { cp, mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnoseRun } from "../analyses/runs/diagnose-run.ts";
import { reportRun } from "../analyses/runs/report-run.ts";
import { resultJson } from "../core/base/json.ts";
import { diagnosePart } from "./doctor-part.ts";
import type { ReportSums } from "./kinds/index.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { findParts, readPart } from "./part-files.ts";
import { reportPart } from "./report-part.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader, type SummarizeOptions } from "./summarize-shards.ts";

let folder = "";
const demo = (): string => join(folder, "stale");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-doctor-parts-"));
  // Only a few files, since every diagnosis takes time.
  for (const step of ["0010", "0020", "0030", "0050"])
    await cp(`examples/demo/stale/step_${step}.npz`, join(demo(), `step_${step}.npz`));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function summarize(paths: string[], out: string, options: SummarizeOptions = {}): Promise<void> {
  const reader = await openShardReader(paths, { for: "doctor", batchTokens: 2000, ...options });
  await summarizeInto(reader, { out: join(folder, out) });
}

const plain = (result: unknown): unknown => JSON.parse(resultJson(result));
const diagnose = async (...parts: string[]): Promise<unknown> =>
  plain(
    diagnosePart(
      await mergePaths(
        "doctor",
        parts.map((part) => join(folder, part)),
      ),
    ),
  );

describe("parts for doctor", () => {
  it("merge to the diagnosis of one process, bit for bit, in any order and tree", async () => {
    const whole = plain(await diagnoseRun([demo()], { batchTokens: 2000 }));
    await summarize([demo()], "all");
    expect(await diagnose("all")).toEqual(whole);
    const [left, right, top] = [new PartMerger(), new PartMerger(), new PartMerger()];
    for (const [i, path] of (await findParts([join(folder, "all")])).reverse().entries())
      (i % 3 === 0 ? left : right).add(await readPart(path), path);
    top.add(decodePart(await encodePart(right.finish()), "half"), "half");
    top.add(left.finish(), "left");
    expect(plain(diagnosePart(top.finish() as Part<ReportSums>))).toEqual(whole);
  });

  it("lie beside those for a report, each in its own files, and go on by themselves", async () => {
    await summarize([demo()], "both");
    const reader = await openShardReader([demo()], { threads: 1 });
    await summarizeInto(reader, { out: join(folder, "both") });
    expect(await readdir(join(folder, "both"))).toHaveLength(10);
    const report = reportPart(await mergePaths("report", [join(folder, "both")]));
    expect(plain(report)).toEqual(plain(await reportRun([demo()], { threads: 1 })));
    expect(await diagnose("both")).toEqual(plain(await diagnoseRun([demo()], { batchTokens: 2000 })));
    const again = await openShardReader([demo()], { for: "doctor", batchTokens: 2000 });
    expect((await summarizeInto(again, { out: join(folder, "both") })).resumed).toBe(4);
  });

  it("are refused where another verb's are wanted, with the command that answers", async () => {
    await summarize([join(demo(), "step_0010.npz")], "ten.lrs");
    const path = join(folder, "ten.lrs");
    await expect(mergePaths("report", [path])).rejects.toMatchObject({
      message: `${path} is a part for doctor`,
      hint: expect.stringContaining(`logratio doctor ${path} answers`),
    });
    await summarize([demo()], "only");
    await expect(mergePaths("report", [join(folder, "only")])).rejects.toThrow(
      "no part for report found; found: 5 for doctor",
    );
  });

  it("say which shards were left out, as one process does of those that are damaged", async () => {
    await cp(demo(), join(folder, "damaged"), { recursive: true });
    await truncate(join(folder, "damaged/step_0020.npz"), 30_000);
    await summarize([join(folder, "damaged")], "some");
    expect(await diagnose("some")).toEqual(
      plain(await diagnoseRun([join(folder, "damaged")], { batchTokens: 2000 })),
    );
  });
});
