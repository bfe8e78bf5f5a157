/**
 * `logratio summarize` under kill -9 at drawn moments: every part on disk is whole, what is missing is named, and the same
 * command goes on until the merged report is that of one process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";
import "./support/property-seed.ts";

const RUN = join(DEMO, "stale");
const SHARDS = 12;
const KILLS = 3;

let dir = "";
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "summarize-killed-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const countParts = (folder: string): number =>
  list(folder).filter((name) => name.endsWith(".lrs") && !name.startsWith("call-")).length;

/** Runs until so many parts are there and some milliseconds more have gone by, and kills it, unless it was done first. */
async function killAt(
  args: readonly string[],
  folder: string,
  parts: number,
  more: number,
): Promise<boolean> {
  const child = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], { stdio: "ignore" });
  const ended = once(child, "exit");
  while (child.exitCode === null && countParts(folder) < parts) await sleep(1);
  await sleep(more);
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

const readJson = (args: readonly string[]): Record<string, unknown> & { findings: { message: string }[] } => {
  const { status, out } = runCli(dir, [...args, "--json"]);
  expect([0, 4]).toContain(status);
  const { generated: _, ...report } = JSON.parse(out);
  return report;
};

it.each([
  ["a directory of parts", "parts", "parts"],
  ["one part", "run.lrs", "run.lrs.partial"],
])(
  "goes on where it was killed, into %s",
  async (_, out, folderName) => {
    const args = ["summarize", RUN, "--out", join(dir, out)];
    const folder = join(dir, folderName);
    const whole = readJson(["report", RUN]);
    const moments = fc.sample(
      fc.tuple(fc.integer({ min: 0, max: SHARDS - 1 }), fc.integer({ min: 0, max: 40 })),
      KILLS,
    );
    let killed = 0;
    for (const [parts, more] of moments.sort(([a], [b]) => a - b)) {
      if (!(await killAt(args, folder, parts, more))) break;
      killed++;
      const there = countParts(folder);
      if (there === 0 || there === SHARDS) continue;
      // Each of them can be read, and the rest is told.
      const { findings } = readJson(["merge", folder]);
      const missing = SHARDS - there;
      expect(findings.map(({ message }) => message)).toContain(
        `${missing} ${missing === 1 ? "shard" : "shards"} of ${SHARDS} ${missing === 1 ? "has" : "have"} no part`,
      );
    }
    expect(killed).toBeGreaterThan(0);
    const there = countParts(folder);
    const { status, err } = runCli(dir, args);
    expect(status).toBe(0);
    expect(err).toContain(`${SHARDS} shards${there === 0 ? "" : `, ${there} of them earlier`}, `);
    expect(readJson(["merge", join(dir, out)])).toEqual(whole);
    expect(list(dir).concat(list(join(dir, out.endsWith(".lrs") ? "." : out)))).not.toContainEqual(
      expect.stringMatching(/^\.logratio-|\.partial$/),
    );
  },
  240_000,
);
