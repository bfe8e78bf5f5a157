/** Runs of other people that died of NaN: what every verb says of them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { sample } from "../../../test/support/run-size.ts";
import { DOCTOR, WILD } from "../../../test/support/shared-data.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { diagnoseRun } from "./diagnose-run.ts";
import { gateRun } from "./gate-run.ts";
import { joinLogged } from "./join-logged.ts";
import { readLogged } from "./read-logged.ts";
import { reportRun } from "./report-run.ts";

const present = existsSync(WILD) && existsSync(DOCTOR);
if (!present) console.warn(`SKIPPED: runs that died of NaN, because ${WILD} or ${DOCTOR} is not there`);

// Not at the top of the module: where the data is absent all tests are skipped, and then no `afterAll` runs.
let folder: RowFolder;
beforeAll(async () => {
  folder = await makeRowFolder();
});
afterAll(() => folder.remove());

async function readSeries(path: string): Promise<SeriesReport> {
  const { logged } = await readLogged([path]);
  return logged!;
}

/** Whether the gate fails because something is not finite. */
async function failsGate(path: string, limit = "steps >= 0"): Promise<boolean> {
  const { checks } = await gateRun(path, { limits: [limit] });
  return checks.some(({ metric, outcome }) => metric.startsWith("non_finite") && outcome === "non_finite");
}

const isBroken = ({ assessment, verdict }: MismatchReport): boolean =>
  assessment.level === "broken" && verdict.level === "broken" && assessment.finite.found.length > 0;

describe.skipIf(!present)("dumps with NaN", () => {
  it("since step 59", async () => {
    const path = `${WILD}tokens/verl721`;
    const report = await reportRun(path, { threads: 1 });
    expect(report.verdict.headline).toBe(
      "since step 59: NaN in the trainer log-probs old_log_probs (12.5 % of the tokens, then all). Until step 58 the mismatch is normal (mean |Δ| 0.00475)",
    );
    expect((await reportRun(path, { threads: 2 })).assessment).toEqual(report.assessment);
    expect(isBroken(report)).toBe(true);
    expect(await failsGate(path)).toBe(true);
    const { verdict, causes } = await diagnoseRun(path);
    expect([verdict, causes[0]?.id]).toEqual(["fault", "nan_logprobs"]);
  });

  it("are called so by report and gate alike, and no other run is", async () => {
    interface Truth {
      readonly measured: { readonly non_finite: number };
    }
    const cases = readdirSync(DOCTOR).map((name) => {
      const { measured } = JSON.parse(readFileSync(`${DOCTOR}${name}/truth.json`, "utf8")) as Truth;
      return { path: `${DOCTOR}${name}/data`, isOdd: measured.non_finite > 0 };
    });
    const odd = cases.filter(({ isOdd }) => isOdd);
    expect(odd.length).toBeGreaterThan(1);
    for (const { path, isOdd } of [...odd, ...sample(cases, 40)]) {
      const report = await reportRun(path, { threads: 1 });
      expect([path, report.assessment.finite.found.length > 0]).toEqual([path, isOdd]);
      if (!isOdd) continue;
      expect([path, isBroken(report), await failsGate(path)]).toEqual([path, true, true]);
    }
  });
});

describe.skipIf(!present)("logs with NaN", () => {
  it.each([
    [
      "logs/02_verl721.log",
      "at step 59: NaN in actor/kl_loss, actor/entropy_loss, actor/pg_loss, actor/ppo_kl and 1 more metric; none of the 17 logged metrics is known to measure the mismatch of rollout and trainer (12 of them are unknown here)",
    ],
    [
      "logs/65_verl_nan.log",
      "since step 2: NaN in training/rollout_probs_diff_mean, training/rollout_probs_diff_max, training/rollout_actor_probs_pearson_corr, actor/ppo_kl and 1 more metric. Of what is finite, all 2 metrics with a published baseline stay within it",
    ],
    [
      "metrics/64_nan.csv",
      "since step 2: NaN in train/train_rollout_logprob_abs_diff, train/ppo_kl and train/grad_norm. Of what is finite, the one metric with a published baseline stays within it",
    ],
  ])("%s", async (name, headline) => {
    const report = await readSeries(WILD + name);
    expect([report.level, report.headline]).toEqual(["broken", headline]);
    for (const { last } of report.series) expect(last).toBeNull();
    expect(await failsGate(WILD + name)).toBe(true);
  });

  it("make the dumps beside them broken too", async () => {
    const logged = await readSeries(`${WILD}metrics/64_nan.csv`);
    const dumps = await folder.write(
      "dump.jsonl",
      Array.from({ length: 40 }, (_, row) => ({
        rollout_log_probs: Array.from({ length: 30 }, (_, t) => -1 - (t % 5) / 8),
        old_log_probs: Array.from(
          { length: 30 },
          (_, t) => -1 - (t % 5) / 8 + (t % 2 === 0 ? 0.002 : -0.002),
        ),
        response_mask: new Array(30).fill(1),
        step: row % 2,
      })),
    );
    const alone = await reportRun(dumps, { threads: 1 });
    expect(alone.verdict.level).not.toBe("broken");
    const { verdict, assessment } = joinLogged(alone, logged);
    expect([verdict.level, assessment.level, assessment.sentence]).toEqual([
      "broken",
      "broken",
      verdict.headline,
    ]);
    expect(verdict.headline).toBe(
      `since step 2: NaN in train/train_rollout_logprob_abs_diff, train/ppo_kl and train/grad_norm. Of the log-probs: ${alone.verdict.headline}`,
    );
  });
});
