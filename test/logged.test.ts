import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliRun, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const FIXTURES = join(ROOT, "test/fixtures/series");
const MEAN = "training/rollout_probs_diff_mean";

let directory: string;
beforeAll(() => {
  requireBuild();
  directory = mkdtempSync(join(tmpdir(), "logratio-logged-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const logratio = (...args: string[]): CliRun => runCli(directory, args);

describe("report on logged metrics", () => {
  it("alone: a verdict, a table, the courses; exit status 0", () => {
    const { status, out, err } = logratio("report", join(FIXTURES, "verl.jsonl"));
    expect([status, err]).toEqual([0, ""]);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `BROKEN At step 3: NaN in ${MEAN}. Of what is finite, ${MEAN} reaches 0.0625 at step 4`,
    );
    expect(out).toContain(`NaN or infinite: 1 of ${MEAN}`);
  });

  it("as JSON has each metric with its steps and values", () => {
    const { status, out } = logratio("report", join(FIXTURES, "events.out.tfevents.x"), "--json");
    const report = JSON.parse(out);
    expect([status, report.kind, report.others]).toEqual([0, "series", ["critic/score/mean"]]);
    expect(report.series.find(({ metric }: { metric: string }) => metric === MEAN)).toMatchObject({
      trainer: "verl",
      figure: "prob_diff_mean",
      steps: [1, 2, 3, 4],
      values: [2 ** -9, 2 ** -8, null, 2 ** -4],
      non_finite: 1,
    });
  });

  it("as a page, which draws them", () => {
    const page = join(directory, "logged.html");
    expect(logratio("report", join(FIXTURES, "nemo-metrics.json"), "--html", page).status).toBe(0);
    expect(readFileSync(page, "utf8")).toContain(`${MEAN}`);
    expect(readFileSync(page, "utf8").match(/<svg/g)?.length).toBe(2);
  });

  it("of a directory that holds nothing else, with --explain naming loggers and other metrics", () => {
    const { status, err } = logratio("report", FIXTURES, "--explain");
    expect(status).toBe(0);
    expect(err).toContain("read as   TensorBoard events, 3 metrics");
    expect(err).toContain("others    critic/score/mean, epoch");
  });

  it("of a damaged file says what is lost; exit status 4", () => {
    const cut = join(directory, "events.out.tfevents.cut");
    const bytes = readFileSync(join(FIXTURES, "events.out.tfevents.tensor"));
    writeFileSync(cut, bytes.subarray(0, bytes.length - 10));
    const { status, out } = logratio("report", cut);
    expect(status).toBe(4);
    expect(out.replace(/\s+/g, " ")).toContain("the last record is cut off; the values before it are kept");
  });
});

describe("report on dumps and logs together", () => {
  it("finds the log in the directory, says where it differs, and keeps the exit status", () => {
    const run = join(directory, "run");
    mkdirSync(run);
    for (const step of ["0010", "0020"])
      cpSync(join(ROOT, "examples/demo/stale", `step_${step}.npz`), join(run, `step_${step}.npz`));
    const dumps = JSON.parse(logratio("report", run, "--parity", "verl", "--json").out);
    expect(dumps.logged).toBeUndefined();
    const lines = dumps.parity[0].per_step.map(
      ({ step, metrics }: { step: number; metrics: Record<string, number> }) =>
        `{"step":${step},"data":${JSON.stringify({ ...metrics, [MEAN]: 0.31 })}}\n`,
    );
    writeFileSync(join(run, "experiment.jsonl"), lines.join(""));
    const { status, out, err } = logratio("report", run, "--json");
    const { logged, parity, next } = JSON.parse(out);
    expect(status).toBe(0);
    expect(parity[0].trainer).toBe("verl");
    const off = logged.series.filter(
      ({ comparison }: { comparison: { steps: number; agreeing: number } | null }) =>
        comparison !== null && comparison.agreeing < comparison.steps,
    );
    expect(off.map(({ metric }: { metric: string }) => metric)).toEqual([MEAN]);
    expect(err).toMatch(
      /warning: 1 of \d+ logged metrics is not what the dumps give, the first: training\/rollout/,
    );
    expect(next.command).not.toContain("experiment.jsonl");
    expect(logratio("report", run).out).toContain("Beside the dumps");
  });

  it("a dump that cannot be read stays an error beside a log", () => {
    const text = join(directory, "notes.txt");
    writeFileSync(text, "hello\n");
    const { status, err } = logratio("report", text, join(FIXTURES, "verl.jsonl"));
    expect(status).toBe(3);
    expect(err).toContain("plain text that begins “hello”");
  });
});
