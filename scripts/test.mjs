// Every check, in the order in which a failure is cheapest to read. One line per step; the last line counts.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "logratio-test-"));
const results = join(scratch, "vitest.json");
const bin = (name) => join(root, "node_modules/.bin", name);

const steps = [
  ["format and lint", bin("biome"), ["ci", "."]],
  ["words", process.execPath, ["scripts/check-words.mjs"]],
  ["import rules", bin("depcruise"), ["--config", ".dependency-cruiser.cjs", "src", "web", "test"]],
  ["types", bin("tsc"), ["-p", "tsconfig.json", "--noEmit"]],
  ["types of the page", bin("tsc"), ["-p", "web/tsconfig.json", "--noEmit"]],
  ["wasm is its source's", process.execPath, ["scripts/build-wasm.mjs", "--check"]],
  ["build", process.execPath, ["scripts/build.mjs"]],
  ["weight of the page", process.execPath, ["scripts/check-page-weight.mjs"]],
  ["tests", bin("vitest"), ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${results}`]],
  // One seed: a change that breaks a reader fails here, and one that has nothing to do with readers never does.
  ["fuzzing", process.execPath, ["scripts/fuzz.mjs", "--seed", "1", "--cases", "1500"]],
  ["examples in documentation", process.execPath, ["scripts/check-docs.mjs"]],
  ["package", process.execPath, ["scripts/check-package.mjs"]],
];

let failed = 0;
let passed = 0;
for (const [name, command, args] of steps) {
  const start = Date.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
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
