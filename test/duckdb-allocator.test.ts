import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** DuckDB's builds for other systems use the system's allocator. */
const HAS_JEMALLOC = process.platform === "linux" && process.arch === "x64";
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The settings that DuckDB's allocator started with, as it reports them on exit. */
function readSettings(env: NodeJS.ProcessEnv): string {
  // Once DuckDB is loaded, the settings are final; it prints them with its statistics.
  const listen = `
    import Module from "node:module";
    const { _load } = Module;
    Module._load = function (name, ...rest) {
      if (name === "@duckdb/node-api")
        process.env.DUCKDB_JE_MALLOC_CONF = (process.env.DUCKDB_JE_MALLOC_CONF ?? "narenas:3") + ",stats_print:true";
      return _load.call(this, name, ...rest);
    };`;
  const { stderr } = spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(listen)}`,
      join(ROOT, "bin/logratio.js"),
      "sql",
      "SELECT 1",
      join(ROOT, "examples/demo-formats/step_0500.jsonl.gz"),
    ],
    { encoding: "utf8", env: { ...process.env, DUCKDB_JE_MALLOC_CONF: undefined, ...env } },
  );
  return stderr;
}

it.runIf(HAS_JEMALLOC)("gives DuckDB one arena for all threads", () => {
  const settings = readSettings({});
  expect(settings).toMatch(/opt\.narenas: 1\n/);
  expect(settings).toMatch(/opt\.dirty_decay_ms: 300 /);
});

it.runIf(HAS_JEMALLOC)("leaves DuckDB what the user has chosen", () => {
  expect(readSettings({ DUCKDB_JE_MALLOC_CONF: "narenas:5" })).toMatch(/opt\.narenas: 5\n/);
});
