// npm run bench [-- NAME…] [--quick] [--rounds N] [--trainers] [--document]: runs bench/NAME.mjs (all of them without
// names), prints their tables, and writes bench/out/NAME.json; with --document also into docs/benchmarks.md. Data is
// seeded; figures are medians over rounds in which the variants take turns, so that a busy machine slows all of them
// alike. Compare ratios, not seconds. end-to-end also takes --tokens 1|10|100 (millions) and --format NAME,NAME; prepare
// --tokens 1|4|10; verbs --tokens 1|10; stream --tokens N,N; small-files --format NAME,NAME; referee --cases FOLDER, as
// often as there are folders.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fillBlock, markdownTable } from "./support/document.mjs";
import { machine } from "./support/machine.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    trainers: { type: "boolean", default: false },
    document: { type: "boolean", default: false },
    tokens: { type: "string" },
    format: { type: "string" },
    cases: { type: "string", multiple: true },
  },
});

const folder = new URL(".", import.meta.url);
const known = readdirSync(folder)
  .filter((name) => name.endsWith(".mjs") && name !== "run.mjs")
  .map((name) => name.slice(0, -4))
  .sort();
const chosen = positionals.length > 0 ? positionals : known;
const unknown = chosen.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  process.exit(2);
}
const options = {
  quick: flags.quick,
  rounds: flags.rounds === undefined ? undefined : Number(flags.rounds),
  trainers: flags.trainers,
  tokens: flags.tokens,
  format: flags.format,
  cases: flags.cases,
};
if (options.rounds !== undefined && !(Number.isInteger(options.rounds) && options.rounds > 0)) {
  console.error(`--rounds needs a positive whole number, not ${flags.rounds}`);
  process.exit(2);
}

if (flags.document && (options.quick || options.format !== undefined)) {
  console.error("--document needs a whole run, without --quick and --format");
  process.exit(2);
}

const host = machine();
console.log(`${host.cpu}, ${host.threads} threads, Node ${host.node}${options.quick ? ", quick run" : ""}`);
mkdirSync(new URL("out/", folder), { recursive: true });
for (const name of chosen) {
  console.log(`\n${name}`);
  const { run, page = "benchmarks.md" } = await import(new URL(`${name}.mjs`, folder).href);
  const results = await run(options);
  // It has said what it lacks; the figures of an earlier run stay.
  if (results === undefined) continue;
  // A benchmark of several sizes has a table for each.
  const { block = name } = results;
  writeFileSync(
    new URL(`out/${block}.json`, folder),
    `${JSON.stringify({ benchmark: name, date: new Date().toISOString(), machine: host, options, ...results }, null, 2)}\n`,
  );
  if (flags.document) {
    const torch = results.torch === undefined ? "no PyTorch" : `PyTorch ${results.torch}`;
    const where = `${host.cpu}, ${host.threads} cores, ${host.memoryGiB} GiB, ${host.platform}; Node ${host.node}, ${torch}; ${new Date().toISOString().slice(0, 10)}, load before it ${host.load.toFixed(1)}.`;
    const notes = results.notes.map((note) => `* ${note}`).join("\n");
    const parts = [where, `${results.caption}.`, markdownTable(results.table), notes].filter(
      (part) => part !== "",
    );
    fillBlock(new URL(`../docs/${page}`, folder), block, parts.join("\n\n"));
  }
}
