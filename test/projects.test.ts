/** A test in the wrong project fails, and says where it belongs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./support/run-cli.ts";

/** Each is the entire body of a test; errors are caught, as code under test may do. */
const BODIES = {
  "looks whether the build is there": `existsSync(${JSON.stringify(join(ROOT, "dist"))})`,
  "starts the command line": `spawnSync(process.execPath, [${JSON.stringify(join(ROOT, "bin/logratio.js"))}, "--help"])`,
};

let folder: string;
beforeAll(() => {
  mkdirSync(join(ROOT, "test/out"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "test/out/projects-"));
  const setup = JSON.stringify(join(ROOT, "test/support/refuse-dist.ts"));
  writeFileSync(join(folder, "vitest.config.mjs"), `export default { test: { setupFiles: [${setup}] } };\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs one unit test with this body. */
function runUnitTest(body: string): { status: number | null; said: string } {
  const file = join(folder, "one.test.js");
  const lines = [
    'import { spawnSync } from "node:child_process";',
    'import { existsSync } from "node:fs";',
    'import { it } from "vitest";',
    `it("runs", () => { try { ${body}; } catch {} });`,
  ];
  writeFileSync(file, lines.join("\n"));
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", folder, "--config", join(folder, "vitest.config.mjs")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, said: stdout + stderr };
}

describe("a unit test", () => {
  it.each(Object.entries(BODIES))("fails where it %s, caught or not", (_, body) => {
    const { status, said } = runUnitTest(body);
    expect(said).toContain("is read by a unit test: move the test to test/");
    expect(status).toBe(1);
  });

  it("may look at sources", () => {
    expect(runUnitTest(`existsSync(${JSON.stringify(join(ROOT, "src"))})`).status).toBe(0);
  });
});
