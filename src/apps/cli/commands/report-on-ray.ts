import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { mergeParts, reportPart } from "../../../analyses/parts/index.ts";
import { inputWasSkipped } from "../../../analyses/report/index.ts";
import { parseParity } from "../../../analyses/runs/index.ts";
import { shellCommand, UnsupportedError, UsageError } from "../../../core/base/index.ts";
import { openOutputs } from "../../../input/ingest/index.ts";
import { createScratch, onInterrupt } from "../../../input/io/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { inputFlags } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { printMerged } from "./merge.ts";
import type { ReportOptions } from "./report.ts";

export interface OnRayOptions extends ReportOptions {
  readonly on: string;
  readonly parts?: string;
}

/** Flags of the report itself, which is made here. The others choose what is read, and go to the workers. */
const OWN_FLAGS = ["on", "parts", "json", "markdown", "html", "force", "parity", "brief", "full", "memory"];
/** What the cluster has no use for. */
const REFUSED = ["explain", "threads"] as const;

/** Has a Ray cluster summarize a run, and prints the report of what comes back. */
export async function reportOnRay(
  paths: readonly string[],
  options: OnRayOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  checkOptions(paths, options);
  const { on, parts, html, parity } = options;
  const trainers = parseParity((parity ?? "").split(","));
  const outputs = await openOutputs({ inputs: [], force: options.force });
  if (html !== undefined) await outputs.file("--html", html, "report page");
  const python = process.env.LOGRATIO_PYTHON || "python3";
  requirePackage(python);
  const scratch = await createScratch();
  // Ctrl-C reaches Python by itself, which ends its actors and then tells.
  const endListening = onInterrupt(() => {});
  try {
    const part = join(scratch.path, "run.lrs");
    const words = ["--address", on, "--part", part, ...(parts === undefined ? [] : ["--parts", parts])];
    const status = await runPython(
      python,
      [...words, "--options", readInput(options), "--", ...paths],
      terminal,
    );
    if (status !== EXIT.fine && status !== EXIT.skipped) return status;
    const report = reportPart(await mergeParts([part]), { parity: trainers });
    const command = shellCommand("report", paths, inputFlags(options, ["json", "markdown", "html", "force"]));
    await printMerged(report, command, options, terminal);
    return status === EXIT.skipped || inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
  } finally {
    endListening();
    await scratch.remove();
  }
}

/** @throws UsageError when flags contradict each other, or say nothing about a cluster */
function checkOptions(paths: readonly string[], options: OnRayOptions): void {
  const refused = REFUSED.filter((name) => options[name] !== undefined && options[name] !== false);
  if (refused.length > 0)
    throw new UsageError(`--on cannot be combined with ${inputFlags(pick(options, refused), []).join(" ")}`, {
      hint: "leave it out: each core of the cluster reads shards by itself",
    });
  if (paths.includes("-"))
    throw new UsageError("--on reads paths that the cluster sees, not standard input", {
      hint: "write it to a file of a shared file system or an object store",
    });
}

function pick(options: OnRayOptions, names: readonly (keyof OnRayOptions)[]): object {
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}

/** What is read, as `logratio.ray.summarize` takes it. */
function readInput(options: OnRayOptions): string {
  const chosen = Object.entries(options).filter(([name]) => !OWN_FLAGS.includes(name));
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return JSON.stringify(
    Object.fromEntries(
      chosen.map(([name, value]) => [snake(name), name === "batchTokens" ? Number(value) : value]),
    ),
  );
}

/** Ends with how many of the packages are there: a name, and 0 when nothing is missing. */
const LOOK = `
from importlib.util import find_spec
print(next((name for name in ("logratio", "ray") if find_spec(name) is None), ""))
`;

/** @throws UnsupportedError when there is no such Python, or it lacks a package */
function requirePackage(python: string): void {
  const { error, status, stdout, stderr } = spawnSync(python, ["-c", LOOK], { encoding: "utf8" });
  const hint = `${python} -m pip install 'logratio[ray]', or name another Python: LOGRATIO_PYTHON=PATH`;
  if (error !== undefined)
    throw new UnsupportedError(`--on is run by Python, and ${python} does not start: ${error.message}`, {
      likely: "Python is not installed, or not on the path",
      hint: "install Python with logratio[ray], and name it where it is not python3: LOGRATIO_PYTHON=PATH",
      cause: error,
    });
  const missing = status === 0 ? stdout.trim() : "";
  if (status === 0 && missing === "") return;
  const last = stderr.trim().split("\n").at(-1) ?? "";
  throw new UnsupportedError(
    status === 0 ? `--on needs ${missing}, which ${python} does not have` : `${python} fails: ${last}`,
    { hint },
  );
}

/** Its messages are passed on as they come. */
async function runPython(python: string, words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  const child = spawn(python, ["-m", "logratio.ray", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.setEncoding("utf8").on("data", (text: string) => terminal.err(text));
  const [status, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (status === null)
    throw new UnsupportedError(`${python} -m logratio.ray was ended by ${signal}`, {
      likely: "the machine ran out of memory, or somebody ended it",
      hint: "--parts DIR keeps what is done: the same command goes on from there",
    });
  return (Object.values(EXIT) as number[]).includes(status) ? (status as ExitStatus) : EXIT.unreadable;
}
