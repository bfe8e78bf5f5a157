/**
 * Faults at the calls that change files: the process is killed before, in or after one, the disk is full, the device
 * fails, or something unforeseen goes wrong. Then the same command runs again. Nothing acknowledged may be lost or
 * counted twice, and nothing torn may be read. A few random points here; a thousand others with LOGRATIO_LONG.
 */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandScenario } from "./support/faults/command-scenario.ts";
import { drawFaults } from "./support/faults/draw-faults.ts";
import { EXCUSED } from "./support/faults/excused.ts";
import { findWrites } from "./support/faults/find-writes.ts";
import { type Call, endPrograms, type Fault } from "./support/faults/injected.ts";
import type { Scenario } from "./support/faults/scenario.ts";
import { ServeScenario } from "./support/faults/serve-scenario.ts";
import { ViewScenario } from "./support/faults/view-scenario.ts";
import { lacks } from "./support/platform.ts";
import { DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const isLong = process.env.LOGRATIO_LONG !== undefined;
const seed = Number(process.env.PROPERTY_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_260_101));
if (isLong) console.info(`faults are drawn with PROPERTY_SEED=${seed}`);
/** Points per unit of weight: a thousand in all, or a few. */
const POINTS = isLong ? 72 : 1;
/** Number of parallel processes; two cores can do no more. */
const WORKERS = 2;

const copySteps = (inputs: string): void => {
  mkdirSync(join(inputs, "run"));
  for (const step of ["0010", "0020", "0030"])
    copyFileSync(join(DEMO, `stale/step_${step}.npz`), join(inputs, `run/step_${step}.npz`));
};

const copyLogits = (inputs: string): void => {
  copyFileSync(join(ROOT, "examples/kl/logits.npz"), join(inputs, "logits.npz"));
  cpSync(join(DEMO, "tokenizer"), join(inputs, "tokenizer"), { recursive: true });
};

const STUDY = ["../inputs/logits.npz", "--reference", "dpo", "--tokenizer", "../inputs/tokenizer"];

type Weighted = readonly [scenario: Scenario, weight: number];

/** Scenarios of every run, and how many of the points each gets. */
const ALWAYS: readonly Weighted[] = [
  [new ServeScenario(), 4],
  [
    new ViewScenario({
      name: "view RUN",
      paths: ["../inputs/run", "--compare", "../inputs/run/step_0010.npz"],
      makeInputs: copySteps,
      answers: ["run", "report", "steps", "sequences", "doctor", "sequence/3", "compare"],
      stars: ["s10.q0", "s10.q1"],
    }),
    2,
  ],
  [
    new CommandScenario({
      name: "summarize --out DIR",
      args: ["summarize", "../inputs/run", "--out", "parts"],
      makeInputs: copySteps,
    }),
    1,
  ],
  [
    new CommandScenario({
      name: "summarize --out PART",
      args: ["summarize", "../inputs/run", "--out", "run.lrs"],
      makeInputs: copySteps,
      // Parts of shards, in the directory of the scenario above.
      isOfUnfinished: (path) => path.startsWith("run.lrs.partial/"),
    }),
    1,
  ],
  [
    new CommandScenario({
      name: "score",
      args: ["score", ...STUDY, "--out", "study"],
      makeInputs: copyLogits,
      isOfUnfinished: (path, bytes) =>
        path.startsWith("study/scores/") ? isParquet(bytes) : path === "study/study.json" && isJson(bytes),
    }),
    2,
  ],
];

/** Scenarios of the long run. Their verbs have no state to resume from, so a failed one leaves nothing. */
const AT_LENGTH: readonly Weighted[] = [
  [
    new CommandScenario({
      name: "view STUDY --bundle DIR",
      args: ["view", "../inputs/study", "--cache", "cache", "--bundle", "page"],
      async makeInputs(inputs) {
        copyLogits(inputs);
        const [, ...flags] = STUDY.map((word) => word.replace("../inputs/", ""));
        const { status, err } = runCli(inputs, ["score", "logits.npz", ...flags, "--out", "study"]);
        expect(status, err).toBe(0);
      },
    }),
    1,
  ],
  [
    new CommandScenario({
      name: "view RUN --bundle ZIP",
      args: ["view", "../inputs/run/step_0010.npz", "--cache", "cache", "--bundle", "page.zip"],
      makeInputs: copySteps,
    }),
    1,
  ],
  [
    new CommandScenario({
      name: "correct --out DIR",
      args: ["correct", "../inputs/run", "--preset", "verl", "--out", "weights"],
      makeInputs: copySteps,
    }),
    1,
  ],
  [
    new CommandScenario({
      name: "convert --out FILE",
      args: ["convert", "../inputs/run", "--out", "record.parquet"],
      makeInputs: copySteps,
    }),
    1,
  ],
];
const SCENARIOS = isLong ? [...ALWAYS, ...AT_LENGTH] : ALWAYS;

function isParquet(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 4) === "PAR1" && bytes.toString("latin1", bytes.length - 4) === "PAR1";
}

function isJson(bytes: Buffer): boolean {
  return typeof JSON.parse(bytes.toString()) === "object";
}

const parent = mkdtempSync(join(tmpdir(), "faults-"));
afterAll(() => {
  endPrograms();
  rmSync(parent, { recursive: true, force: true });
});

/** Does all the work, a few items at a time. */
async function inPool<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, next));
}

describe.skipIf(lacks("signals", "faults at calls that change files"))(
  "with a fault at a call that changes files",
  () => {
    const calls = new Map<Scenario, readonly Call[]>();
    beforeAll(async () => {
      requireBuild();
      await inPool(SCENARIOS, async ([scenario]) => {
        calls.set(scenario, await scenario.prepare(mkdtempSync(join(parent, "scenario-"))));
      });
    }, 300_000);

    it.each(SCENARIOS.map(([scenario, weight]) => ({ name: scenario.name, scenario, weight })))(
      "$name loses nothing, counts nothing twice and reads nothing torn",
      { timeout: isLong ? 4 * 3_600_000 : 300_000 },
      async ({ scenario, weight }) => {
        const failures: string[] = [];
        const faults = drawFaults(calls.get(scenario)!, POINTS * weight, seed);
        // In the long run, a second fault sometimes meets what the first one left.
        const trials = faults.map((fault, i): Fault[] =>
          isLong && i % 4 === 3 ? [faults[i - 1]!, fault] : [fault],
        );
        await inPool(trials, async (trial) => {
          await scenario.check(trial).catch((error: Error) => {
            failures.push(error.message);
            if (isLong) console.info(error.message);
          });
        });
        expect(failures.join("\n\n")).toBe("");
      },
    );

    it("disturbs every line of our code that changes files, but for those that other tests disturb", () => {
      const visited = new Set([...calls.values()].flat().flatMap(({ sites }) => sites));
      const untouched = findWrites()
        .filter(({ at }) => !visited.has(at))
        .map(({ at, text }) => `${at.replace(/^dist\/(.*)\.js:\d+$/, "$1.ts")}: ${text}`);
      const excused = EXCUSED.filter(({ isInLongRun }) => !isLong || isInLongRun !== true).flatMap(
        ({ lines }) => lines,
      );
      const isExcused = (line: string): boolean => excused.some((start) => line.startsWith(start));
      expect(untouched.filter((line) => !isExcused(line))).toEqual([]);
      // An unneeded excuse would hide the next line added there.
      expect(excused.filter((start) => !untouched.some((line) => line.startsWith(start)))).toEqual([]);
    });
  },
);
