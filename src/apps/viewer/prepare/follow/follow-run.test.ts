import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PrepareOptions } from "../cache/options.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { DEMO, line, type Workspace, workspace } from "../made-run.test-data.ts";
import { followRun } from "./follow-run.ts";

let work: Workspace;
beforeEach(async () => {
  work = await workspace();
});
afterEach(() => work.remove());

async function eventually(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 400) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** As if nobody had touched it for a while. */
function settle(path: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  return utimes(path, past, past);
}

it("waits for the first step, picks up the next, and takes half a file for what it is", async () => {
  const runs: PreparedRun[] = [];
  const waits: string[] = [];
  const stop = new AbortController();
  const following = followRun(
    [work.folder],
    {},
    {
      everyMs: 10,
      signal: stop.signal,
      onRun: (run) => runs.push(run),
      onWaiting: ({ message }) => waits.push(message),
    },
  );
  try {
    await eventually(() => waits.length > 0);
    await settle(await work.run("step_1.jsonl", [{ step: 1 }]));
    await eventually(() => runs.length > 0);
    expect(runs[0]!.info).toMatchObject({ steps: [1], status: "reading" });

    await settle(await work.run("step_2.jsonl", [{ step: 2 }]));
    await eventually(() => runs.at(-1)!.info.sequences === 2);
    expect(runs.at(-1)!.info.version).not.toBe(runs[0]!.info.version);

    const whole = await readFile(`${DEMO}/step_0010.npz`);
    const npz = work.path("step_0010.npz");
    await writeFile(npz, whole.subarray(0, 5000));
    await eventually(() => !runs.at(-1)!.complete);
    const [finding] = runs.at(-1)!.info.findings.filter(({ at }) => at.file === npz);
    expect(finding).toMatchObject({ severity: "info" });
    expect(finding!.message).toContain("still being written");

    await writeFile(npz, whole);
    await settle(npz);
    await eventually(() => runs.at(-1)!.info.steps.includes(10));
    expect(runs.at(-1)!.complete).toBe(true);

    // Half of a line at the end of a file that nobody writes to any more is an error of the file.
    const jsonl = work.path("step_3.jsonl");
    await writeFile(jsonl, line({ step: 3 }) + line({ step: 3 }).slice(0, 40));
    await settle(jsonl);
    await eventually(() => runs.at(-1)!.info.steps.includes(3));
    expect(runs.at(-1)!.info.findings.some(({ code }) => code === "partial-line")).toBe(true);
  } finally {
    stop.abort();
    await following;
    for (const run of runs) await run.close();
  }
});

it("begins with a cache that is there, and reads everything once when more comes", async () => {
  await settle(await work.run("step_1.jsonl", [{ step: 1 }]));
  await (await prepareRun([work.folder])).close();
  const { runs, anews, rebuilds, stop, ended } = follow([work.folder]);
  await eventually(() => runs.length === 1);
  expect([runs[0]!.reused, runs[0]!.info.status]).toEqual([true, "reading"]);
  await settle(await work.run("step_2.jsonl", [{ step: 2 }]));
  const last = (): PreparedRun => runs.at(-1)!;
  await eventually(() => last().info.steps.length === 2 && last().complete);
  const second = last();
  // Rows lie elsewhere than in the cache, which is sorted.
  expect(anews.slice(0, 2)).toEqual([false, true]);
  await settle(await work.run("step_3.jsonl", [{ step: 3 }]));
  await eventually(() => last().info.steps.length === 3 && last().complete);
  expect(anews.slice(2).every((anew) => !anew)).toBe(true);
  expect(last().info.growing).toBe(second.info.growing);
  expect(rebuilds).toEqual(["the cached run cannot be extended (this happens only once)"]);
  // What was read and then changes is read again, with all the rest.
  await settle(await work.run("step_1.jsonl", [{ step: 1 }, { step: 1 }]));
  await eventually(() => last().info.sequences === 4 && last().complete);
  expect(anews.at(-1)).toBe(true);
  expect(rebuilds.length).toBeGreaterThan(1);
  expect(last().info.growing).not.toBe(second.info.growing);
  stop.abort();
  await ended;
  expect((await readdir(join(work.folder, ".logratio/view"))).length).toBe(1);
  for (const run of runs) await run.close();
});

it("waits for steps that no file has yet, and a file of another step changes nothing", async () => {
  await settle(await work.run("step_1.jsonl", [{ step: 1 }]));
  const { runs, waits, stop, ended } = follow([work.folder], {
    read: { steps: (step) => step >= 3 },
    flags: ["--steps", "3..9"],
  });
  await eventually(() => waits.length > 0);
  expect(waits).toEqual(["no file belongs to the requested steps: the files found are of steps 1 to 1"]);
  await settle(await work.run("step_3.jsonl", [{ step: 3 }]));
  await eventually(() => runs.length > 0);
  expect(runs.at(-1)!.info.steps).toEqual([3]);
  stop.abort();
  await ended;
  for (const run of runs) await run.close();
});

it("follows two files that are one run by reading them as one", async () => {
  const one = (name: string): Promise<string> =>
    work.run(name, [{ rollout_log_probs: undefined, old_log_probs: undefined, log_probs: [-1, -2, -3] }]);
  const paths = [await one("rollout.jsonl"), await one("trainer.jsonl")];
  for (const path of paths) await settle(path);
  const { runs, stop, ended } = follow(paths, { read: { pair: true }, flags: ["--pair"] });
  await eventually(() => runs.length === 1);
  expect(runs[0]!.info.sequences).toBe(1);
  stop.abort();
  await ended;
  await runs[0]!.close();
});

function follow(paths: readonly string[], options: PrepareOptions = {}) {
  const [runs, anews, rebuilds, waits]: [PreparedRun[], boolean[], string[], string[]] = [[], [], [], []];
  const stop = new AbortController();
  const ended = followRun(paths, options, {
    everyMs: 10,
    signal: stop.signal,
    onRun(run, anew) {
      runs.push(run);
      anews.push(anew);
    },
    onRebuild: (why) => rebuilds.push(why),
    onWaiting: ({ message }) => waits.push(message),
  });
  return { runs, anews, rebuilds, waits, stop, ended };
}
