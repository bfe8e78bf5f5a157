// npm run mutation [-- [FOLDER…] [--write] [--sample PERCENT [--seed N]] [--together] [--concurrency N] [--fresh]]:
// changes the source in small ways, one at a time, and checks whether the folder's tests notice. Fails if a folder's
// score is below the one on record. If the score on record is that of a sample, the same sample is measured again;
// --sample 100 tries all mutants. --together loads the code of all folders once.
// With --page it only rewrites the table, for folders that were added, removed or renamed.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { listFolders, selectFolders } from "./mutation/folders.mjs";
import { describeSurvivors, runStryker } from "./mutation/run-stryker.mjs";
import { parseSample } from "./mutation/sample.mjs";
import { countResults, findFall, mergeScores, replaceTable, writeTable } from "./mutation/scores.mjs";

const pathTo = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const record = pathTo("test/mutation/scores.json");
const page = pathTo("docs/mutation.md");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    concurrency: { type: "string" },
    together: { type: "boolean", default: false },
    sample: { type: "string" },
    seed: { type: "string" },
  },
});

const all = listFolders();
const chosen = positionals.length === 0 ? all : [...new Set(positionals.flatMap(selectFolders))];
if (chosen.length === 0) {
  console.error(
    `No folder that is measured is named by ${positionals.join(", ")}. These are:\n${all.join("\n")}`,
  );
  process.exit(2);
}
const concurrency = values.concurrency === undefined ? undefined : Number(values.concurrency);
if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1)) {
  console.error(`--concurrency must be a whole number from 1, not ${values.concurrency}`);
  process.exit(2);
}
let asked;
try {
  asked = values.sample === undefined ? undefined : parseSample(values.sample, values.seed);
} catch (error) {
  console.error(error.message);
  process.exit(2);
}

const readScores = () => JSON.parse(readFileSync(record, "utf8"));
const writeScores = (scores) => {
  writeFileSync(record, `${JSON.stringify(scores, null, 2)}\n`);
  writeFileSync(page, replaceTable(readFileSync(page, "utf8"), writeTable(scores, all)));
};
if (values.page) {
  writeScores(mergeScores(readScores(), {}, all));
  process.exit(0);
}

const falls = [];
const groups = values.together ? [chosen] : chosen.map((folder) => [folder]);
for (const folders of groups) {
  const start = Date.now();
  const sample = values.sample === undefined ? readScores()[folders[0]]?.sample : asked;
  const results = await runStryker(folders, { concurrency, fresh: values.fresh, sample });
  const minutes = ((Date.now() - start) / 60_000).toFixed(1);
  for (const folder of folders) {
    const own = results.filter(({ fileName }) => fileName.includes(`/${folder}/`));
    report(folder, own, sample && { percent: sample.percent, seed: sample.seed }, minutes);
  }
}

/** Writes results after each folder, so that a stopped run keeps what it has measured. */
function report(folder, results, sample, minutes) {
  const score = countResults(
    results.map(({ status }) => status),
    sample,
  );
  const survivors = describeSurvivors(results);
  if (survivors.length > 0) console.log(`\n${survivors.join("\n")}`);
  console.log(
    `\n${folder}: ${score.score} % of ${score.mutants} mutants (${minutes} min) ${JSON.stringify(score)}\n`,
  );
  const recorded = readScores();
  const fall = findFall(folder, recorded[folder], score);
  if (fall !== undefined) falls.push(fall);
  if (!values.write) return;
  if (sample !== undefined && recorded[folder] !== undefined && recorded[folder].sample === undefined) {
    console.error(`${folder}: not written, for the score on record counts every mutant`);
    return;
  }
  // A lower score is written, too, so that the diff shows the change; the run still fails.
  writeScores(mergeScores(recorded, { [folder]: score }, all));
}
for (const fall of falls) console.error(fall);
process.exit(falls.length > 0 ? 1 : 0);
