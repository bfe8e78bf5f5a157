// node bench/referee.mjs CASES…, or npm run bench -- referee --cases FOLDER: asks logratio's doctor and other tools, each
// through its own door, what is wrong with the same recorded runs, whose faults are known (the laboratory's; lab/README.md
// makes them). bench/referee.py hands each tool all that it can use; bench/support/referee-claims.mjs says what its
// diagnoses mean.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readAnswer } from "../scripts/score-doctor.mjs";
import { findPython, measure } from "./support/processes.mjs";
import { CLAIMS } from "./support/referee-claims.mjs";
import { answerOf, score } from "./support/referee-score.mjs";
import { formatTable } from "./support/rounds.mjs";

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = local("../bin/logratio.js");
const SCRIPT = local("referee.py");
const MODULES = ["martingale", "rl_doctor", "rlprobe", "pyarrow"];
/** The other tools, with the label and the claims of each. */
const OTHERS = {
  martingale_live: "martingale, live alarms",
  martingale: "martingale, doctor and recompute",
  rldoctor: "rldoctor",
  rlprobe: "rlprobe",
};
const OURS = "logratio doctor";

export async function run({ cases: folders = [], quick = false }) {
  const cases = folders.flatMap(listCases).filter((_, index) => !quick || index % 10 === 0);
  const found = findPython(MODULES);
  const missing =
    cases.length === 0
      ? "no recorded runs with known faults; lab/README.md makes them, --cases FOLDER names them"
      : found.missing;
  if (missing !== undefined) {
    console.log(`SKIPPED: ${missing}`);
    return undefined;
  }
  console.log(found.versions.join(", "));
  const runs = [];
  for (const one of cases) {
    runs.push({ ...one, answers: askAll(one, found.python) });
    process.stderr.write(`\r${runs.length} of ${cases.length} runs`);
  }
  process.stderr.write("\n");
  return report(runs, found.versions);
}

function listCases(folder) {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "truth.json")))
    .sort()
    .map((name) => ({
      name,
      data: join(folder, name, "data"),
      truth: JSON.parse(readFileSync(join(folder, name, "truth.json"), "utf8")),
    }));
}

/** What each tool says of a run, with its processor time in seconds. */
function askAll({ data, truth }, python) {
  const work = mkdtempSync(join(tmpdir(), "referee-"));
  try {
    const ours = measure(python, [process.execPath, CLI, "doctor", data, "--json"]);
    const answers = { logratio: { answer: readAnswer(JSON.parse(ours.stdout)), cpu: ours.cpu } };
    const record = join(work, "record.parquet");
    measure(python, [process.execPath, CLI, "convert", data, "--out", record]);
    const { findings, cpu } = JSON.parse(measure(python, [python, SCRIPT, "record", record, work]).stdout);
    answers.martingale_live = { findings, cpu };
    for (const tool of ["martingale", "rldoctor", "rlprobe"]) {
      const asked = measure(python, [python, SCRIPT, tool, work]);
      answers[tool] = { findings: JSON.parse(asked.stdout), cpu: asked.cpu };
    }
    for (const tool of Object.keys(OTHERS))
      answers[tool].answer = answerOf(answers[tool].findings, CLAIMS[tool], truth);
    return answers;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function report(runs, versions) {
  const of = (tool) => runs.map(({ truth, answers }) => ({ truth, ...answers[tool] }));
  const ours = score(of("logratio"));
  const hidden = runs.length - ours.sound - ours.faulty;
  const table = [
    [
      "tool",
      "alarm, sound run",
      "alarm, faulty run",
      "cause right",
      "causes in an answer",
      "cause right, of what it names",
      "logratio's, of the same",
      "CPU per run",
    ],
    row(OURS, ours, ""),
  ];
  for (const [tool, label] of Object.entries(OTHERS)) {
    const theirs = score(of(tool), CLAIMS[tool]);
    const same = score(of("logratio"), CLAIMS[tool]);
    table.push(row(label, theirs, String(same.namedRight)));
  }
  console.log(formatTable(table));
  return {
    page: "doctor.md",
    caption: `${runs.length} runs of the laboratory: ${ours.sound} sound, ${ours.faulty} with a fault that the data show, ${hidden} with one that they do not, which count for nobody`,
    table,
    notes: [versions.join(", ")],
    runs: runs.map(({ name, truth, answers }) => ({ name, causes: truth.causes, answers })),
  };
}

function row(label, figures, same) {
  const of = (part, whole) => `${part} of ${whole}`;
  return [
    label,
    of(figures.falseAlarms, figures.sound),
    of(figures.alarms, figures.faulty),
    of(figures.right, figures.faulty),
    figures.size.toFixed(0),
    of(figures.namedRight, figures.named),
    same,
    `${figures.cpu.toFixed(1)} s`,
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folders = process.argv.slice(2);
  await run({ cases: folders });
}
