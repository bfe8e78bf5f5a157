/**
 * One call of the library next to the command line: they must give the same result.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { reportRun } from "../../src/analyses/runs/report-run.ts";
import { isLogratioError } from "../../src/core/base/errors.ts";
import { resultJson } from "../../src/core/base/json.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const RUN = "examples/demo/stale";

function printed(...args: string[]): unknown {
  const text = execFileSync(process.execPath, ["bin/logratio.js", "report", ...args, "--json"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(text);
}

const asJson = (value: unknown): unknown => JSON.parse(resultJson(value));

async function catchTag(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isLogratioError(error) ? error._tag : String(error);
}

describe("reportRun", () => {
  it("gives what `logratio report --json` prints", async () => {
    const report = await reportRun(RUN, { threads: 1 });
    expect(asJson(report)).toEqual(printed(RUN, "--threads", "1"));
  });

  it("takes the flags under their names, and says them in the command to run next", async () => {
    const report = await reportRun([RUN], {
      steps: "10..30",
      filter: "abs>0.01",
      parity: ["verl"],
      batchTokens: 5000,
      threads: 1,
    });
    expect(asJson(report)).toEqual(
      printed(RUN, "--steps", "10..30", "--filter", "abs>0.01", "--parity", "verl", "--batch-tokens", "5000"),
    );
    expect(report.findings.some(({ message }) => message.startsWith("--filter:"))).toBe(true);
  });

  it("refuses what makes no sense before it reads", async () => {
    expect(await catchTag(reportRun(RUN, { parity: ["nobody"] }))).toBe("UsageError");
    expect(await catchTag(reportRun(RUN, { steps: "30..10" }))).toBe("UsageError");
    expect(await catchTag(reportRun(RUN, { filter: "abz>1" }))).toBe("UsageError");
    expect(await catchTag(reportRun(RUN, { filter: "token:a" }))).toBe("UsageError");
  });

  it("says when nothing is left, and stops at its signal", async () => {
    expect(await catchTag(reportRun(RUN, { filter: "step:999" }))).toBe("EmptyInputError");
    const reason = new Error("enough");
    await expect(reportRun(RUN, { signal: AbortSignal.abort(reason), threads: 1 })).rejects.toBe(reason);
  });
});
