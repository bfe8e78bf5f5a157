/**
 * The built command line as a process.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const DEMO = join(ROOT, "examples/demo");

export interface CliRun {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export function requireBuild(): void {
  if (existsSync(join(ROOT, "dist/apps/cli/main.js"))) return;
  throw new Error("these tests run the built command line: `npm run build` first (npm test does)");
}

export function runCli(
  directory: string,
  args: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): CliRun {
  const run = spawnSync(process.execPath, [join(ROOT, "bin/logratio.js"), ...args], {
    cwd: directory,
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "100", ...options.env },
    maxBuffer: 1 << 28,
  });
  return { status: run.status, out: run.stdout, err: run.stderr };
}
