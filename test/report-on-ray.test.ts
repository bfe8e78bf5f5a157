/** `logratio report --on` if no cluster is reachable; python/tests/test_ray_command.py runs it on one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO, ROOT, requireBuild, runCli } from "./support/run-cli.ts";

const RUN = join(DEMO, "stale");
let dir = "";
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "report-on-ray-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const report = (flags: readonly string[], env: Record<string, string> = {}) =>
  runCli(dir, ["report", RUN, ...flags], { env: { LOGRATIO_PYTHON: "", PYTHONPATH: "", ...env } });

describe("report --on", () => {
  it("says which Python is missing", () => {
    const { status, err } = report(["--on", "auto"], { LOGRATIO_PYTHON: join(dir, "no-python") });
    expect(status).toBe(3);
    expect(err).toMatch(/^error: --on needs Python, and .*no-python does not start: .*ENOENT/);
    expect(err).toContain("LOGRATIO_PYTHON=PATH");
  });

  it("says which package is missing, and how to install it", () => {
    // The system's Python has neither package; with the package's source on its path it lacks only Ray.
    const bare = { LOGRATIO_PYTHON: "/usr/bin/python3", PYTHONNOUSERSITE: "1" };
    const without = report(["--on", "auto"], bare);
    expect(without.status).toBe(3);
    expect(without.err).toContain("error: --on needs logratio, which /usr/bin/python3 does not have");
    expect(without.err).toContain("/usr/bin/python3 -m pip install 'logratio[ray]'");
    const { err } = report(["--on", "auto"], { ...bare, PYTHONPATH: join(ROOT, "python") });
    expect(err).toContain("error: --on needs ray, which /usr/bin/python3 does not have");
  });

  it.each([
    [["--on", "auto", "--threads", "2"], "--on cannot be combined with --threads 2"],
    [["--on", "auto", "--explain"], "--on cannot be combined with --explain"],
    [["--parts", "parts"], "--parts belongs to --on"],
    [["-", "--on", "auto"], "--on reads paths that the cluster sees, not standard input"],
  ])("refuses %j", (flags, message) => {
    const { status, err } = report(flags);
    expect([status, err.split("\n")[0]]).toEqual([2, `error: ${message}`]);
  });
});
