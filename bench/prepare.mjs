// What a run costs before the page can show all of it: `logratio view` of a verl run without a cache, from its start to
// the first and to the last state that an open page shows, in wall time, processor time and memory, on one processor
// and on all.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { FORMATS, writeRun } from "./support/padded-run.mjs";
import { formatTable, median } from "./support/rounds.mjs";

/** Millions of tokens. */
const SIZES = [1, 4, 10];
/** Milliseconds between requests for the server's state. */
const LOOK_MS = 20;
/** Ticks per second of the processor times in /proc, which Linux gives in hundredths of a second. */
const TICKS = 100;
/** Seconds in which two processors should prepare a run of the largest size. */
const GOAL = 2;

const PROGRAM = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));

export async function run({ quick, tokens, rounds = quick ? 1 : 3 }) {
  if (!existsSync("/proc/self/stat"))
    throw new Error("processes are measured through /proc, which is not here");
  const sizes = tokens === undefined ? (quick ? SIZES.slice(0, 1) : SIZES) : [Number(tokens)];
  if (!sizes.every((size) => SIZES.includes(size)))
    throw new Error(`--tokens needs one of ${SIZES.join(", ")} (millions), not ${tokens}`);
  const results = [];
  for (const millions of sizes) results.push(await measureSize(millions, rounds));
  const table = [HEAD, ...results.flatMap(tableRows)];
  const caption = `verl npz files of a million tokens each, in the page cache; medians of ${rounds} round${rounds === 1 ? "" : "s"}`;
  const notes = [`the goal for 10 million tokens is ${GOAL} s to the whole run on two processors`];
  console.log(`${caption}\n\n${formatTable(table)}\n\n${notes.join("\n")}`);
  return { rounds, caption, table, results, notes };
}

async function measureSize(millions, rounds) {
  const directory = mkdtempSync(join(tmpdir(), "bench-prepare-"));
  try {
    const data = join(directory, "run");
    const { tokens } = await writeRun(FORMATS.npz, millions, data, {});
    const variants = [...new Set([1, availableParallelism()])].map((processors) => ({
      processors,
      samples: [],
    }));
    for (let round = 0; round < rounds; round++)
      for (const { processors, samples } of variants)
        samples.push(await measureView(data, processors, { tokens, cache: join(directory, "cache") }));
    return { tokens, variants };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Seconds to the first state that has tokens and to the whole run, seconds of processor time, and most bytes. */
async function measureView(data, processors, { tokens, cache }) {
  rmSync(cache, { recursive: true, force: true });
  const began = performance.now();
  const child = spawn(
    ...onProcessors(processors, [process.execPath, PROGRAM, "view", data, "--cache", cache]),
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const url = await findAddress(child);
    void openPage(url);
    let first;
    for (;;) {
      const state = await readState(new URL("api/run", url), child);
      const seconds = (performance.now() - began) / 1000;
      if (state.kind === "view-run") first ??= seconds;
      if (state.status === "ready") {
        if (state.tokens !== tokens) throw new Error(`${state.tokens} tokens prepared, not ${tokens}`);
        return { first, whole: seconds, ...readUsage(child.pid) };
      }
      await sleep(LOOK_MS);
    }
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}

/** Acts as a page, because the server only makes intermediate states if there is one to see them. */
async function openPage(url) {
  try {
    const { body } = await fetch(new URL("api/events", url));
    for await (const _ of body);
  } catch {
    // The server has ended.
  }
}

/** Reads the state; retries if a connection was closed while it waited for a busy server. */
async function readState(address, child) {
  while (child.exitCode === null) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer !== undefined) return answer.json();
    await sleep(LOOK_MS);
  }
  throw new Error(`logratio view ended with status ${child.exitCode}`);
}

/** The stream stays open, because a program that cannot print ends. */
function findAddress(child) {
  return new Promise((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (data) => {
      out += data;
      const [url] = /^http:\S+$/m.exec(out) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("exit", (status) => reject(new Error(`logratio view ended with status ${status}: ${out}`)));
  });
}

function readUsage(pid) {
  // After the program's name, which may contain spaces, user and system time are the 12th and 13th word.
  const words = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return { cpu: (Number(words[11]) + Number(words[12])) / TICKS, peak: 1024 * Number(peak) };
}

/** One processor means only the first; `taskset` then becomes the program. */
function onProcessors(count, words) {
  const all = [...words, "--port", "0", "--no-open", "--no-token"];
  const [command, ...rest] = count === 1 ? ["taskset", "-c", "0", ...all] : all;
  return [command, rest];
}

const HEAD = [
  "",
  "processors",
  "first state, s",
  "whole run, s",
  "CPU s",
  "peak MB",
  "CPU s per million tokens",
];

function tableRows({ tokens, variants }) {
  return variants.map(({ processors, samples }) => {
    const middle = (key) => median(samples.map((sample) => sample[key]));
    return [
      `${(tokens / 1e6).toFixed(1)} million tokens`,
      String(processors),
      middle("first").toFixed(2),
      middle("whole").toFixed(2),
      middle("cpu").toFixed(2),
      (middle("peak") / 1e6).toFixed(0),
      (middle("cpu") / (tokens / 1e6)).toFixed(2),
    ];
  });
}
