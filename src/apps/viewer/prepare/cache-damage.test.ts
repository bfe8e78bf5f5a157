import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "../../../../test/support/platform.ts";
import { sample } from "../../../../test/support/run-size.ts";
import { DAMAGE } from "../../../input/io/damage.test-data.ts";
import { ANSWER_FILES } from "./cache/cache-files.ts";
import type { PrepareOptions } from "./cache/options.ts";
import { prepareRun } from "./cache/prepare-run.ts";
import type { PreparedRun } from "./cache/prepared-run.ts";
import { type Workspace, workspace } from "./made-run.test-data.ts";

const noProc = lacks("proc", "a cache below /proc");

const isRoot = process.getuid?.() === 0;
if (isRoot) console.warn("SKIPPED: caches without permission: root may read and write everything");

let work: Workspace;
const opened: PreparedRun[] = [];
const notices: string[] = [];
beforeEach(async () => {
  work = await workspace();
});
afterEach(async () => {
  for (const run of opened.splice(0)) await run.close();
  notices.length = 0;
  await work.remove();
});

async function prepared(paths: readonly string[], options: PrepareOptions = {}): Promise<PreparedRun> {
  const run = await prepareRun(paths, { onNotice: (message) => notices.push(message), ...options });
  opened.push(run);
  return run;
}

async function everything(run: PreparedRun): Promise<Buffer> {
  const names = Object.keys(ANSWER_FILES) as (keyof typeof ANSWER_FILES)[];
  const answers = await Promise.all(names.map((name) => run.answer(name)));
  const rows = Array.from({ length: run.info.sequences }, async (_, index) => run.sequence(index));
  return Buffer.concat([...answers, ...((await Promise.all(rows)) as Uint8Array[])]);
}

const KINDS: Readonly<Record<string, readonly [(path: string) => Promise<unknown>, RegExp]>> = {
  empty: [DAMAGE.empty, /: 0 of [\d,]+ bytes|damaged/],
  half: [DAMAGE.half, /: [\d,]+ of [\d,]+ bytes|damaged/],
  flipped: [DAMAGE.flipped, /: content has changed|damaged/],
  missing: [DAMAGE.missing, /is missing/],
  "a directory": [async (path) => rm(path).then(() => mkdir(path)), /is not a file|cannot be read, EISDIR/],
  ...(isRoot ? {} : { "without permission": [(path: string) => chmod(path, 0), /cannot be read, EACCES/] }),
};

describe("every file of a cache", () => {
  let home: Workspace;
  let whole: Buffer;
  let made: string;
  let data: string;
  const options = (cache: string): PrepareOptions => ({ cache });
  beforeAll(async () => {
    home = await workspace();
    data = await home.run("dumps/step_1.jsonl", [{ reward: 1 }, {}, {}]);
    const run = await prepareRun([data], options(home.path("cache")));
    whole = await everything(run);
    made = run.directory;
    await run.close();
  });
  afterAll(() => home.remove());

  it.each(Object.keys(KINDS))("%s: is noticed, said, and the figures are right", async (kind) => {
    const [damage, said] = KINDS[kind]!;
    const files = await readdir(made);
    expect(files).toEqual(
      expect.arrayContaining(["cache.json", "report.json", "seal.json", "sequences.bin"]),
    );
    // In the ordinary run each kind damages other files.
    for (const file of sample(files, 5, Object.keys(KINDS).indexOf(kind))) {
      const copy = work.path("cache");
      await rm(copy, { recursive: true, force: true });
      await cp(home.path("cache"), copy, { recursive: true });
      const directory = join(copy, basename(made));
      if (
        (await readFile(join(directory, file))).length === 0 &&
        kind !== "missing" &&
        kind !== "a directory"
      )
        continue;
      notices.length = 0;
      await damage(join(directory, file));
      const run = await prepared([data], options(copy));
      expect([file, run.reused]).toEqual([file, false]);
      expect((await everything(run)).equals(whole), file).toBe(true);
      expect(notices, file).toHaveLength(1);
      expect(notices[0]).toContain(directory);
      expect(notices[0]).toContain(file);
      expect(notices[0]).toMatch(said);
      expect((await prepared([data], options(copy))).reused).toBe(true);
      expect(notices).toHaveLength(1);
    }
  });

  it("an edited report is not shown", async () => {
    const run = await prepared([data], options(work.path("cache")));
    const file = join(run.directory, "report.json");
    const report = await readFile(file, "utf8");
    await writeFile(file, report.replace(/"delta_abs_mean":\s*[\d.e-]+/, '"delta_abs_mean": 9.99'));
    const again = await prepared([data], options(work.path("cache")));
    expect(Buffer.from(await again.answer("report")).toString()).toBe(report);
    expect(notices[0]).toContain("report.json");
  });
});

