import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import type { Progress } from "../../ingest/progress.ts";
import { gateRun, learnFromRuns } from "./gate-run.ts";
import { reportRun } from "./report-run.ts";

let folder: RowFolder;
const KEY = "training/rollout_probs_diff_mean";
const LOGGED = `mean(logged.${KEY}) <= 0.5`;
const write = (name: string, delta: number) =>
  folder.write(
    name,
    Array.from({ length: 36 }, (_, i) => ({
      rollout_log_probs: Array.from({ length: 30 }, (_, t) => -1 - (t % 5) / 8),
      old_log_probs: Array.from({ length: 30 }, (_, t) => -1 - (t % 5) / 8 - (delta * ((i + t) % 7)) / 6),
      response_mask: new Array(30).fill(1),
      step: 1 + (i % 3),
      group_id: `p${i}`,
    })),
  );
const log = (name: string) =>
  folder.write(
    name,
    [1, 2, 3].map((step) => ({ step, [KEY]: 0.01 })),
  );
beforeAll(async () => {
  folder = await makeRowFolder();
});
afterAll(() => folder.remove());

const outcomes = ({ checks }: Awaited<ReturnType<typeof gateRun>>) =>
  Object.fromEntries(checks.map(({ metric, outcome }) => [metric, outcome]));

describe("gateRun", () => {
  it("holds dumps and what was logged beside them to limits on either", async () => {
    const paths = [await log("both/metrics.jsonl"), await write("both/dump.jsonl", 0.25)];
    const limits = [LOGGED, "delta_abs_max <= 0.2"];
    const wanted = { [`mean(logged.${KEY})`]: "pass", delta_abs_max: "fail" };
    expect(outcomes(await gateRun(paths, { limits }))).toMatchObject(wanted);
    expect(outcomes(await gateRun(dirname(paths[0]!), { limits }))).toMatchObject(wanted);
  });

  it("reads a directory of nothing but metrics; of files, all must be read", async () => {
    const metrics = await log("metrics-only/metrics.jsonl");
    const other = await folder.writeText("metrics-only/notes.json", "{}");
    const { passed } = await gateRun(dirname(metrics), { limits: [LOGGED] });
    expect(passed).toBe(true);
    await expect(gateRun([metrics, other], { limits: [LOGGED] })).rejects.toThrow();
    await expect(gateRun(dirname(await folder.writeText("empty/notes.json", "{}")))).rejects.toThrow();
  });

  it("takes alpha for limits alone, and allows what cannot be decided where that is asked for", async () => {
    const dump = await write("plain.jsonl", 0.25);
    const limits = ["delta_abs_mean <= 0.9"];
    expect((await gateRun(dump, { limits })).alpha).toBe(0.01);
    expect((await gateRun(dump, { limits, alpha: 0.2 })).alpha).toBe(0.2);
    const open = ["delta_abs_mean <= 0.125"];
    expect((await gateRun(dump, { limits: open })).passed).toBe(false);
    expect((await gateRun(dump, { limits: open, allowUndecidable: true })).passed).toBe(true);
  });

  it("tells how far reading has come", async () => {
    const seen: Progress[] = [];
    const dump = await write("progress.jsonl", 0.25);
    await gateRun(dump, { limits: ["ess >= 0"], onProgress: (progress) => void seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ file: dump, sequences: 36 });
  });
});

describe("a run of a baseline", () => {
  const digest = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");
  const describeRun = async (path: string) => {
    const { baseline } = await learnFromRuns([path], { against: `${folder.path}/none.yaml` });
    return baseline.runs[0];
  };

  it("is known by the digests of its files, in whatever order they are read", async () => {
    const files = [await write("pair/a.jsonl", 0.2), await write("pair/b.jsonl", 0.3)];
    const digests = await Promise.all(files.map(async (file) => digest(await readFile(file))));
    expect(await describeRun(dirname(files[0]!))).toEqual({
      name: "pair",
      date: null,
      files: 2,
      prompts: 72,
      sha256: digest([...digests].sort().join("\n")),
    });
    expect(await describeRun(`${dirname(files[0]!)}//`)).toMatchObject({ name: "pair" });
  });

  it("is one file where it is a written report, whatever files that is of", async () => {
    const dumps = [await write("reported/a.jsonl", 0.2), await write("reported/b.jsonl", 0.3)];
    const text = JSON.stringify(await reportRun(dumps, { threads: 1 }));
    const file = await folder.writeText("written.json", text);
    expect(await describeRun(file)).toEqual({
      name: "written.json",
      date: null,
      files: 1,
      prompts: 72,
      sha256: digest(digest(text)),
    });
  });

  it("may be of logged metrics", async () => {
    const metrics = await log("learned/metrics.jsonl");
    const { baseline } = await learnFromRuns([metrics], {
      against: `${folder.path}/none.yaml`,
      metrics: [`mean(logged.${KEY})`],
    });
    expect(baseline.runs[0]).toMatchObject({
      files: 1,
      sha256: digest(digest(await readFile(metrics))),
    });
    expect(baseline.checks.map(({ figure, values }) => [figure.text, values])).toEqual([
      [`mean(logged.${KEY})`, [expect.closeTo(0.01, 12)]],
    ]);
  });
});
