/**
 * The doctor on recordings with known faults, scored by `scripts/score-doctor.mjs` as the published figures are. Floors
 * are below what was measured, so that one more miss on another machine is not a failure and a broken family is.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readAnswer, scoreCases, type Truth } from "../../../scripts/score-doctor.mjs";
import { sample, sized } from "../../../test/support/run-size.ts";
import { DOCTOR, warnIfAbsent } from "../../../test/support/shared-data.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import { Doctor } from "./doctor.ts";

const present = existsSync(DOCTOR);
warnIfAbsent("the doctor on recordings with known faults", DOCTOR);

async function diagnoseCase(name: string): Promise<Diagnosis> {
  const run = await openRun([`${DOCTOR}${name}/data`], { allowPositive: true });
  const doctor = new Doctor();
  for await (const batch of run.batches()) doctor.add(batch);
  return doctor.diagnose();
}

describe.skipIf(!present)("recordings with known faults", () => {
  it("are named right with the guilty leg, and sound runs raise no alarm", async () => {
    const cases: { name: string; truth: Truth; answer: ReturnType<typeof readAnswer> }[] = [];
    for (const name of sample(readdirSync(DOCTOR).sort(), 6))
      cases.push({
        name,
        truth: JSON.parse(readFileSync(`${DOCTOR}${name}/truth.json`, "utf8")) as Truth,
        answer: readAnswer(await diagnoseCase(name)),
      });
    const score = scoreCases(cases, {});
    const wrong = JSON.stringify(score.wrong);
    expect(score.faulty).toBeGreaterThan(sized(12, 90));
    expect(score.falseAlarms, wrong).toBe(0);
    expect(score.missed, wrong).toBe(0);
    expect(score.top1 / score.faulty, wrong).toBeGreaterThan(0.95);
    expect(score.top3 / score.faulty, wrong).toBeGreaterThan(0.98);
    expect(score.honest, wrong).toBe(score.hidden);
    expect(score.legs).toBeGreaterThan(sized(0, 8));
    expect(score.rightLegs, wrong).toBe(score.legs);
  }, 240_000);
});
