import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../../core/base/errors.ts";
import { type Resume, RunLaunches } from "./run-launches.ts";

let directory: string;
const runs = new Set<string>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-launches-"));
  runs.clear();
});

afterEach(() => rm(directory, { recursive: true }));

const start = () => new RunLaunches({ directory, has: (folder) => runs.has(folder) });
const ask = (launches: RunLaunches, launch: string, resume?: Resume, run = "r") =>
  launches.resolve({ run, launch: launch.repeat(32), resume });

describe("the run that a launch writes to", () => {
  test("is the asked one, and one beside it for each later launch", async () => {
    const launches = start();
    expect(await Promise.all(["a", "b", "a", "c", "b"].map((launch) => ask(launches, launch)))).toEqual([
      "r",
      "r-2",
      "r",
      "r-3",
      "r-2",
    ]);
    expect(await ask(launches, "a", undefined, "other")).toBe("other");
  });

  test("is the same after a restart, also behind a line that was cut off", async () => {
    expect(await ask(start(), "a")).toBe("r");
    await appendFile(join(directory, ".serve.launches"), '\n{"run":"r","laun');
    expect(await ask(start(), "b")).toBe("r-2");
    const again = start();
    expect([await ask(again, "a"), await ask(again, "b"), await ask(again, "c")]).toEqual([
      "r",
      "r-2",
      "r-3",
    ]);
  });

  test("is not a run that was there before", async () => {
    for (const name of ["r", "r-2"]) runs.add(name);
    expect(await ask(start(), "a")).toBe("r-3");
  });

  test("follows resume", async () => {
    const launches = start();
    await expect(ask(launches, "a", "must")).rejects.toThrow(UsageError);
    expect(await ask(launches, "a", "never")).toBe("r");
    expect(await ask(launches, "a", "never")).toBe("r");
    await expect(ask(launches, "b", "never")).rejects.toThrow('there is a run "r" already');
    expect(await ask(launches, "b", "must")).toBe("r");
    expect(await ask(launches, "c", "allow")).toBe("r");
    expect(await ask(launches, "d")).toBe("r-2");
  });
});
