/**
 * A full disk, for every verb that writes: exit status 3, one message that says so, nothing half written under a final
 * name.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "./support/platform.ts";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";
import { DIRECTORY_WRITERS, FILE_WRITERS, makeInputs, STUDY_WRITERS } from "./support/writers.ts";

const noShell = lacks("shell", "pipes that close and disks that are full");

const FULL =
  /error: (?:cannot (?:write|append to|read or write|make [a-z ]+)|the viewer's cache cannot be written) [\s\S]*the disk is full \(ENOSPC\)/;

const parent = mkdtempSync(join(tmpdir(), "full-disk-"));
const small = join(parent, "small");
mkdirSync(small);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).status === 0;
if (!mounted)
  console.warn(
    "SKIPPED: a small tmpfs cannot be mounted here (that takes root), so full disks are not tested",
  );

beforeAll(() => {
  requireBuild();
  makeInputs(parent);
}, 120_000);
afterAll(() => {
  if (mounted) spawnSync("umount", [small]);
  rmSync(parent, { recursive: true });
});

describe.skipIf(!mounted)("on a file system of 64 KB that has one page left", () => {
  beforeEach(() => {
    for (const name of readdirSync(small)) rmSync(join(small, name), { recursive: true });
    writeFileSync(join(small, "filler"), Buffer.alloc(15 * 4096));
    expect(statfsSync(small).bavail).toBe(1);
  });

  for (const { name, input, extension, args } of [...FILE_WRITERS, ...DIRECTORY_WRITERS, ...STUDY_WRITERS]) {
    it(name, () => {
      const output = join(small, `out${extension ?? ""}`);
      const { status, out, err } = runCli(parent, args(join(parent, input), output), {
        env: { XDG_CACHE_HOME: join(parent, "cache") },
      });
      expect(err + (status === 3 ? "" : `\n${out}`)).toMatch(FULL);
      expect(status).toBe(3);
      expect(err).not.toMatch(/\n {4}at |bug:|damaged/);
      const isAppended = name.startsWith("divergence");
      // Studies keep what was scored; everything else is complete or absent (a cache leaves its empty directory).
      if (
        !isAppended &&
        !STUDY_WRITERS.some((writer) => writer.name === name) &&
        name !== "correct --out DIR"
      )
        expect(existsSync(output) ? readdirSync(output) : []).toEqual([]);
      const left = readdirSync(small, { recursive: true, encoding: "utf8" });
      expect(left.filter((path) => path.includes("logratio-"))).toEqual([]);
    });
  }

  it.skipIf(noShell)("standard output", () => {
    const command = `exec "$0" "$1" report "$2" --json > "$3"`;
    const words = [
      process.execPath,
      join(ROOT, "bin/logratio.js"),
      join(parent, "run"),
      join(small, "out.json"),
    ];
    const { status, stderr } = spawnSync("sh", ["-c", command, ...words], { encoding: "utf8" });
    expect(stderr).toMatch(/^error: cannot write standard output: the disk is full \(ENOSPC\)/);
    expect(status).toBe(3);
  });
});

describe.skipIf(!existsSync("/dev/full"))("standard output that is full", () => {
  for (const args of [["report", "run"], ["report", "run", "--json"], ["--help"], ["report", "--help"]]) {
    it(`logratio ${args.join(" ")}`, () => {
      const command = `cd "$1" && shift && "$0" "$@" > /dev/full`;
      const words = [process.execPath, parent, join(ROOT, "bin/logratio.js"), ...args];
      const { status, stderr } = spawnSync("sh", ["-c", command, ...words], { encoding: "utf8" });
      expect(stderr).toMatch(/^error: cannot write standard output: the disk is full/);
      expect(status).toBe(3);
    });
  }
});

describe.skipIf(noShell)("a reader that closes the pipe", () => {
  it("leaves the exit status as it is, be it that of standard output, standard error or both", () => {
    const bin = join(ROOT, "bin/logratio.js");
    const run = (words: string): string =>
      spawnSync("bash", ["-c", `${words}; echo \${PIPESTATUS[0]}`], { encoding: "utf8", cwd: parent })
        .stdout.trim()
        .split("\n")
        .at(-1)!;
    const node = `${process.execPath} ${bin}`;
    expect(run(`${node} report run 2>&1 | head -1 > /dev/null`)).toBe("0");
    expect(run(`${node} report run/none.npz 2>&1 | true`)).toBe("3");
    expect(run(`${node} report run --json --markdown 2>&1 | true`)).toBe("2");
  });
});
