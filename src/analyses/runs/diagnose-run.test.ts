import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { diagnoseRun, parseTrainer } from "./diagnose-run.ts";

let folder: RowFolder;
let same = "";
let shifted = "";
beforeAll(async () => {
  folder = await makeRowFolder();
  // Log-probs that no two neighbors share, so that a column moved by one token is an exact trace.
  const logprobs = (i: number) =>
    Array.from({ length: 60 }, (_, t) => -(((i * 61 + t * 17) % 97) + 1) / 41.3);
  const rows = (move: number) =>
    Array.from({ length: 30 }, (_, i) => ({
      rollout_log_probs: logprobs(i),
      old_log_probs: logprobs(i).map((_, t, all) => all[(t + move + 60) % 60]),
      response_mask: new Array(60).fill(1),
      group_id: `p${i}`,
      step: 1 + (i % 2),
    }));
  same = await folder.write("same/run.jsonl", rows(0));
  shifted = await folder.write("shifted/run.jsonl", rows(1));
});
afterAll(() => folder.remove());

describe("diagnoseRun", () => {
  it("names the fault that a shifted column is, with the file and its sequences", async () => {
    const report = await diagnoseRun(shifted);
    expect(report).toMatchObject({ verdict: "fault", run: "shifted" });
    expect(report.causes[0]!.probability).toBeGreaterThan(0.9);
    expect(report.causes[0]!.id).toMatch(/shift/);
    expect(report.sources).toMatchObject([{ file: shifted, sequences: 30 }]);
  });

  it("finds nothing wrong with two columns that agree", async () => {
    const report = await diagnoseRun([same]);
    expect(report.verdict).toBe("healthy");
    expect(report.metrics.tokens).toBe(1800);
  });

  it("looks at what a filter leaves only, and names the trainer's flags that are asked for", async () => {
    const report = await diagnoseRun(shifted, { filter: "step:1", for: "slime" });
    expect(report.metrics.sequences).toBe(15);
    expect(report.sources[0]!.sequences).toBe(15);
    expect(report.findings.some(({ message }) => message.startsWith("--filter:"))).toBe(true);
  });

  it("names the fixes of the trainer that is asked for first, else of the one that wrote the files", async () => {
    const logprobs = (i: number) =>
      Array.from({ length: 60 }, (_, t) => -(((i * 61 + t * 17) % 97) + 1) / 41.3);
    const uneven = await folder.write(
      "uneven/run.jsonl",
      Array.from({ length: 30 }, (_, i) => ({
        rollout_log_probs: logprobs(i),
        old_log_probs: logprobs(i).map((value, t) => value * (0.5 + ((i + 3 * t) % 11) / 10)),
        response_mask: new Array(60).fill(1),
        group_id: `p${i}`,
      })),
    );
    const firstFix = async (options: object) => {
      const { causes } = await diagnoseRun(uneven, options);
      return causes.flatMap(({ fix }) => fix.slice(0, 1)).map(({ trainer }) => trainer);
    };
    expect(await firstFix({ for: "verl" })).toContain("verl");
    expect(await firstFix({ for: "slime" })).not.toContain("verl");
    // The columns have the names that verl gives them.
    expect(await firstFix({})).toContain("verl");
  });

  it("takes a column without a finite log-prob for the fault, not for nothing to compare", async () => {
    const lost = await folder.write(
      "lost/run.jsonl",
      Array.from({ length: 30 }, (_, i) => ({
        rollout_log_probs: new Array(60).fill(-1),
        old_log_probs: new Array(60).fill(null),
        response_mask: new Array(60).fill(1),
        group_id: `p${i}`,
      })),
    );
    const report = await diagnoseRun(lost);
    expect(report).toMatchObject({ verdict: "fault", metrics: { tokens: 0 } });
  });

  it("refuses what it cannot diagnose: no tokens, an unknown trainer, a signal that ended it", async () => {
    const empty = await folder.write("empty.jsonl", [
      { rollout_log_probs: [-1], old_log_probs: [-1], response_mask: [0] },
    ]);
    await expect(diagnoseRun(empty)).rejects.toMatchObject({ _tag: "EmptyInputError" });
    expect(parseTrainer("verl")).toBe("verl");
    expect(parseTrainer(undefined)).toBeUndefined();
    expect(() => parseTrainer("verll")).toThrow('--for: unknown trainer "verll"');
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(diagnoseRun(same, { signal })).rejects.toThrow("enough");
  });
});
