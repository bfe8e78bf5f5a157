// Writes python/logratio/results.py: what --json prints as typed dicts, made from the types of src/results and
// src/study/results, so that they are declared once. With --check it writes nothing and fails if the file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readDeclarations } from "./python-results/declarations.mjs";
import { writeModule } from "./python-results/module.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const file = join(root, "python/logratio/results.py");

/** What each verb prints: the file and the type. */
const PRINTED = [
  ["src/results/report.ts", "MismatchReport"],
  ["src/results/series.ts", "SeriesReport"],
  ["src/results/policy.ts", "PolicyReport"],
  ["src/results/doctor.ts", "DoctorReport"],
  ["src/results/compare.ts", "CompareReport"],
  ["src/results/sweep.ts", "SweepReport"],
  ["src/results/correct.ts", "CorrectReport"],
  ["src/results/divergence.ts", "DivergenceReport"],
  ["src/results/digits.ts", "DigitsReport"],
  ["src/results/gate.ts", "GateReport"],
  ["src/results/show.ts", "ShowReport"],
  ["src/study/results/score.ts", "ScoreReport"],
  ["src/study/results/report.ts", "KlReport"],
];

const written = writeModule(readDeclarations(root, PRINTED));
const isStale = readFileSync(file, "utf8") !== written;
if (process.argv.includes("--check")) {
  if (isStale)
    console.error(
      "python/logratio/results.py is not what src/results declares: node scripts/python-results.mjs",
    );
  process.exit(isStale ? 1 : 0);
}
if (isStale) writeFileSync(file, written);
console.log(`python/logratio/results.py: ${isStale ? "written" : "as it was"}`);
