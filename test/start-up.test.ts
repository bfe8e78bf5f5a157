import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The modules of dist/ that a command loads, as V8 lists them when the process ends. */
function listLoaded(...args: string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), "logratio-start-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], {
      env: { ...process.env, NODE_V8_COVERAGE: directory },
      stdio: "ignore",
    });
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
    return files
      .flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result)
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url }) => relative(join(ROOT, "dist"), fileURLToPath(url)))
      .filter((path) => !path.startsWith(".."));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Loading every module took 0.75 s where 0.18 s is enough; the time itself is in the benchmarks.
it.each(["--version", "--help", "report --help"])("%s loads no reader and no analysis", (line) => {
  const loaded = listLoaded(...line.split(" "));
  expect(loaded).toContain("apps/cli/main.js");
  expect(loaded.filter((path) => /^(input|analyses|scoring|trainers)\//.test(path))).toEqual([]);
});
