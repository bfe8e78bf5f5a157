import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { gateRun, learnFromRuns } from "./gate-run.ts";
import { reportRun } from "./report-run.ts";

let folder: RowFolder;
let run = "";
const write = (name: string, delta: number) =>
  folder.write(
    name,
    Array.from({ length: 36 }, (_, i) => ({
      rollout_log_probs: Array.from({ length: 30 }, (_, t) => -1 - (t % 5) / 8),
      // Each sequence differs by its own share of delta, so that there is an interval.
      old_log_probs: Array.from({ length: 30 }, (_, t) => -1 - (t % 5) / 8 - (delta * ((i + t) % 7)) / 6),
      response_mask: new Array(30).fill(1),
      step: 1 + (i % 3),
      group_id: `p${i}`,
    })),
  );
beforeAll(async () => {
  folder = await makeRowFolder();
  run = await write("run/dump.jsonl", 0.25);
});
afterAll(() => folder.remove());

const outcomes = ({ checks }: Awaited<ReturnType<typeof gateRun>>) =>
  Object.fromEntries(checks.map(({ metric, outcome }) => [metric, outcome]));

describe("gateRun", () => {
  it("holds a run to limits: which pass, which fail, and whether all do", async () => {
    const failed = await gateRun(run, { limits: ["delta_abs_max <= 0.2", "delta_abs_mean <= 0.9"] });
    expect(failed.passed).toBe(false);
    expect(outcomes(failed)).toMatchObject({ delta_abs_max: "fail", delta_abs_mean: "pass" });
    const passed = await gateRun([run], { limits: ["delta_abs_max <= 0.3"] });
    expect(passed.passed).toBe(true);
    expect(passed.baseline).toBeNull();
  });

  it("reports its progress, and how the run compares with a baseline of its own name", async () => {
    const seen: object[] = [];
    const more = { threads: 1, onProgress: (progress: object) => seen.push(progress) };
    await gateRun(run, { limits: ["delta_abs_max <= 0.3"], ...more });
    expect(seen.length).toBeGreaterThan(0);
    const against = `${folder.path}/own.yaml`;
    const runs = await Promise.all([0.2, 0.22, 0.24].map((delta, i) => write(`sound${i}/dump.jsonl`, delta)));
    await writeFile(against, (await learnFromRuns(runs, { against, alpha: 0.05 })).text);
    const report = await gateRun(run, { against });
    expect(report.baseline).toMatchObject({ file: against });
    await expect(gateRun(run, { against, alpha: 0.1 })).rejects.toMatchObject({
      message: "--alpha belongs to the baseline and is set when the baseline is learned",
      hint: "add --update, or leave out --alpha",
    });
    for (const alpha of [0, 1, -1, Number.NaN])
      await expect(gateRun(run, { limits: ["steps <= 9"], alpha })).rejects.toThrow(
        `--alpha must lie between 0 and 1, not ${alpha}`,
      );
  });

  it("takes a written report for its run", async () => {
    const file = await folder.writeText("report.json", JSON.stringify(await reportRun(run, { threads: 1 })));
    const limits = ["delta_abs_max <= 0.2"];
    expect(outcomes(await gateRun(file, { limits }))).toEqual(outcomes(await gateRun(run, { limits })));
  });

  it("reads logged metrics where there are no dumps", async () => {
    const logged = await folder.write(
      "logged/metrics.jsonl",
      [1, 2, 3].map((step) => ({ step, "training/rollout_probs_diff_mean": 0.01 })),
    );
    const report = await gateRun(logged, {
      limits: ["mean(logged.training/rollout_probs_diff_mean) <= 0.5"],
    });
    expect(outcomes(report)).toMatchObject({ "mean(logged.training/rollout_probs_diff_mean)": "pass" });
  });

  it("filters what it reads", async () => {
    const limits = ["steps <= 1"];
    expect((await gateRun(run, { limits })).passed).toBe(false);
    const some = await gateRun(run, { limits, filter: "step:1" });
    expect(some.passed).toBe(true);
    await expect(gateRun(run, { limits, filter: "step:99" })).rejects.toThrow();
  });

  it("ends when asked to, and refuses options that contradict each other", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(gateRun(run, { limits: ["delta_abs_max <= 1"], signal })).rejects.toThrow("enough");
    for (const alpha of [0, 1, -0.5, Number.NaN])
      await expect(gateRun(run, { alpha }), String(alpha)).rejects.toThrow(
        "--alpha must lie between 0 and 1",
      );
    await expect(gateRun(run, { alpha: 0.1, against: "x.yaml" })).rejects.toThrow(
      "--alpha belongs to the baseline",
    );
    await expect(gateRun(run, { against: `${folder.path}/none.yaml` })).rejects.toMatchObject({
      _tag: "NotFoundError",
      hint: expect.stringContaining("gate RUN RUN RUN --update --against") as string,
    });
  });
});

