/**
 * Token ids that no vocabulary has, and some that few have, through the built command line: the tokens count, the ids
 * are reported, and memory depends on what was read.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeZip } from "../src/input/io/zip-writer.test-data.ts";
import { runMeasured } from "./support/measured-cli.ts";
import { requireBuild } from "./support/run-cli.ts";

/** The ends of int32 and int64, and the edges of what is read as an id. */
const WILD = [2n ** 31n - 1n, 300_000_000n, 2n ** 24n + 1n, 2n ** 32n, 2n ** 63n - 1n, -(2n ** 63n), -7n];
const ROWS = 4;
const TOKENS = 100;
/**
 * Memory beyond what the run with valid ids takes. A table by id up to 2^24 would take 2 GiB, one up to 3 · 10^8 40
 * GiB.
 */
const MOST_BYTES = 256 * 2 ** 20;

function npy(descr: string, data: Uint8Array): Uint8Array {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${ROWS}, ${TOKENS}), }`;
  const padded = `${text.padEnd(117)}\n`;
  const head = Buffer.from("\x93NUMPY\x01\x00\x76\0", "latin1");
  return Buffer.concat([head, Buffer.from(padded), data]);
}

function makeStep(ids: readonly bigint[]): Uint8Array {
  const count = ROWS * TOKENS;
  const side = (scale: number): Uint8Array =>
    new Uint8Array(Float32Array.from({ length: count }, (_, i) => -(((i % 13) + 1) * scale) / 16).buffer);
  const all = BigInt64Array.from({ length: count }, (_, i) => ids[i] ?? BigInt(i % 50));
  return writeZip([
    { name: "rollout_log_probs.npy", bytes: npy("<f4", side(1)) },
    { name: "old_log_probs.npy", bytes: npy("<f4", side(1.125)) },
    { name: "responses.npy", bytes: npy("<i8", new Uint8Array(all.buffer)) },
  ]);
}

let folder = "";
beforeAll(async () => {
  requireBuild();
  folder = await mkdtemp(join(tmpdir(), "logratio-wild-ids-"));
  const spread = Array.from({ length: 70 }, (_, i) => BigInt(Math.round(((i + 1) * 2 ** 24) / 70)));
  const runs = { sound: [], wild: WILD, spread } as const;
  for (const [name, ids] of Object.entries(runs)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "step_1.npz"), makeStep([]));
    await writeFile(join(folder, name, "step_2.npz"), makeStep(ids));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]) => runMeasured(folder, args, 60_000);

test.each([
  ["report", (name: string) => [["report", name, "--json"]]],
  ["view", (name: string) => [["view", name, "--bundle", `${name}.zip`, "--cache", `${name}.cache`]]],
  ["compare", (name: string) => [["compare", name, "sound", "--json"]]],
  ["gate", (name: string) => [["gate", name, "--limit", "tokens > 0", "--json"]]],
  [
    "parts",
    (name: string) => [
      ["summarize", name, "--out", `${name}.parts`],
      ["merge", `${name}.parts`, "--json"],
    ],
  ],
] as const)(
  "%s: wild ids are missing, and memory follows what was read",
  async (_, commands) => {
    const [sound, wild, spread] = await Promise.all(
      ["sound", "wild", "spread"].map(async (name) => {
        let last = await run(...commands(name)[0]!);
        for (const args of commands(name).slice(1)) last = await run(...args);
        return last;
      }),
    );
    for (const other of [wild!, spread!]) {
      expect([other.status, other.err]).toEqual([sound!.status, expect.not.stringContaining("bug")]);
      expect(other.peakBytes - sound!.peakBytes).toBeLessThan(MOST_BYTES);
    }
  },
  200_000,
);

test("the report counts the tokens, and the ids that were left out, with the first place", async () => {
  const [sound, wild] = await Promise.all([
    run("report", "sound", "--json"),
    run("report", "wild", "--json"),
  ]);
  const [expected, found] = [JSON.parse(sound.out), JSON.parse(wild.out)];
  expect(found.metrics).toEqual(expected.metrics);
  const finding = found.findings.find(({ code }: { code: string }) => code === "token-id");
  expect(finding).toMatchObject({ severity: "warning", count: WILD.length });
  expect(finding.at).toMatchObject({ file: "wild/step_2.npz", row: 0 });
  expect(finding.message).toContain("7 response token ids are negative, fractional or beyond 16,777,216");
});
