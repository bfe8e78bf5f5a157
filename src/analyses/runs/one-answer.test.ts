/**
 * No two verbs disagree: `report`, `doctor`, `sweep` and `gate` carry the same answer about the same files, field by field.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/run-size.ts";
import { SHARED_DATA, warnIfAbsent } from "../../../test/support/shared-data.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { Assessment } from "../../results/assessment.ts";
import { answerRun } from "../evidence/answer.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import { buildSweep } from "../sweep/build-sweep.ts";
import { defaultGrid, pickMethods } from "../sweep/grid.ts";
import { Sweep } from "../sweep/sweep.ts";
import { diagnoseRun } from "./diagnose-run.ts";
import { gateRun } from "./gate-run.ts";
import { sourceSummaries } from "./read-batches.ts";
import { reportRun } from "./report-run.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
warnIfAbsent("one answer about recorded runs");

/** What lies in a folder of the recordings, if that is there. */
function list(folder: string, inner = ""): string[] {
  const path = join(SHARED_DATA, folder);
  return existsSync(path)
    ? readdirSync(path)
        .sort()
        .map((name) => join(path, name, inner))
    : [];
}

const RUNS = [
  at("examples/demo/stale"),
  ...sample(
    [
      at("examples/demo-formats/step_0500.npz"),
      ...["main", "int8", "stale"].map((name) => join(SHARED_DATA, "lab", name, "npz")).filter(existsSync),
      ...["dev", "llm", "fresh"].flatMap((set) => list(`doctor/${set}`, "data")),
      ...list("wild/tokens"),
    ],
    15,
  ),
];

/** As `logratio sweep` makes it: its own pass, with the corrections. */
async function sweepRun(path: string): Promise<Assessment | null> {
  const sweep = new Sweep(pickMethods(defaultGrid(), ["token-tis"]));
  const evidence = new RunEvidence();
  const run = await openRun([path]);
  for await (const batch of run.batches()) {
    sweep.add(batch);
    evidence.add(batch);
  }
  const read = { run: run.name, findings: run.findings.list(), sources: sourceSummaries(run) };
  const prompts = run.promptSummary();
  const { assessment } = answerRun({ ...read, paths: [path], parity: [], evidence, prompts }).report;
  return buildSweep({ ...read, sweep, assessment, presets: [] }).assessment;
}

/** Each verb's answer, or its error. */
async function askAll(path: string): Promise<Record<string, Assessment | null | string>> {
  const verbs: Record<string, () => Promise<Assessment | null>> = {
    report: async () => (await reportRun(path, { threads: 1 })).assessment,
    doctor: async () => (await diagnoseRun(path)).assessment,
    gate: async () => (await gateRun(path, { limits: ["delta_abs_mean <= 1"] })).assessment,
    sweep: () => sweepRun(path),
  };
  const told = Object.entries(verbs).map(async ([verb, ask]) => {
    try {
      return [verb, await ask()] as const;
    } catch (error) {
      if (!isLogratioError(error)) throw error;
      return [verb, error.name] as const;
    }
  });
  return Object.fromEntries(await Promise.all(told));
}

describe("the answer about a run", () => {
  it.each(RUNS)("is one, whichever verb is asked: %s", async (path) => {
    const { report, ...others } = await askAll(path);
    expect(Object.keys(others)).toEqual(["doctor", "gate", "sweep"]);
    // Each refuses what it cannot use with a word of its own.
    if (typeof report === "string") {
      // But the doctor alone takes log-probs above 0, to say that they are none.
      for (const [verb, told] of Object.entries(others))
        if (verb !== "doctor" || typeof told === "string") expect(typeof told, verb).toBe("string");
        else expect(told?.level).toBe("not_comparable");
      return;
    }
    expect(report!.sentence).not.toBe("");
    for (const [verb, told] of Object.entries(others)) expect(told, verb).toEqual(report);
    // And so it is in JSON, where a number that is none is null.
    for (const told of Object.values(others)) expect(JSON.stringify(told)).toBe(JSON.stringify(report));
  });
});
