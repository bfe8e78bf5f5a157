import { readFile, utimes, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { followRun, type PreparedRun } from "./index.ts";
import { DEMO, line, type Workspace, workspace } from "./made-run.test-data.ts";

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
