// Runs Stryker on folders.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { hasPropertyTests, listMutated, listTests } from "./folders.mjs";
import { SAMPLE_VARIABLE } from "./sample.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
// Ignored by git, and removed by `npm ci`.
const memory = join(root, "node_modules/.cache/mutation");

/**
 * Forgets results of mutants that no test ran, and of survivors in code that runs while a module loads. Stryker keeps a
 * result until the tests that cover the mutant change; such code is not covered by a named test, so a new test for it
 * would go unnoticed. Mutants outside the sample are drawn again, because moved code may be in it now.
 */
function forgetUncovered(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // The first run of a folder, or a previous one was stopped while it wrote: nothing is remembered.
    return;
  }
  for (const entry of Object.values(report.files)) {
    entry.mutants = entry.mutants.filter(
      ({ status, static: isStatic }) =>
        status !== "NoCoverage" && status !== "CompileError" && !(isStatic && status === "Survived"),
    );
  }
  writeFileSync(file, JSON.stringify(report));
}

/**
 * @param {readonly string[]} folders
 * @param {{ concurrency?: number, fresh?: boolean, sample?: { percent: number, seed: number } }} options
 * @returns the results, one for each mutant
 */
export async function runStryker(folders, { concurrency, fresh = false, sample }) {
  mkdirSync(memory, { recursive: true });
  const part = sample === undefined ? "" : `.${sample.percent}-${sample.seed}`;
  const incrementalFile = join(memory, `${nameMemory(folders)}${part}.json`);
  forgetUncovered(incrementalFile);
  // Read by test/mutation/vitest.config.ts in Stryker's own processes.
  process.env.MUTATION_TESTS = JSON.stringify([...new Set(folders.flatMap(listTests))]);
  process.env.MUTATION_PROPERTIES = folders.some(hasPropertyTests) ? "yes" : "no";
  // Read by scripts/mutation/hot: the tests that may notice a mutant, by its folder.
  process.env.MUTATION_HOLDERS = JSON.stringify(
    Object.fromEntries(folders.map((folder) => [folder, listTests(folder)])),
  );
  // Read by the checker in scripts/mutation/sample.mjs.
  process.env[SAMPLE_VARIABLE] = JSON.stringify(sample ?? { percent: 100, seed: 1 });
  return new Stryker({
    mutate: folders.flatMap(listMutated),
    testRunner: "hot",
    plugins: [
      join(root, "scripts/mutation/hot/plugin.mjs"),
      join(root, "scripts/mutation/messages.mjs"),
      join(root, "scripts/mutation/sample.mjs"),
    ],
    ignorers: ["messages"],
    checkers: sample === undefined ? [] : ["sample"],
    coverageAnalysis: "perTest",
    concurrency: concurrency ?? Math.max(1, availableParallelism() - 1),
    incremental: true,
    incrementalFile,
    force: fresh,
    ignorePatterns: ["dist", "docs", "bench", "web", "bin", "coverage", "test/browser"],
    // Outside the working tree, so that linters, searches and Git do not see the copies.
    tempDirName: join(tmpdir(), "logratio-mutation"),
    // A mutant that loops forever is stopped by its count of turns. The clock is for other cases, and generous, so that
    // a busy machine causes no timeout.
    timeoutMS: 10_000,
    // For the first run of all tests, which records what each reaches; on a busy machine, five minutes are not enough.
    dryRunTimeoutMinutes: 30,
    timeoutFactor: 4,
    // Vitest does not check types, and a mutant that breaks one still runs.
    disableTypeChecks: false,
    // Static mutants are slow but intended: tables of settings and words are code that runs while a module loads.
    warnings: { unusedIgnorePatterns: false, preprocessorErrors: true, unknownOptions: true, slow: false },
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
    logLevel: "warn",
    cleanTempDir: "always",
  }).runMutationTest();
}

function nameMemory(folders) {
  if (folders.length === 1) return folders[0].replaceAll("/", "-");
  return `together-${createHash("sha256").update(folders.join("\n")).digest("hex").slice(0, 12)}`;
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
