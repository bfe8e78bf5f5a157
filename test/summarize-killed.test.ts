/**
 * `logratio summarize` under kill -9 at a random moment: missing parts are named, and the same command continues until
 * the merged report equals that of one process. `faults.test.ts` kills it at every call that changes files.
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

let dir = "";
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "summarize-killed-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const countParts = (folder: string): number =>
  list(folder).filter((name) => name.endsWith(".lrs") && !name.startsWith("call-")).length;

/** Runs until this many parts exist and kills it, unless it finishes first. */
async function killAt(args: readonly string[], folder: string, parts: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], { stdio: "ignore" });
  const ended = once(child, "exit");
  while (child.exitCode === null && countParts(folder) < parts) await sleep(1);
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
    const [parts] = fc.sample(fc.integer({ min: 1, max: SHARDS - 3 }), 1);
    expect(await killAt(args, folder, parts!), "it ended before it was killed").toBe(true);
    const there = countParts(folder);
    expect(there).toBeGreaterThan(0);
    // Each part can be read, and the missing ones are reported.
    const { findings } = readJson(["merge", folder]);
    const missing = SHARDS - there;
    expect(findings.map(({ message }) => message)).toContain(
      `${missing} ${missing === 1 ? "shard" : "shards"} of ${SHARDS} ${missing === 1 ? "has" : "have"} no part`,
    );
    const { status, err } = runCli(dir, args);
    expect(status).toBe(0);
    expect(err).toContain(`${SHARDS} shards, ${there} of them earlier, `);
    expect(readJson(["merge", join(dir, out)])).toEqual(whole);
    expect(list(dir).concat(list(join(dir, out.endsWith(".lrs") ? "." : out)))).not.toContainEqual(
      expect.stringMatching(/^\.logratio-|\.partial$/),
    );
  },
  240_000,
);
