import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reportRun } from "../../../analyses/runs/report-run.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type ExportOptions, exportFigures } from "./export.ts";

let folder: string;
let report: MismatchReport;
beforeAll(async () => {
  report = await reportRun(DEMO, { threads: 1 });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "logratio-export-"));
});
const folders: string[] = [];
beforeEach(() => folders.push(folder));
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const run = (options: ExportOptions, path = DEMO): Promise<Captured> =>
  captured((terminal) => exportFigures([path], options, terminal));
const at = (name: string): string => join(folder, name);

describe("export", () => {
  it("writes what was asked for, with the figures of the report, and says what", async () => {
    const options = { tensorboard: at("runs/a"), wandbJsonl: at("m.jsonl"), prometheus: at("m.prom") };
    const { status, out, err } = await run(options);
    expect(status).toBe(EXIT.fine);
    expect(out).toBe("");
    expect(readdirSync(at("runs/a"))).toEqual(["events.out.tfevents.0.logratio"]);
    for (const name of ["runs/a/events.out.tfevents.0.logratio", "m.jsonl", "m.prom"])
      expect(err).toContain(at(name));
    const rows = readFileSync(at("m.jsonl"), "utf8").trim().split("\n");
    expect(rows).toHaveLength(12);
    const { step, ...figures } = report.per_step[0]!;
    expect(JSON.parse(rows[0]!)).toEqual({
      _step: step,
      ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [`logratio/${name}`, value])),
    });
    const gauges = readFileSync(at("m.prom"), "utf8");
    expect(gauges).toContain(`logratio_k3{run="stale",part="run"} ${report.metrics.k3}\n`);
    expect(gauges).toContain(`logratio_k3{run="stale",part="last_step"} ${report.per_step.at(-1)!.k3}\n`);
    expect(gauges).toContain('logratio_step{run="stale",part="last_step"} 150\n');
  });

  it("takes the steps and tokens that the flags choose", async () => {
    await run({ wandbJsonl: at("m.jsonl"), steps: "20..30", filter: "abs>0.01" });
    const rows = readFileSync(at("m.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const expected = await reportRun(DEMO, { threads: 1, steps: "20..30", filter: "abs>0.01" });
    expect(rows).toMatchObject(
      expected.per_step.map(({ step, tokens }) => ({ _step: step, "logratio/tokens": tokens })),
    );
    expect(rows).toHaveLength(2);
  });

  it("replaces what it wrote before, and nothing else", async () => {
    const options = {
      tensorboard: at("runs"),
      wandbJsonl: at("m.jsonl"),
      prometheus: at("m.prom"),
      steps: "10",
    };
    await run(options);
    const first = readFileSync(at("m.jsonl"), "utf8");
    await run({ ...options, steps: "20" });
    expect(readFileSync(at("m.jsonl"), "utf8")).not.toBe(first);
    expect(readdirSync(at("runs"))).toHaveLength(1);
    for (const [flag, name] of [
      ["wandbJsonl", "m.prom"],
      ["prometheus", "m.jsonl"],
      ["prometheus", "runs/events.out.tfevents.0.logratio"],
    ] as const) {
      const before = readFileSync(at(name));
      await expect(run({ [flag]: at(name) })).rejects.toThrow(/would replace/);
      expect(readFileSync(at(name))).toEqual(before);
    }
    writeFileSync(at("own.jsonl"), '{"_step":1,"loss":2}\n');
    await expect(run({ wandbJsonl: at("own.jsonl") })).rejects.toThrow(/not a metrics log of logratio's/);
    expect((await run({ wandbJsonl: at("own.jsonl"), force: true, steps: "10" })).status).toBe(EXIT.fine);
  });

  it("never writes over or beside its input", async () => {
    const source = join(DEMO, "stale/step_0010.npz");
    copyFileSync(source, at("step_0010.npz"));
    linkSync(at("step_0010.npz"), at("link.jsonl"));
    await expect(run({ wandbJsonl: at("link.jsonl"), force: true }, at("step_0010.npz"))).rejects.toThrow(
      /would replace what this command reads/,
    );
    await expect(run({ wandbJsonl: at("m.jsonl") }, folder)).rejects.toThrow(/which is read/);
    await expect(run({ tensorboard: at("runs") }, folder)).rejects.toThrow(/a directory that is read/);
    expect(readFileSync(at("step_0010.npz"))).toEqual(readFileSync(source));
    expect(existsSync(at("runs"))).toBe(false);
  });

  it("says which flags it needs, and refuses one name for two files", async () => {
    await expect(run({})).rejects.toThrow("export needs --tensorboard, --wandb-jsonl or --prometheus");
    await expect(run({ wandbJsonl: at("m"), prometheus: at("m") })).rejects.toThrow(/two outputs/);
  });

  it("counts sequences without a step, which are in no step's figures", async () => {
    const row = { response_mask: [1, 1], rollout_logprobs: [-1, -2], trainer_logprobs: [-1, -2.5] };
    const lines = [{ step: 7, ...row }, row, row].map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(at("run.jsonl"), lines.join(""));
    const { err } = await run({ wandbJsonl: at("m.json") }, at("run.jsonl"));
    expect(err).toContain("note: 2 sequences without a step, left out of the figures per step\n");
    expect(readFileSync(at("m.json"), "utf8")).toMatch(/^\{"_step":7,"logratio\/sequences":1,[^\n]*\}\n$/);
  });
});
