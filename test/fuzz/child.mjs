// Reads the files that its parent names, one after another, with the built verbs (run `npm run build` first). Replies
// with what went wrong, if anything, and with the most memory that it used.
import { readFileSync, writeFileSync } from "node:fs";
import { analyze } from "../../dist/apps/cli/commands/analyze.js";
import { correct } from "../../dist/apps/cli/commands/correct.js";
import { report } from "../../dist/apps/cli/commands/report.js";
import { formatError } from "../../dist/apps/cli/messages.js";
import { readStudy, readStudyConfig } from "../../dist/study/scoring/index.js";

const MISTAKE = /this is a mistake in logratio|bug:/;

function openTerminal() {
  const texts = { out: "", err: "" };
  return {
    texts,
    width: 100,
    color: false,
    unicode: true,
    interactive: false,
    progress: false,
    paint: (_, text) => text,
    out: (text) => {
      texts.out += text;
    },
    err: (text) => {
      texts.err += text;
    },
  };
}

/** What a user would see: the exit status, undefined if an error ended it, and all messages. */
async function watch(verb) {
  const terminal = openTerminal();
  try {
    const status = await verb(terminal);
    return { status, tag: undefined, ...terminal.texts };
  } catch (error) {
    const tag = error?._tag;
    const said = tag === undefined ? String(error?.stack ?? error) : formatError(error, terminal);
    const stack = tag === undefined || tag === "UnexpectedError" ? String(error?.cause?.stack ?? "") : "";
    return { tag: tag ?? "none", ...terminal.texts, err: `${terminal.texts.err}${said}\n${stack}` };
  }
}

function problemOf(name, { tag, out, err }) {
  if (tag === "none") return `${name}: an error without a tag: ${err}`;
  if (MISTAKE.test(err) || MISTAKE.test(out)) return `${name}: a mistake of ours: ${err.slice(-3000)}`;
  return undefined;
}

const metricsOf = ({ out }) => JSON.stringify(JSON.parse(out).metrics);

async function reportOf({ path, good, beside }) {
  const alone = await watch((terminal) => report([path], {}, terminal));
  const problem = problemOf("report", alone);
  if (problem !== undefined || !beside) return { problem, tag: alone.tag };
  const [sound, both] = [
    await watch((terminal) => report([good], { json: true }, terminal)),
    await watch((terminal) => report([good, path], { json: true }, terminal)),
  ];
  let wrong = problemOf("beside a good file", both);
  if (both.tag !== undefined) wrong ??= `beside a good file: it ended the run: ${both.err}`;
  // A file from which nothing is read must not change the figures of the other.
  else if (alone.tag !== undefined && alone.tag !== "EmptyInputError" && metricsOf(sound) !== metricsOf(both))
    wrong ??= `beside a good file: the figures of the good one are others: ${both.err}`;
  return { problem: wrong, tag: alone.tag };
}

async function run(task) {
  const { verb, path } = task;
  if (verb === "report") return reportOf(task);
  const outcome = await watch(async (terminal) => {
    if (verb === "analyze") return analyze([path], {}, terminal);
    if (verb === "lint") return correct([], { lint: path }, terminal);
    await readStudy(await readStudyConfig(path), "out", path);
    return 0;
  });
  return { problem: problemOf(verb, outcome), tag: outcome.tag };
}

/** Peak of resident bytes since the last call with `reset`; without /proc, since the start. */
function peak() {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return 1024 * process.resourceUsage().maxRSS;
  }
}

function resetPeak() {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not Linux: the peak only grows, so a parent that compares it with the base is all the stricter.
  }
}

const unhandled = [];
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => unhandled.push(`nobody caught: ${error?.stack ?? error}`));
}

process.on("message", async (task) => {
  resetPeak();
  const { problem, tag } = await run(task);
  await new Promise(setImmediate);
  process.send({
    problem: problem ?? unhandled.shift(),
    tag,
    peak: peak(),
    resident: process.memoryUsage.rss(),
  });
});
process.send({ ready: true, resident: process.memoryUsage.rss() });
