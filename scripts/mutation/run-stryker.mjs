// One folder through Stryker.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { hasPropertyTests, listMutated, listTests } from "./folders.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
// Ignored by git, and gone with `npm ci`.
const memory = join(root, "node_modules/.cache/mutation");

/**
 * Looks again at what no test ran, and at what survived in code that runs while a module loads. Stryker keeps a result
 * until the tests that cover the mutant change; such code is covered by no test by name, so that a test that has come to
 * hold it would not be seen.
 */
function forgetUncovered(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // The first run of a folder, or one that was stopped while it wrote: nothing is remembered.
    return;
  }
  for (const entry of Object.values(report.files)) {
    entry.mutants = entry.mutants.filter(
      (mutant) => mutant.status !== "NoCoverage" && !(mutant.static && mutant.status === "Survived"),
    );
  }
  writeFileSync(file, JSON.stringify(report));
}

/**
 * @param {string} folder
 * @param {{ concurrency?: number, fresh?: boolean }} options
 * @returns the results, one for each mutant
 */
export async function runStryker(folder, { concurrency, fresh = false }) {
  mkdirSync(memory, { recursive: true });
  const incrementalFile = join(memory, `${folder.replaceAll("/", "-")}.json`);
  forgetUncovered(incrementalFile);
  // Read by test/mutation/vitest.config.ts in Stryker's own processes.
  process.env.MUTATION_TESTS = JSON.stringify(listTests(folder));
  process.env.MUTATION_PROPERTIES = hasPropertyTests(folder) ? "yes" : "no";
  return new Stryker({
    mutate: listMutated(folder),
    testRunner: "vitest",
    // `related` would walk the imports of every test for every mutant; the list of tests says it already.
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner", join(root, "scripts/mutation/messages.mjs")],
    ignorers: ["messages"],
    coverageAnalysis: "perTest",
    concurrency: concurrency ?? Math.max(1, availableParallelism() - 1),
    incremental: true,
    incrementalFile,
    force: fresh,
    ignorePatterns: ["dist", "docs", "bench", "web", "bin", "coverage", "test/browser"],
    // Outside the working tree: linters, searches and Git never see the copies.
    tempDirName: join(tmpdir(), "logratio-mutation"),
    // A mutant that loops for ever is stopped by its count of turns; the clock is for the rest, and generous, so that a
    // busy machine does not make one.
    timeoutMS: 10_000,
    timeoutFactor: 4,
    // Vitest does not check types, and a mutant that breaks one still runs.
    disableTypeChecks: false,
    // Static mutants are slow, and meant: tables of settings and words are code that runs while a module loads.
    warnings: { unusedIgnorePatterns: false, preprocessorErrors: true, unknownOptions: true, slow: false },
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
    logLevel: "warn",
    cleanTempDir: "always",
  }).runMutationTest();
}

/** `file:line:column  Mutator: what was there → what it became`, for the mutants that nothing noticed. */
export function describeSurvivors(results) {
  const texts = new Map();
  const readLines = (file) => {
    if (!texts.has(file)) texts.set(file, readFileSync(file, "utf8").split("\n"));
    return texts.get(file);
  };
  return results
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(({ fileName, location: { start, end }, mutatorName, replacement, status }) => {
      const lines = readLines(join(root, relative(root, fileName))).slice(start.line - 1, end.line);
      lines.push(lines.pop().slice(0, end.column - 1));
      lines[0] = lines[0].slice(start.column - 1);
      const place = `${relative(root, fileName)}:${start.line}:${start.column}`;
      const uncovered = status === "NoCoverage" ? " (no test runs it)" : "";
      return `${place}  ${mutatorName}${uncovered}: ${shorten(lines.join(" "))} → ${shorten(replacement ?? "")}`;
    });
}

function shorten(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
