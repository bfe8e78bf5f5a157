import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { NO_LOGGED_METRICS, readLoggedMetrics } from "./read-logged-metrics.ts";

let work: Workspace;
beforeAll(async () => {
  work = await workspace();
});
afterAll(() => work.remove());

it("has every metric of files and of directories, those of the mismatch first", async () => {
  const dumps = await work.run("run/step_1.jsonl", [{ step: 1 }]);
  const lines = [1, 2].map((step) =>
    JSON.stringify({
      step,
      data: { "actor/entropy": step / 4, "rollout_corr/kl": step === 1 ? 0.5 : "NaN" },
    }),
  );
  await writeFile(work.path("run/metrics.jsonl"), lines.join("\n").replace('"NaN"', "NaN"));
  const inFolder = await readLoggedMetrics([work.path("run")]);
  expect(inFolder).toMatchObject({
    kind: "view-logged",
    findings: [],
    metrics: [
      { metric: "rollout_corr/kl", run: "", unit: "nats", steps: [1, 2], values: [0.5, null] },
      { metric: "actor/entropy", meaning: null, unit: null, steps: [1, 2], values: [0.25, 0.5] },
    ],
  });
  expect(await readLoggedMetrics([dumps, work.path("run/metrics.jsonl")])).toEqual(inFolder);
  expect(await readLoggedMetrics([dumps])).toEqual(NO_LOGGED_METRICS);
});
