// The arithmetic of the ratchet, and the table in docs/mutation.md, made from the record.
import { estimateInterval } from "./sample.mjs";

const FIELDS = ["mutants", "killed", "timeout", "survived", "noCoverage", "score"];
const START =
  "<!-- scores: `npm run mutation -- --write` makes this table from test/mutation/scores.json -->";
const END = "<!-- end of scores -->";

/** Percent of the mutants that a test noticed, rounded down to a tenth: 85.0 is never less than 85 %. */
function scorePercent(detected, mutants) {
  return mutants === 0 ? 100 : Math.floor((1000 * detected) / mutants) / 10;
}

/**
 * Counts the results of one folder. Mutants that were left out on purpose or do not run are not counted. For a sample,
 * the result includes an interval for the whole folder's score.
 */
export function countResults(statuses, sample) {
  const count = (status) => statuses.filter((one) => one === status).length;
  const [killed, timeout, survived, noCoverage] = ["Killed", "Timeout", "Survived", "NoCoverage"].map(count);
  const detected = killed + timeout;
  const mutants = detected + survived + noCoverage;
  const counts = { mutants, killed, timeout, survived, noCoverage, score: scorePercent(detected, mutants) };
  return sample === undefined
    ? counts
    : { ...counts, sample: { ...sample, ...estimateInterval(detected, mutants) } };
}

/**
 * What is wrong with a folder's new score compared with the one on record; nothing if it has not fallen. A sample is
 * compared with the same sample mutant by mutant, and with any other measurement only as far as chance does not explain
 * the difference.
 */
export function findFall(folder, recorded, measured) {
  if (recorded === undefined || !isLower(recorded, measured)) return undefined;
  return `${folder}: ${measured.score} % of its mutants are noticed, ${recorded.score} % are on record`;
}

function isLower(recorded, measured) {
  const { sample: one } = recorded;
  const { sample: other } = measured;
  if (one?.percent === other?.percent && one?.seed === other?.seed) return measured.score < recorded.score;
  return (other?.high ?? measured.score) < (one?.low ?? recorded.score);
}

/** The record with new measurements, in the given order of folders; removed folders are left out. */
export function mergeScores(recorded, measured, folders) {
  const known = { ...recorded, ...measured };
  return Object.fromEntries(
    folders.filter((folder) => known[folder] !== undefined).map((folder) => [folder, known[folder]]),
  );
}

function writeScore({ score, sample }) {
  const percent = `${score.toFixed(1)} %`;
  if (sample === undefined) return percent;
  return `${percent} (${sample.low.toFixed(1)} to ${sample.high.toFixed(1)}; ${sample.percent} % drawn, seed ${sample.seed})`;
}

/** The table of the page, with a line for each folder, measured or not. */
export function writeTable(scores, folders) {
  const cell = (score, field) => (field === "score" ? writeScore(score) : `${score[field]}`);
  const rows = folders.map((folder) => {
    const score = scores[folder];
    const cells =
      score === undefined ? ["", "", "", "", "", "not measured"] : FIELDS.map((f) => cell(score, f));
    return `| \`${folder}\` | ${cells.join(" | ")} |`;
  });
  return [
    "| folder | mutants | killed | timeout | survived | no coverage | score |",
    "|---|--:|--:|--:|--:|--:|--:|",
    ...rows,
  ].join("\n");
}

/** The page with its table replaced. */
export function replaceTable(page, table) {
  const start = page.indexOf(START);
  const end = page.indexOf(END);
  if (start < 0 || end < start) throw new Error("docs/mutation.md has no place for the table of scores");
  return `${page.slice(0, start)}${START}\n\n${table}\n\n${page.slice(end)}`;
}
