import { expect, it } from "vitest";
import { sampleReport } from "../../../../test/report/sample-report.ts";
import type { WatchAlarm } from "../../../results/watch.ts";
import { captured } from "./captured.test-data.ts";
import { tellAlarms } from "./tell-alarms.ts";

const alarm = (since: number): WatchAlarm => ({
  ...{ test: "delta_abs_mean", since, at: 44, log_evidence: 9 },
  text: `since step ${since}: the mean |Δ| of prompts rose to 0.0351 nats, 18.2 times the 0.00193 of all earlier steps`,
});

const reportWith = (alarms: readonly WatchAlarm[]) => {
  const { watch } = sampleReport();
  return { watch: { ...watch, alarms } };
};

it("says each alarm of a followed run once, also when its change point moves", async () => {
  const told = new Set<string>();
  const { err } = await captured(async (terminal) => {
    tellAlarms(reportWith([]), terminal, told);
    tellAlarms(reportWith([alarm(40)]), terminal, told);
    tellAlarms(reportWith([alarm(41)]), terminal, told);
    return 0;
  });
  expect(err).toBe(
    "alarm: since step 40: the mean |Δ| of prompts rose to 0.0351 nats, 18.2 times the 0.00193 of all earlier steps\n",
  );
});
