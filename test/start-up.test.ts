import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Our own modules that a command loads in all its threads, as V8 lists them when the process ends. */
function listLoaded(program: string, ...args: string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), "logratio-start-"));
  try {
    execFileSync(process.execPath, [join(ROOT, program), ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: directory },
      stdio: "ignore",
    });
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
    return files
      .flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result)
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url }) => relative(ROOT, fileURLToPath(url)).replaceAll("\\", "/"))
      .filter((path) => /^(dist|program)\//.test(path));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Loading every module took 0.75 s where 0.18 s is enough; the benchmarks measure the time itself.
it.each(["--version", "--help", "report --help"])("%s loads no reader and no analysis", (line) => {
  const loaded = listLoaded("dist/apps/cli/main.js", ...line.split(" "));
  expect(loaded).toContain("dist/apps/cli/main.js");
  // The flags of a study are data.
  const heavy = /^dist\/(input|ingest|analyses|study(?!\/flags\.js)|parts|trainers)\//;
  expect(loaded.filter((path) => heavy.test(path))).toEqual([]);
});

// Each bound is what is loaded today and a twentieth more: a wide import, which takes a wing for one name, exceeds it.
it.each([
  ["report examples/demo --json --threads 1", 664],
  ["show examples/demo worst --json", 494],
  ["--version", 94],
])("%s loads few of our modules", (line, most) => {
  const loaded = new Set(listLoaded("dist/apps/cli/main.js", ...line.split(" ")));
  expect(loaded.size).toBeGreaterThan(most / 2);
  expect(loaded.size).toBeLessThan(most);
});

it("a report as JSON on NumPy files loads nothing that only another form, format or verb needs", () => {
  const loaded = listLoaded("dist/apps/cli/main.js", "report", "examples/demo", "--json", "--threads", "1");
  const needless =
    /^dist\/(render\/(?!text\/)|study\/(?!flags\.js)|parts\/|trainers\/[^/]+\/(methods|preset|traps)\.|input\/readers\/(torch|json)\/(torch|parser)\.|input\/remote\/.*-store\.|analyses\/(series|policy)\/)/;
  expect(loaded.filter((path) => needless.test(path))).toEqual([]);
});

const kilobytes = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0) / 1000;

it("the program that users start is the bundle, and --help loads little of it", () => {
  const loaded = listLoaded("bin/logratio.js", "--help");
  expect(loaded).toContain("program/apps/cli/main.js");
  expect(loaded.filter((path) => path.startsWith("dist/"))).toEqual([]);
  expect(loaded.length).toBeLessThan(15);
  expect(kilobytes(loaded)).toBeLessThan(100);
});

it.each(["demo --brief", "report examples/demo --brief --threads 2"])(
  "%s stays within the bundle",
  (line) => {
    const loaded = listLoaded("bin/logratio.js", ...line.split(" "));
    expect(loaded.filter((path) => path.startsWith("dist/"))).toEqual([]);
    expect(new Set(loaded).size).toBeLessThan(97);
  },
);

it("what is started as a thread has its place in the bundle", () => {
  const workers = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
    // The worker that drives Python runs as a Python process.
    /^(?!study\/scoring).*-worker\.js$/.test(path.replaceAll("\\", "/")),
  );
  expect(workers.length).toBeGreaterThan(4);
  expect(workers.filter((path) => !existsSync(join(ROOT, "program", path)))).toEqual([]);
});
