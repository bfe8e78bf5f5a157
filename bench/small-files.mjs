// Reports of runs of many small files, one per step, as whole commands, compared with a script that opens the same
// files with NumPy and prints the same first screen.  npm run bench -- small-files [--format npz,jsonl]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMATS } from "./support/padded-run.mjs";
import { findPython, measure } from "./support/processes.mjs";
import { formatTable, median } from "./support/rounds.mjs";
import { writeSmallRun } from "./support/small-run.mjs";

const FILES = 10_000;
/** Files of a run that shows what a report costs before its first file. */
const FEW = 100;
const CONTAINERS = ["npz", "jsonl"];

const local = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = local("../bin/logratio.js");

export async function run({ quick, rounds = quick ? 1 : 3, format }) {
  const names = format?.split(",") ?? CONTAINERS;
  const unknown = names.filter((name) => !CONTAINERS.includes(name));
  if (unknown.length > 0)
    throw new Error(`--format knows ${CONTAINERS.join(", ")}; not ${unknown.join(", ")}`);
  const launcher = findPython([]);
  if (launcher.missing) throw new Error(`processes are measured from Python: ${launcher.missing}`);
  const numpy = findPython(["numpy"]);
  const notes = [numpy.missing ? `SKIPPED NumPy: ${numpy.missing}` : `NumPy: ${numpy.versions.join(", ")}`];
  const counts = quick ? [FEW, 1000] : [FEW, FILES];
  const results = [];
  const folder = mkdtempSync(join(tmpdir(), "bench-small-files-"));
  try {
    for (const name of names)
      for (const count of counts)
        results.push(await measureRun(name, count, { folder, launcher: launcher.python, numpy, rounds }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(results, rounds, notes);
}

async function measureRun(format, count, { folder, launcher, numpy, rounds }) {
  const written = await writeSmallRun(format, count, join(folder, String(count)));
  const command = [process.execPath, PROGRAM, "report", written.directory, "--threads", "1"];
  // Not timed: brings the files into the page cache, and gives the figures that the script must find.
  const { metrics } = JSON.parse(measure(launcher, [...command, "--json"]).stdout);
  if (metrics.tokens !== written.tokens || metrics.steps !== count)
    throw new Error(`${format}: ${metrics.tokens} tokens of ${metrics.steps} steps read`);
  const variants = [{ name: "logratio", samples: [], run: () => measure(launcher, [...command, "--brief"]) }];
  if (!numpy.missing) {
    const list = join(folder, "files.txt");
    writeFileSync(list, written.paths.join("\n"));
    const script = [numpy.python, local("peers/numpy_report.py"), list];
    variants.push({ name: "NumPy", samples: [], run: () => runScript(launcher, script, metrics) });
  }
  for (let round = 0; round < rounds; round++)
    for (const { samples, run } of variants) {
      const { wall, cpu, peak } = run();
      samples.push({ wall, cpu, peak });
    }
  return { label: FORMATS[format].label, files: count, tokens: written.tokens, variants };
}

/** The script's time without imports; its figures must equal the report's. */
function runScript(launcher, script, metrics) {
  const { wall, cpu, peak, stderr } = measure(launcher, script);
  const { figures, imports } = JSON.parse(stderr.trim().split("\n").at(-1));
  for (const key of ["sequences", "tokens", "delta_abs_mean", "delta_abs_max", "k3", "ess"]) {
    if (!(Math.abs(figures[key] - metrics[key]) <= 1e-3 * Math.abs(metrics[key])))
      throw new Error(`the script's ${key} is ${figures[key]}, the report's ${metrics[key]}`);
  }
  return { wall: wall - imports.wall, cpu: cpu - imports.cpu, peak };
}

const HEAD = ["", "files", "wall s", "CPU s", "CPU ms per file", "peak MB"];

function report(results, rounds, notes) {
  const rows = results.flatMap(({ label, files, variants }) =>
    variants.map(({ name, samples }) => {
      const [wall, cpu, peak] = ["wall", "cpu", "peak"].map((key) => median(samples.map((one) => one[key])));
      return [
        `${label}, ${name}`,
        files.toLocaleString("en"),
        wall.toFixed(2),
        cpu.toFixed(2),
        ((1000 * cpu) / files).toFixed(2),
        (peak / 1e6).toFixed(0),
      ];
    }),
  );
  const table = [HEAD, ...rows];
  const [{ files, tokens }] = results.slice(-1);
  const caption = `${Math.round(tokens / files)} tokens with mask 1 in each file, a step, in the page cache; one thread; medians of ${rounds} round${rounds === 1 ? "" : "s"}`;
  console.log(`${caption}\n\n${formatTable(table)}\n\n${notes.join("\n")}`);
  return { rounds, caption, table, notes, results };
}
