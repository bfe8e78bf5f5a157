/**
 * kill -9 at the worst moments, recognized by what is on disk: earlier outputs are intact, inputs untouched, and the
 * next run succeeds and removes what was left. `faults.test.ts` kills the verbs that resume.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openFile } from "../src/input/io/file-source.ts";
import { openZip } from "../src/input/io/zip.ts";
import { writeNpz } from "../src/input/readers/npz/write.ts";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const COLUMNS = ["--rollout", "r", "--trainer", "t", "--mask", "m"];
/** More than a row group's list entries in each of three files. */
const [ROWS, WIDTH] = [1200, 1024];

let inputs: string;
let dir: string;

beforeAll(async () => {
  requireBuild();
  inputs = mkdtempSync(join(tmpdir(), "killed-inputs-"));
  mkdirSync(join(inputs, "run"));
  for (const step of [1, 2, 3]) {
    const size = ROWS * WIDTH;
    const logProbs = (seed: number): Uint8Array =>
      new Uint8Array(
        Float32Array.from({ length: size }, (_, i) => -(((i * seed + step) % 97) + 1) / 100).buffer,
      );
    const array = (name: string, dtype: "float32" | "uint8", bytes: Uint8Array) => ({
      name,
      dtype,
      shape: [ROWS, WIDTH],
      async *pieces() {
        yield bytes;
      },
    });
    const file = await open(join(inputs, `run/step_${step}.npz`), "w");
    await writeNpz(file, [
      array("r", "float32", logProbs(31)),
      array("t", "float32", logProbs(37)),
      array("m", "uint8", new Uint8Array(size).fill(1)),
    ]);
    await file.close();
  }
}, 120_000);
afterAll(() => {
  for (const folder of [inputs, dir]) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  dir = mkdtempSync(join(tmpdir(), "killed-"));
});

const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);
const leftovers = (): string[] =>
  readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("logratio-"));

/** Runs the command until `phase` is seen on disk, and kills it there. */
async function killedWhen(args: readonly string[], phase: () => boolean): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], {
    cwd: dir,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const seen = (): boolean => {
    try {
      return phase();
    } catch {
      return false;
    }
  };
  while (child.exitCode === null && child.signalCode === null && !seen()) await sleep(1);
  child.kill("SIGKILL");
  await ended;
  expect(child.signalCode, "it ended before the phase was seen").toBe("SIGKILL");
}

/** Sizes of the temporary files beside an output. */
const growing = (): number[] =>
  readdirSync(dir)
    .filter((name) => name.startsWith(".logratio-"))
    .map((name) => statSync(join(dir, name)))
    .filter((stats) => stats.isFile())
    .map(({ size }) => size);

/** Names, sizes and checksums of members; their raw bytes include the time. */
async function listMembers(path: string): Promise<readonly unknown[]> {
  const source = await openFile(path);
  const { members } = await openZip(source);
  await source.close();
  return [...members.values()].map(({ name, byteLength, crc32 }) => [name, byteLength, crc32]);
}

describe("killed", () => {
  const convert = (): string[] => ["convert", join(inputs, "run"), ...COLUMNS, "--out", "record.parquet"];

  it("convert, before its first row group", async () => {
    await killedWhen(convert(), () => growing().length > 0);
    expect(existsSync(join(dir, "record.parquet"))).toBe(false);
  });

  it("convert, while it joins row groups, over an earlier output", async () => {
    const earlier = runCli(dir, [
      "convert",
      join(inputs, "run/step_1.npz"),
      ...COLUMNS,
      "--out",
      "record.parquet",
    ]);
    expect(earlier.status).toBe(0);
    const before = readFileSync(join(dir, "record.parquet"));
    await killedWhen(convert(), () => growing().some((size) => size > 4));
    expect(readFileSync(join(dir, "record.parquet")).equals(before)).toBe(true);
    expect(leftovers().length).toBeGreaterThan(0);
    expect(runCli(dir, convert())).toMatchObject({ status: 0 });
    expect(leftovers()).toEqual([]);
    const { out } = runCli(dir, ["report", "record.parquet", "--json"]);
    expect((JSON.parse(out) as { metrics: object }).metrics).toMatchObject({ sequences: 3 * ROWS });
  });

  it("correct --out DIR, between two files", async () => {
    const args = ["correct", join(inputs, "run"), ...COLUMNS, "--preset", "verl", "--out", "weights"];
    const weights = join(dir, "weights");
    await killedWhen(args, () => namesIn(weights).includes("step_1.npz"));
    const first = await listMembers(join(weights, "step_1.npz"));
    expect(runCli(dir, args).status).toBe(0);
    expect(readdirSync(weights).sort()).toEqual(["step_1.npz", "step_2.npz", "step_3.npz"]);
    expect(await listMembers(join(weights, "step_1.npz"))).toEqual(first);
  });

  it("divergence, between two steps: repeated, it logs each token once", async () => {
    const args = ["divergence", join(inputs, "run"), ...COLUMNS, "--threshold", "0", "--out", "log.jsonl"];
    await killedWhen(args, () => statSync(join(dir, "log.jsonl")).size > 0);
    expect(runCli(dir, args).status).toBe(0);
    const ids = readFileSync(join(dir, "log.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .flatMap((line) => /"record_id":"([^"]+)"\}$/.exec(line)?.[1] ?? []);
    expect(ids).toHaveLength(15);
    expect(new Set(ids).size).toBe(15);
  });

  it("view --bundle, half way through the bundle", async () => {
    const args = ["view", join(inputs, "run/step_1.npz"), ...COLUMNS, "--cache", "cache", "--bundle", "page"];
    await killedWhen(args, () =>
      readdirSync(dir).some((name) => namesIn(join(dir, name, "bundle/api/sequence")).length > 10),
    );
    expect(existsSync(join(dir, "page"))).toBe(false);
    expect(leftovers().length).toBeGreaterThan(0);
    expect(runCli(dir, args).status).toBe(0);
    expect(readdirSync(dir).sort()).toEqual(["cache", "page"]);
  });

  it("leaves the inputs as they were", () => {
    expect(readdirSync(join(inputs, "run")).sort()).toEqual(["step_1.npz", "step_2.npz", "step_3.npz"]);
  });
});
