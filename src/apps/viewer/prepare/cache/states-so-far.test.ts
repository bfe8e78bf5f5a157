import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DoctorReport } from "../../../../results/doctor.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import { decodeSequence } from "../../../../results/wire/sequence.ts";
import { decodeTable } from "../../../../results/wire/table.ts";
import { type Workspace, workspace } from "../made-run.test-data.ts";
import { prepareRun } from "./prepare-run.ts";
import type { PreparedRun } from "./prepared-run.ts";

let work: Workspace;
beforeEach(async () => {
  work = await workspace();
});
afterEach(() => work.remove());

/** What a state said while it was shown. */
interface Shown {
  readonly status: string;
  readonly version: string;
  readonly sequences: number;
  readonly steps: readonly number[];
  readonly tokens: number;
  readonly first: string;
  readonly examined: number;
}

async function look(run: PreparedRun): Promise<Shown> {
  const report = JSON.parse(Buffer.from(await run.answer("report")).toString()) as MismatchReport;
  const { length } = decodeTable(await run.answer("sequences"));
  expect(length).toBe(run.info.sequences);
  const { status, version, sequences, steps } = run.info;
  const { meta } = decodeSequence((await run.sequence(0))!);
  const examined = await readExamined(run);
  return { status, version, sequences, steps, tokens: report.metrics.tokens, first: meta.handle, examined };
}

/** The tokens that the diagnosis looked at. */
async function readExamined(run: PreparedRun): Promise<number> {
  const doctor = JSON.parse(Buffer.from(await run.answer("doctor")).toString()) as DoctorReport;
  return doctor.metrics.sampled_tokens!;
}

async function readFiles(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, (await readFile(join(directory, name))).toString("base64")] as const),
    ),
  );
}

/** Twelve steps, a file each, of three sequences each. */
async function writeRun(): Promise<string> {
  for (let step = 1; step <= 12; step++) {
    const rows = [0, 1, 2].map((row) => ({ step, rollout_log_probs: [-1, -2, -3 - row / step] }));
    await work.run(`run/step_${step + 10}.jsonl`, rows);
  }
  return work.path("run");
}

async function prepareWatched(path: string, cache: string, isWatched: () => boolean) {
  const shown: Promise<Shown>[] = [];
  const run = await prepareRun([path], {
    cache: work.path(cache),
    soFar: {
      isWatched,
      everyMs: 0,
      onRun: (state) => {
        shown.push(look(state).finally(() => state.close()));
      },
    },
  });
  return { run, shown: await Promise.all(shown) };
}

it("shows what was read, file after file, and makes the same cache as without", async () => {
  const path = await writeRun();
  const { run, shown } = await prepareWatched(path, "watched", () => true);
  const plain = await prepareRun([path], { cache: work.path("plain") });
  try {
    expect(shown.length).toBeGreaterThan(5);
    expect(new Set(shown.map(({ version }) => version)).size).toBe(shown.length);
    for (const [i, state] of shown.entries()) {
      expect(state).toMatchObject({ status: "preparing", first: shown[0]!.first });
      if (i > 0) expect(state.tokens).toBeGreaterThan(shown[i - 1]!.tokens);
      expect(state.tokens).toBe(3 * state.sequences);
      expect(plain.info.steps.slice(0, state.steps.length)).toEqual(state.steps);
    }
    expect(shown[0]!.sequences).toBeLessThan(plain.info.sequences);
    expect(run.info).toEqual(plain.info);
    expect(run.info.status).toBe("ready");
    expect(await readFiles(run.directory)).toEqual(await readFiles(plain.directory));
    // The states are gone with whoever looked at them.
    expect(await readdir(work.path("watched"))).toHaveLength(1);
  } finally {
    await run.close();
    await plain.close();
  }
});

it("examines fewer tokens than in the end while it reads", async () => {
  // Each answer of its own: a copy of another is not examined again.
  const rows = [3, 7, 11].map((shift) => {
    const logprobs = Array.from({ length: 9000 }, (_, t) => -1 - ((t + shift) % 13) / 9.7);
    const ones = logprobs.map(() => 1);
    const ids = logprobs.map((_, t) => (t + shift) % 13);
    return {
      uid: `q${shift}`,
      response_ids: ids,
      response_mask: ones,
      rollout_log_probs: logprobs,
      old_log_probs: logprobs,
    };
  });
  for (let step = 1; step <= 5; step++) await work.run(`run/step_${step}.jsonl`, rows);
  const { run, shown } = await prepareWatched(work.path("run"), "cache", () => true);
  const read = shown.map(({ tokens }) => tokens);
  expect(read.at(-1)).toBeGreaterThan(50_000);
  for (const { tokens, examined } of shown) {
    expect(examined).toBeGreaterThan(0);
    expect(examined).toBeLessThanOrEqual(Math.min(tokens, 50_000));
  }
  expect(shown[0]!.examined).toBe(read[0]);
  // In the end as many whole answers as the doctor keeps.
  expect(await readExamined(run)).toBe(99_000);
  expect(run.info.tokens).toBe(135_000);
  await run.close();
});

it("writes no state that nobody would see", async () => {
  const { run, shown } = await prepareWatched(await writeRun(), "cache", () => false);
  await run.close();
  expect(shown).toEqual([]);
});

it("waits with a state until there is something to compare", async () => {
  await work.run("run/step_1.jsonl", [{ response_mask: [0, 0, 0] }]);
  await work.run("run/step_2.jsonl", [{}]);
  await work.run("run/step_3.jsonl", [{}]);
  const { run, shown } = await prepareWatched(work.path("run"), "cache", () => true);
  expect(run.info.tokens).toBe(6);
  await run.close();
  expect(shown[0]!.tokens).toBe(3);
});