describe("learnFromRuns", () => {
  const learn = async (more: object = {}) => {
    const runs = await Promise.all(
      [0.21, 0.22, 0.24, 0.23].map((delta, i) => write(`sound/r${i}/dump.jsonl`, delta)),
    );
    return learnFromRuns(runs, { against: `${folder.path}/baseline.yaml`, date: "2024-03-05", ...more });
  };

  it("learns once from copies of a run given together, and names them", async () => {
    const names = ["a", "b"].map((name) => `copies/${name}/dump.jsonl`);
    const [one, copy] = await Promise.all(names.map((name) => write(name, 0.2)));
    const other = await write("copies/c/dump.jsonl", 0.21);
    const { baseline, repeated } = await learnFromRuns([one!, copy!, other], {
      against: `${folder.path}/copies.yaml`,
    });
    expect([baseline.runs.length, repeated]).toEqual([2, [copy]]);
  });

  it("learns a baseline that a sound run passes and a broken one fails", async () => {
    const { text, before, baseline, results } = await learn({ limits: ["non_finite_tokens <= 0"] });
    expect(before).toBeUndefined();
    expect(results).toHaveLength(4);
    expect(baseline.runs[0]).toMatchObject({ name: "dump.jsonl", date: "2024-03-05", files: 1 });
    expect(baseline.runs[0]!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(baseline.runs.map(({ sha256 }) => sha256)).size).toBe(4);
    expect(baseline.limits.map(({ condition }) => condition.text)).toEqual(["non_finite_tokens <= 0"]);
    const against = await folder.writeText("learned.yaml", text);
    const sound = await gateRun(await write("new.jsonl", 0.225), { against });
    expect(sound.passed).toBe(true);
    expect(sound.baseline).not.toBeNull();
    const broken = await gateRun(await write("broken.jsonl", 2), { against });
    expect(broken.passed).toBe(false);
    expect(outcomes(broken)).toMatchObject({ delta_abs_mean: "fail" });
  });

  it("adds to the file: a limit once, comments kept where no limit is new", async () => {
    const against = `${folder.path}/kept.yaml`;
    const first = await learn({ against, limits: ["ess >= 0.5"] });
    await writeFile(against, first.text.replace("limits:\n", "limits:\n  # ours\n"));
    const again = await learn({ against, limits: ["ess >= 0.5"] });
    expect(again.before!.runs).toHaveLength(4);
    expect(again.baseline.limits).toHaveLength(1);
    expect(again.text).toContain("# ours");
    expect(again.baseline.runs).toHaveLength(4);
    const more = await learn({ against, limits: ["ess >= 0.6"] });
    expect(more.baseline.limits.map(({ condition }) => condition.text)).toEqual(["ess >= 0.5", "ess >= 0.6"]);
    const fresh = await learn({ against, replace: true });
    expect(fresh.before).toBeUndefined();
    expect(fresh.baseline.limits).toEqual([]);
  });

  it("keeps the alpha that is asked for, and refuses one that is none", async () => {
    expect((await learn({ alpha: 0.2 })).baseline.alpha).toBe(0.2);
    await expect(learn({ alpha: 1 })).rejects.toThrow("--alpha must lie between 0 and 1");
  });
});
