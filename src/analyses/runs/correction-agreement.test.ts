/**
 * What `report` and `sweep` say of one run: whether a correction is needed must be the same in both.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { sample } from "../../../test/support/run-size.ts";
import { SHARED_DATA } from "../../../test/support/shared-data.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SweepReport } from "../../results/sweep.ts";
import { buildReport } from "../report/build-report.ts";
import { RunSummary } from "../report/run-summary.ts";
import { buildSweep } from "../sweep/build-sweep.ts";
import { defaultGrid, pickMethods } from "../sweep/grid.ts";
import { Sweep } from "../sweep/sweep.ts";
import { reportRun } from "./report-run.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** What lies in a folder of the recordings, if that is there. */
function list(folder: string): string[] {
  const path = join(SHARED_DATA, folder);
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}

const RUNS = [
  at("examples/demo/stale"),
  at("examples/demo-formats/step_0500.npz"),
  ...["main", "int8", "stale"].map((name) => join(SHARED_DATA, "lab", name, "npz")).filter(existsSync),
  ...list("doctor/dev").map((path) => join(path, "data")),
  ...list("wild/tokens"),
];

const openSweep = (): Sweep => new Sweep(pickMethods(defaultGrid(), ["token-tis", "seq-tis"]));
const finish = (sweep: Sweep): SweepReport =>
  buildSweep({ run: "run", sweep, presets: [], findings: [], sources: [] });

/** Undefined where there are not two policies to compare, or no token of both. */
async function readBoth(path: string): Promise<[MismatchReport, SweepReport] | undefined> {
  try {
    const report = await reportRun(path, { threads: 1 });
    const sweep = openSweep();
    for await (const batch of (await openRun([path])).batches()) sweep.add(batch);
    if (report.metrics.tokens > 0) return [report, finish(sweep)];
    expect(report.assessment.correction).toBeNull();
    expect(() => finish(sweep)).toThrow("nothing to weigh");
    return undefined;
  } catch (error) {
    if (isLogratioError(error)) return undefined;
    throw error;
  }
}

/** The rule that both hold. */
function expectAgreement({ assessment }: MismatchReport, { recommendation }: SweepReport): void {
  const { sentence, correction } = assessment;
  const { kind, need } = recommendation;
  expect(correction).toEqual({ need });
  expect(kind === "none needed").toBe(need === "none");
  if (sentence.includes("correct for it")) expect(kind).not.toBe("none needed");
  if (sentence.includes("no correction is needed")) expect(kind).toBe("none needed");
}

describe("the correction that a report asks for and that a sweep finds", () => {
  it.each(sample(RUNS, 20))("is the same: %s", async (path) => {
    const both = await readBoth(path);
    if (both !== undefined) expectAgreement(...both);
  });

  /** Of 40 sequences, Δ as the function has it. */
  function drawBoth(delta: (token: number) => number, rollout = -1): [MismatchReport, SweepReport] {
    const tokens = Array.from({ length: 50 }, (_, t) => t);
    const batch = recordBatch(
      Array.from({ length: 40 }, (_, row) => ({
        deltas: tokens.map((t) => delta(50 * row + t).toFixed(6)).join(" "),
        step: 1,
        rollout,
      })),
    );
    const [summary, sweep] = [new RunSummary(), openSweep()];
    summary.add(batch);
    sweep.add(batch);
    const report = buildReport({ run: "run", paths: [], summary, parity: [], findings: [], sources: [] });
    return [report, finish(sweep)];
  }

  it.each([
    ["none", "ratios that are even", -1, (t: number) => (t % 2 ? 0.09 : -0.09)],
    ["few", "even ratios but for a few", -1, (t: number) => (t % 1000 ? (t % 2 ? 0.06 : -0.06) : 0.75)],
    ["all", "uneven ratios", -3, (t: number) => (t % 2 ? 0.2 : -0.25)],
  ] as const)("is %s for a high mismatch with %s", (need, _, rollout, delta) => {
    const both = drawBoth(delta, rollout);
    expectAgreement(...both);
    const [{ assessment }] = both;
    expect(assessment.correction).toEqual({ need });
    expect(assessment.level).toBe("high");
    expect(assessment.sentence.includes("correct for it")).toBe(need !== "none");
  });

  it("counts tokens outside [1/2, 2] alike at the very limit", () => {
    // Of 2,000 tokens, none, then one: Δ right below and at the limit.
    const outside = (delta: number) => drawBoth((t) => (t === 7 ? delta : t % 2 ? 0.01 : -0.01));
    for (const delta of [0.693, 0.6934, 0.694, -0.693, -0.6934, -0.694]) expectAgreement(...outside(delta));
    expect(outside(0.693)[0].assessment.correction).toEqual({ need: "none" });
    expect(outside(-0.6934)[0].assessment.correction).toEqual({ need: "few" });
  });
});
