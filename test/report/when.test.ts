/** When recorded runs are bad, compared with what was done to them. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildReport } from "../../src/analyses/report/build-report.ts";
import { RunSummary } from "../../src/analyses/report/run-summary.ts";
import type { RecordBatch } from "../../src/core/schema/record.ts";
import { openRun } from "../../src/ingest/open-run.ts";
import type { MismatchReport } from "../../src/results/report.ts";
import { DEMO } from "../support/demo.ts";
import { hasSharedData, LAB, warnIfAbsent } from "../support/shared-data.ts";

async function readBatches(path: string): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of (await openRun([path])).batches()) batches.push(batch);
  return batches;
}

function summarize(batches: readonly RecordBatch[]): RunSummary {
  const summary = new RunSummary();
  for (const batch of batches) summary.add(batch);
  return summary;
}

const report = (summary: RunSummary): MismatchReport =>
  buildReport({ run: "", paths: [], summary, parity: [], findings: [], sources: [] });

describe("the demo", () => {
  it("is elevated in steps 10 to 30, and says so, however it is cut and merged", async () => {
    const batches = await readBatches(`${DEMO}/stale`);
    const { assessment, verdict } = report(summarize(batches));
    expect(assessment).toMatchObject({
      level: "elevated",
      when: {
        words: "in steps 10–30; normal since step 50",
        segments: [
          { from_step: 10, to_step: 30, steps: 3, level: "elevated" },
          { from_step: 50, to_step: 150, steps: 9, level: "normal" },
        ],
      },
    });
    expect(assessment.when.segments.map((one) => one.delta_abs_mean.toFixed(4))).toEqual([
      "0.0108",
      "0.0017",
    ]);
    expect(assessment.when.segments[1]!.k3.toExponential(1)).toBe("3.9e-5");
    expect(verdict.headline).toMatch(/^in steps 10–30; normal since step 50: /);
    const merged = new RunSummary();
    for (const part of [2, 0, 1]) {
      const own = summarize(batches.filter((_, i) => i % 3 === part));
      merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(own))));
    }
    expect(report(merged).assessment).toEqual(assessment);
  });
});

warnIfAbsent("when recorded runs are bad");

describe.skipIf(!hasSharedData)("recorded runs", () => {
  const words = async (path: string) => report(summarize(await readBatches(path))).assessment.when.words;

  it("are normal in every step where nothing happened to the engine", async () => {
    expect(await words(`${LAB}main/npz`)).toBe("in every step");
    expect(await words(`${LAB}int8`)).toBe("in every step");
  });

  it.each([
    ["case-022", "in every step; mean |Δ| 7.0 times as large in step 152", 152],
    ["case-056", "since step 542", 542],
    // It grows from a small lag on: the step after the first has twice the mismatch.
    ["case-069", "in every step; mean |Δ| 3.2 times as large since step 531", 530],
    ["case-096", "since step 306", 306],
    ["case-115", "since step 113", 113],
  ])("of %s start where the fault did", async (name, said, onset) => {
    const folder = `${LAB}../doctor/dev/${name}`;
    expect(JSON.parse(readFileSync(`${folder}/truth.json`, "utf8")).onset_step).toBe(onset);
    expect(await words(`${folder}/data`)).toBe(said);
  });
});
