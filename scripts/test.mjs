// npm test: every check. Words, format, types and documents come first, and a failure there ends the run; then the
// tests. With --long (npm run test:long) tests run at full size, with another seed each time.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./support/build-state.mjs";
import { pythonChecks, runScript, SOURCE_CHECKS } from "./support/checks.mjs";
import { preparePython } from "./support/python.mjs";
import { runCommand, runNode, runSteps } from "./support/steps.mjs";
import { TOOLS } from "./support/tools.mjs";

const isLong = process.argv.includes("--long");
const seed = process.env.PROPERTY_SEED ?? (isLong ? String(Date.now() % 2 ** 31) : undefined);
if (isLong) console.log(`at full size, seed ${seed}: PROPERTY_SEED=${seed} npm run test:long repeats it\n`);

// Installed while the first checks run.
const environment = preparePython("tests");
const sentinel = preparePython("sentinel");
const prepare = () => environment;

const totals = { passed: 0, failed: [], skipped: 0 };
function count({ passed, failed, skipped }) {
  totals.passed += passed;
  totals.failed.push(...failed);
  totals.skipped += skipped.length;
}
function end() {
  const { passed, failed, skipped } = totals;
  if (failed.length > 0) console.log(`\nfailed: ${failed.join(", ")}`);
  console.log(`${passed} passed, ${failed.length} failed, ${skipped} skipped`);
  process.exit(failed.length > 0 ? 1 : 0);
}

/** Runs steps; if one of them fails, nothing after them is worth running. */
async function runFirst(steps) {
  count(await runSteps(steps));
  if (totals.failed.length > 0) end();
}

await runFirst([...SOURCE_CHECKS, ...pythonChecks(prepare)]);
await runFirst([["build", () => runScript("build")]]);
await runFirst([
  ["examples in documentation", () => runScript("check-docs")],
  ["API reference is its types'", () => runScript("api-docs", "--check")],
  ["weight of the page", () => runScript("check-page-weight")],
]);

const { python } = await prepare();
const sizes = isLong ? { LOGRATIO_LONG: "1", PROPERTY_SEED: seed } : {};
const env = { ...(python === undefined ? {} : { LOGRATIO_PYTHON: python }), ...sizes };

async function runPytest(folder, asked) {
  const { python, skipped } = await asked;
  if (skipped !== undefined) return { skipped };
  const args = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"];
  const { ok, said } = await runCommand([python, ...args], { cwd: join(ROOT, folder), env });
  return { ok, said, note: said.match(/^.*\d+ passed.*$/m)?.[0] };
}

/** Those of the releases that it was written for; `npm run sentinel -- --newest` judges the newest. */
async function runSentinel() {
  const { python, skipped } = await sentinel;
  if (skipped !== undefined) return { skipped };
  const { ok, said } = await runCommand([python, "-m", "sentinel", "--pinned"], {
    cwd: join(ROOT, "sentinel"),
  });
  return { ok, said, note: said.trim().split("\n").at(-1) };
}

// A constant seed, so that only a change that breaks a reader can fail here.
const fuzzing = isLong ? ["--seed", seed, "--cases", "5000"] : ["--seed", "1", "--cases", "500"];
count(
  await runSteps([
    ["the Python package", () => runPytest("python", environment)],
    ["the sentinel", () => runPytest("sentinel", sentinel)],
    ["trainers' releases", runSentinel],
    ["fuzzing", () => runScript("fuzz", ...fuzzing)],
    ["package", () => runScript("check-package")],
    ...(isLong ? [["wasm is its source's", () => runScript("build-wasm", "--check")]] : []),
  ]),
);

const scratch = mkdtempSync(join(tmpdir(), "logratio-test-"));
const results = join(scratch, "vitest.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
// Tests that need PyTorch have their own command: npm run test:trainers.
const projects = ["unit", "unit-alone", "built", "browser"].map((name) => `--project=${name}`);
count(
  await runSteps([
    ["tests", () => runNode([TOOLS.vitest(), "run", ...projects, ...reporters], { env, live: true })],
  ]),
);
try {
  const report = JSON.parse(readFileSync(results, "utf8"));
  totals.passed += report.numPassedTests;
  totals.failed.push(...Array(report.numFailedTests).fill("a test"));
  totals.skipped += report.numPendingTests + (report.numTodoTests ?? 0);
} catch {
  totals.failed.push("the tests' own report");
}
rmSync(scratch, { recursive: true, force: true });
end();
