/**
 * The doctor on recordings with known faults, scored as their own scorer does: a case is hit when one of the first k
 * causes is the truth's or one that a fair expert would accept. Floors are below what was measured, so that one more
 * miss on another machine is not a failure and a broken family is.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openRun } from "../../input/ingest/index.ts";
import { Doctor, type DoctorParts } from "./index.ts";

const DEV = fileURLToPath(new URL("../../../../shared/data/doctor/dev/", import.meta.url));
const present = existsSync(DEV);
if (!present)
  console.warn(`SKIPPED: the doctor on recordings with known faults, because ${DEV} is not there`);

interface Truth {
  readonly causes: readonly string[];
  readonly acceptable: readonly string[];
  readonly healthy: boolean;
  readonly grey?: boolean;
  readonly identifiable: boolean;
}

async function diagnoseCase(name: string): Promise<DoctorParts> {
  const run = await openRun([`${DEV}${name}/data`], { keepOdd: true });
  const doctor = new Doctor();
  for await (const batch of run.batches()) doctor.add(batch);
  return doctor.diagnose();
}

describe.skipIf(!present)("recordings with known faults", () => {
  it("are named right, and sound runs raise no alarm", async () => {
    const score = { faulty: 0, first: 0, three: 0, alarms: 0, honest: 0, unidentifiable: 0 };
    for (const name of readdirSync(DEV)) {
      const truth = JSON.parse(readFileSync(`${DEV}${name}/truth.json`, "utf8")) as Truth;
      const { verdict, causes } = await diagnoseCase(name);
      const ids = causes.map(({ id }) => id);
      const right = new Set([...truth.causes, ...truth.acceptable]);
      const fine = verdict === "healthy" || verdict === "too_few";
      const isFirst = right.has(ids[0] ?? "");
      if (truth.healthy) {
        if (!fine && !(isFirst && (truth.grey || !truth.identifiable))) score.alarms++;
      } else if (!truth.identifiable) {
        score.unidentifiable++;
        if (fine || ids[0] === "cannot_tell" || isFirst) score.honest++;
      } else {
        score.faulty++;
        if (isFirst && !fine) score.first++;
        if (!fine && ids.slice(0, 3).some((id) => right.has(id))) score.three++;
      }
    }
    expect(score.alarms).toBe(0);
    expect(score.first / score.faulty).toBeGreaterThan(0.95);
    expect(score.three / score.faulty).toBeGreaterThan(0.98);
    expect(score.honest).toBe(score.unidentifiable);
  }, 120_000);
});
