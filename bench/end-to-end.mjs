// Whole reports as a user runs them: processes from start to end, in wall time, processor time and memory. They are
// compared with the scripts that one would write instead (bench/peers), which print the same first screen, and with the
// floor: reading the same bytes and doing nothing with them.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COLUMNS, FORMATS, writeRun } from "./support/padded-run.mjs";
import { findPython, measure } from "./support/processes.mjs";
import { formatTable, median } from "./support/rounds.mjs";

const PEERS = {
  torch: { label: "NumPy + PyTorch", modules: ["numpy", "torch", "safetensors"] },
  polars: { label: "Polars", modules: ["polars", "numpy"] },
  duckdb: { label: "DuckDB", modules: ["duckdb", "numpy"] },
  pyarrow: { label: "pyarrow + NumPy", modules: ["pyarrow", "numpy"] },
};
/** How far a script's figure may be from the report's: float32 sums; quantiles of the report are within 1 %. */
const TOLERANCE = {
  sequences: 0,
  tokens: 0,
  delta_abs_mean: 1e-5,
  delta_abs_p99: 0.011,
  delta_abs_p999: 0.011,
  delta_abs_max: 1e-6,
  k3: 1e-3,
  prob_diff_max: 1e-5,
  pearson: 1e-6,
  ess: 1e-5,
};
/**
 * Millions of tokens that `--tokens` may ask for, with default rounds and formats: for one million, a format of each
 * kind. Generating all formats of the largest run takes an hour, and stream.mjs covers JSON lines of that size.
 */
const SIZES = {
  1: { rounds: 3, formats: ["npz", "parquet", "jsonl"] },
  10: { rounds: 3, formats: Object.keys(FORMATS) },
  100: { rounds: 1, formats: ["npz"] },
};

const local = (path) => fileURLToPath(new URL(path, import.meta.url));