describe("the place of a cache", () => {
  it("serves several viewers that begin at once, over a damaged cache too", async () => {
    await work.run("dumps/step_1.jsonl", [{}]);
    const first = await prepared([work.path("dumps")]);
    const right = await everything(first);
    await DAMAGE.flipped(join(first.directory, "report.json"));
    const runs = await Promise.all([1, 2, 3, 4].map(() => prepared([work.path("dumps")])));
    for (const run of runs) expect((await everything(run)).equals(right)).toBe(true);
    expect(await readdir(work.path("dumps/.logratio/view"))).toHaveLength(1);
  });

  it("is tidied: what a killed process left goes, what one that runs is writing stays", async () => {
    const place = work.path("dumps/.logratio/view");
    await mkdir(place, { recursive: true });
    const { pid: dead } = spawnSync(process.execPath, ["-e", ""]);
    const own = await nameOfTemporary();
    const left = own.replace(`-${process.pid}-`, `-${dead}-`);
    const foreign = ".logratio-00000000-1-0123456789abcdef.tmp";
    for (const name of [own, left, foreign]) await mkdir(join(place, name));
    const long = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [own, foreign]) await utimes(join(place, name), long, long);
    await work.run("dumps/step_1.jsonl", [{}]);
    const first = await prepared([work.path("dumps")]);
    expect((await readdir(place)).sort()).toEqual([basename(first.directory), own].sort());
    await work.run("dumps/step_2.jsonl", [{}]);
    const second = await prepared([work.path("dumps")]);
    expect((await readdir(place)).sort()).toEqual([basename(second.directory), own].sort());
  });

  /** The name that this process gives what it is making. */
  async function nameOfTemporary(): Promise<string> {
    await work.run("other/step_1.jsonl", [{}]);
    let found: string[] = [];
    await prepared([work.path("other")], {
      read: { steps: () => true },
      flags: ["--steps", "1"],
      onProgress: () => {},
      signal: {
        throwIfAborted: () => {
          found = readdirSync(work.path("other/.logratio/view"));
        },
        aborted: false,
      } as AbortSignal,
    });
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  it.skipIf(noProc)("below /proc is refused at once, with what to do", async () => {
    await work.run("dumps/step_1.jsonl", [{}]);
    await expect(prepareRun([work.path("dumps")], { cache: "/proc/x/y" })).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining("cannot be written to /proc/x/y"),
      hint: expect.stringContaining("--cache DIR"),
    });
  });

  it("with a full disk: another place, or a message", async () => {
    const disk = join(tmpdir(), `logratio-full-${process.pid}`);
    await mkdir(disk);
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
    if (status !== 0) {
      console.warn("SKIPPED: a full disk for the cache: no tmpfs can be mounted here");
      return rm(disk, { recursive: true });
    }
    const home = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = work.path("home");
    try {
      const long = Array.from({ length: 500 }, (_, i) => i);
      await mkdir(join(disk, "dumps"));
      const logprobs = { rollout_log_probs: long.map(() => -1), old_log_probs: long.map(() => -1.25) };
      const row = { response_ids: long, response_mask: long.map(() => 1), ...logprobs };
      await work.run("long.jsonl", [row, row, row, row, row]);
      await expect(
        prepareRun([work.path("long.jsonl")], { cache: join(disk, "cache") }),
      ).rejects.toMatchObject({
        _tag: "FileSystemError",
        likely: expect.stringContaining("disk is full"),
        hint: expect.stringContaining("--cache DIR"),
      });
      expect(await readdir(join(disk, "cache"))).toEqual([]);

      await cp(work.path("long.jsonl"), join(disk, "dumps/long.jsonl"));
      const run = await prepared([join(disk, "dumps")]);
      expect(run.directory.startsWith(work.path("home"))).toBe(true);
      expect(notices).toEqual([expect.stringMatching(/disk is full.*trying .*home/)]);
    } finally {
      if (home === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = home;
      spawnSync("umount", [disk]);
      await rm(disk, { recursive: true });
    }
  });
});
