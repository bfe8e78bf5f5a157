/**
 * What truth allows: the level of recordings with known faults. What is wrong today is named below, one by one, so that a
 * case that becomes right, or another that becomes wrong, fails here.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLongRun, sample } from "../../../test/support/run-size.ts";
import { SHARED_DATA, warnIfAbsent } from "../../../test/support/shared-data.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import type { Assessment } from "../../results/assessment.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { reportRun } from "./report-run.ts";

const DATA = `${SHARED_DATA}doctor/`;
const present = existsSync(DATA);
warnIfAbsent("levels of recordings with known faults", DATA);

interface Truth {
  readonly healthy: boolean;
  readonly cause: string;
  readonly acceptable?: readonly string[];
  /** Whether the data decide. */
  readonly identifiable?: boolean;
  /** Sound for its engine; that its weights are quantized may be said. */
  readonly grey?: boolean;
}

const GREEN: readonly string[] = ["none", "normal"];
const OFF: readonly string[] = ["elevated", "high", "broken", "fault", "not_comparable"];

/** Cases whose level is wrong, with what it is. */
const WRONG: Readonly<Record<string, readonly [VerdictLevel, why: string]>> = {};

/** Cases that reading refuses, with what it says. */
const REFUSED: Readonly<Record<string, RegExp>> = { "dev/case-107": /these are not log-probs/ };

/** Shorter than a verdict needs. */
const SHORT: readonly string[] = ["dev/case-094", "llm/h-short"];

function allowed(name: string, truth: Truth, causes: Assessment["causes"]): readonly string[] {
  if (SHORT.includes(name)) return ["too_few"];
  const [first] = causes;
  const isRight = first?.causes.some(({ id }) => [truth.cause, ...(truth.acceptable ?? [])].includes(id));
  if (truth.healthy) return truth.grey && isRight ? [...GREEN, "high", "fault"] : GREEN;
  if (truth.identifiable === false) return isRight ? [...GREEN, ...OFF] : [...GREEN, "elevated"];
  return OFF;
}

const list = (set: string): string[] =>
  readdirSync(`${DATA}${set}`)
    .sort()
    .map((name) => `${set}/${name}`);
const CASES = present ? [...sample(list("dev"), 6), ...list("llm"), ...list("fresh")] : [];

describe.skipIf(!present)("the level of a recording with a known fault", () => {
  const green: string[] = [];

  it.each(CASES)("is what truth allows: %s", async (name) => {
    const truth = JSON.parse(readFileSync(`${DATA}${name}/truth.json`, "utf8")) as Truth;
    const reading = reportRun(`${DATA}${name}/data`, { threads: 1 });
    const refused = REFUSED[name];
    if (refused !== undefined) {
      await expect(reading).rejects.toSatisfy(isLogratioError);
      await expect(reading).rejects.toThrow(refused);
      return;
    }
    const { assessment } = await reading;
    const { level, diagnosis, causes } = assessment;
    if (!truth.healthy && GREEN.includes(level)) green.push(name);
    // The first word of one verb never contradicts that of another.
    if (diagnosis === "fault") expect(OFF).toContain(level);
    if (GREEN.includes(level)) expect(["healthy", "too_few"]).toContain(diagnosis);
    const [wrong, why] = WRONG[name] ?? [];
    if (wrong !== undefined) expect(level, why).toBe(wrong);
    expect(allowed(name, truth, causes).includes(level), `${level}, ${truth.cause}`).toBe(
      wrong === undefined,
    );
  });

  it("is green of no faulty run of dev but those in which the data do not show the fault", () => {
    const hidden = ["028", "042", "048", "091", "095", "099"].map((number) => `dev/case-${number}`);
    const found = green.filter((name) => name.startsWith("dev/"));
    if (isLongRun) expect(found).toEqual(hidden);
    else expect(hidden).toEqual(expect.arrayContaining(found));
  });
});
