// Every check, in the order in which a failure is cheapest to read. One line per step; the last line counts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./support/build-state.mjs";
import { TOOLS } from "./support/tools.mjs";

const scratch = mkdtempSync(join(tmpdir(), "logratio-test-"));
const results = join(scratch, "vitest.json");
const tool = (name, ...args) => [TOOLS[name](), ...args];
const script = (name, ...args) => [`scripts/${name}.mjs`, ...args];

const steps = [
  ["format and lint", tool("biome", "ci", ".")],
  ["words", script("check-words")],
  [
    "import rules",
    tool("depcruise", "--config", ".dependency-cruiser.cjs", "src", "web", "bench", "test", "scripts"),
  ],
  ["types", tool("tsc", "-p", "tsconfig.json", "--noEmit")],
  ["types of the page", tool("tsc", "-p", "web/tsconfig.json", "--noEmit")],
  ["wasm is its source's", script("build-wasm", "--check")],
  ["build", script("build")],
  ["weight of the page", script("check-page-weight")],
  ["tests", tool("vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`)],
  ["the Python package", script("test-python")],
  // One seed: a change that breaks a reader fails here, and one that has nothing to do with readers never does.
  ["fuzzing", script("fuzz", "--seed", "1", "--cases", "1500")],
  ["examples in documentation", script("check-docs")],
  ["API reference is its types'", script("api-docs", "--check")],
  ["package", script("check-package")],
];

let failed = 0;
let passed = 0;
for (const [name, args] of steps) {
  const start = Date.now();
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  const ok = status === 0;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
  if (ok) passed++;
  else failed++;
  // Without a build nothing behind it can tell anything.
  if (!ok && name === "build") break;
}

let skipped = 0;
try {
  const report = JSON.parse(readFileSync(results, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped = report.numPendingTests + (report.numTodoTests ?? 0);
} catch {
  failed++;
}
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed > 0 ? 1 : 0);
