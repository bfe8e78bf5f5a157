// How long the program takes to respond: from the start of a process to the first byte that it prints, and to its end,
// for `--help` and the demo, compared with only Node. LOGRATIO_NODES may name other Nodes to run them with, separated
// by colons.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { formatTable, median } from "./support/rounds.mjs";

const PROGRAM = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));
const COMMANDS = [
  { label: "Node alone", words: ["--print", "1"] },
  { label: "--help", words: [PROGRAM, "--help"], goal: 80 },
  { label: "demo", words: [PROGRAM, "demo"], goal: 400 },
];
const HEAD = ["", "first byte, ms", "least", "end, ms", "least", "goal, ms"];

export async function run({ quick, rounds = quick ? 3 : 25 }) {
  const nodes = [process.execPath, ...(process.env.LOGRATIO_NODES ?? "").split(":").filter(Boolean)];
  const variants = nodes.flatMap((node) => {
    const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
    return COMMANDS.map((command) => ({ ...command, node, version, samples: [] }));
  });
  // The first round brings the files into the page cache.
  for (let round = -1; round < rounds; round++)
    for (const { node, words, samples } of variants) {
      const sample = await timeStart(node, words);
      if (round >= 0) samples.push(sample);
    }
  const rows = variants.map(({ label, version, samples, goal }) => {
    const times = ["first", "end"].flatMap((key) => {
      const values = samples.map((sample) => sample[key]);
      return [median(values).toFixed(0), Math.min(...values).toFixed(0)];
    });
    return [`Node ${version.slice(1)}, ${label}`, ...times, goal === undefined ? "" : String(goal)];
  });
  const table = [HEAD, ...rows];
  const caption = `From the start of the process, its files in the page cache; medians and least of ${rounds} rounds. The goals are for the first byte`;
  console.log(`${caption}\n\n${formatTable(table)}`);
  return { rounds, caption, table, notes: [], results: variants };
}

/** Milliseconds to the first byte on standard output, and to the end. */
function timeStart(node, words) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(node, words, { stdio: ["ignore", "pipe", "ignore"] });
    let first;
    child.stdout.on("data", () => {
      first ??= performance.now() - began;
    });
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0 && first !== undefined) resolve({ first, end: performance.now() - began });
      else reject(new Error(`${words.join(" ")} ended with status ${status}`));
    });
  });
}