export async function run({ quick, tokens: millions = 1, rounds: asked, format }) {
  const build = new URL("../dist/ingest/index.js", import.meta.url);
  if (!existsSync(build)) throw new Error("dist/ is missing: npm run build");
  if (SIZES[millions] === undefined)
    throw new Error(`--tokens needs one of ${Object.keys(SIZES).join(", ")} (millions), not ${millions}`);
  const rounds = asked ?? (quick ? 1 : SIZES[millions].rounds);
  const names = format?.split(",") ?? SIZES[millions].formats;
  const unknown = names.filter((name) => FORMATS[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`--format knows ${Object.keys(FORMATS).join(", ")}; not ${unknown.join(", ")}`);
  const launcher = findPython([]);
  if (launcher.missing) throw new Error(`processes are measured from Python: ${launcher.missing}`);

  const setting = { millions, rounds, launcher: launcher.python, ...(await import(build.href)) };
  setting.peers = findPeers(names.flatMap((name) => FORMATS[name].peers));
  const notes = Object.values(setting.peers).map(({ label, missing, versions }) =>
    missing ? `SKIPPED ${label}: ${missing}` : `${label}: ${versions.join(", ")}`,
  );
  for (const note of notes) console.log(note);
  const results = [];
  for (const name of names) {
    const measured = await measureFormat(FORMATS[name], setting, notes);
    if (measured !== undefined) results.push({ format: name, ...measured });
  }
  return { block: `end-to-end-${millions}`, ...report(results, setting, notes) };
}

function findPeers(wanted) {
  const chosen = Object.entries(PEERS).filter(([name]) => wanted.includes(name));
  return Object.fromEntries(
    chosen.map(([name, peer]) => [name, { name, ...peer, ...findPython(peer.modules) }]),
  );
}

async function measureFormat(format, setting, notes) {
  const { missing, python } = findPython(format.python ?? []);
  if (missing) {
    notes.push(`SKIPPED ${format.label}: it is written with ${missing}`);
    console.log(notes.at(-1));
    return undefined;
  }
  const directory = mkdtempSync(join(tmpdir(), "bench-end-to-end-"));
  try {
    const files = await writeRun(format, setting.millions, directory, { ...setting, python });
    // Not timed: brings the files into the page cache, and gives the figures that the scripts must find.
    const { stdout } = measure(setting.launcher, logratio(directory, 1, "--json"));
    const { metrics } = JSON.parse(stdout);
    if (metrics.tokens !== files.tokens)
      throw new Error(`${format.label}: ${metrics.tokens} tokens read, not ${files.tokens}`);
    const variants = listVariants(format, directory, files, setting, metrics);
    for (let round = 0; round < setting.rounds; round++)
      for (const variant of variants) variant.samples.push(variant.run());
    print(format.label, variants);
    return { label: format.label, tokens: files.tokens, sequences: metrics.sequences, variants };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function logratio(directory, threads, ...flags) {
  const program = [process.execPath, local("../bin/logratio.js"), "report", directory];
  return [...program, "--threads", String(threads), ...flags];
}

/** The readers in the order of a round: the report, then what it is compared with. */
function listVariants(format, directory, files, { launcher, peers }, metrics) {
  const counts = [...new Set([1, availableParallelism()])];
  const take = ({ wall, cpu, peak }) => ({ wall, cpu, peak });
  const variant = (name, threads, run) => ({ name, threads, samples: [], run });
  const reports = counts.map((threads) =>
    variant("logratio", threads, () => take(measure(launcher, logratio(directory, threads, "--brief")))),
  );
  const floor = [process.execPath, local("support/floor.mjs"), format.floor, ...files.paths];
  const floors = [variant(`floor: ${format.floor}`, 1, () => take(measure(launcher, floor)))];
  const scripts = format.peers
    .map((name) => peers[name])
    .filter(({ missing }) => !missing)
    .flatMap((peer) =>
      counts.map((threads) =>
        variant(peer.label, threads, () => runPeer(peer, threads, format, files, launcher, metrics)),
      ),
    );
  return [...reports, ...floors, ...scripts];
}

/** A script's time without imports, which are not its author's fault; its figures must equal the report's. */
function runPeer({ name, label, python }, threads, format, { paths }, launcher, metrics) {
  const columns = (format.columns ?? COLUMNS).join(",");
  const script = [python, local(`peers/${name}_report.py`), String(threads), columns, ...paths];
  const { wall, cpu, peak, stderr } = measure(launcher, script, { POLARS_MAX_THREADS: String(threads) });
  const { figures, imports } = JSON.parse(stderr.trim().split("\n").at(-1));
  for (const [key, tolerance] of Object.entries(TOLERANCE)) {
    if (!(Math.abs(figures[key] - metrics[key]) <= tolerance * Math.abs(metrics[key])))
      throw new Error(`${label}, ${format.label}: ${key} is ${figures[key]}, the report's ${metrics[key]}`);
  }
  return { wall: wall - imports.wall, cpu: cpu - imports.cpu, peak };
}

const middle = (variant, key) => median(variant.samples.map((sample) => sample[key]));

/** The median over rounds of one variant's time as a multiple of another's in the same round. */
function ratio(variant, base, key) {
  return median(variant.samples.map((sample, round) => sample[key] / base.samples[round][key]));
}

const THREADS = availableParallelism();
const MEASURES = ["wall s", "CPU s", "peak MB"];
const HEAD = [
  "",
  ...MEASURES,
  ...(THREADS > 1 ? MEASURES.map((name) => `${name}, ${THREADS} threads`) : []),
  "wall to logratio",
  "CPU to logratio",
];

/** A row for each reader: with one thread and with all, and its ratios to the report with one thread. */
function tableRows({ label, variants }) {
  const of = (name, threads) => variants.find((one) => one.name === name && one.threads === threads);
  const cells = (variant) =>
    variant === undefined
      ? MEASURES.map(() => "")
      : [
          middle(variant, "wall").toFixed(2),
          middle(variant, "cpu").toFixed(2),
          (middle(variant, "peak") / 1e6).toFixed(0),
        ];
  const ours = of("logratio", 1);
  return variants
    .filter(({ threads }) => threads === 1)
    .map((variant) => [
      `${label}, ${variant.name}`,
      ...cells(variant),
      ...(THREADS > 1 ? cells(of(variant.name, THREADS)) : []),
      ...["wall", "cpu"].map((key) =>
        variant === ours ? "" : `${ratio(variant, ours, key).toPrecision(3)}×`,
      ),
    ]);
}

function print(label, variants) {
  console.log(`\n${formatTable([HEAD, ...tableRows({ label, variants })])}`);
}

function report(results, { rounds, peers }, notes) {
  if (results.length === 0) throw new Error("no format could be measured");
  const [{ tokens, sequences }] = results;
  const torch = peers.torch?.versions?.find((name) => name.startsWith("torch "))?.slice("torch ".length);
  const table = [HEAD, ...results.flatMap(tableRows)];
  const caption = `${tokens.toLocaleString("en")} tokens with mask 1 in ${sequences.toLocaleString("en")} sequences, files in the page cache; medians of ${rounds} round${rounds === 1 ? "" : "s"}`;
  console.log(`\n${caption}`);
  return { tokens, sequences, rounds, torch, caption, table, notes, results };
}
