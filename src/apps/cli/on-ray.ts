/**
 * Parts made by a Ray cluster, through the Python package, which this program starts.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { UnsupportedError, UsageError } from "../../core/base/index.ts";
import { createScratch, onInterrupt } from "../../input/io/index.ts";
import { decidesSums, type PartKind } from "../../parts/index.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { printableLines } from "./messages.ts";
import { inputFlags } from "./read-run.ts";
import type { Terminal } from "./terminal.ts";

/** Flags that have no use on a cluster. */
const REFUSED: readonly string[] = ["explain", "threads"];

export interface OnRay {
  readonly on: string;
  /** Directory that keeps finished work. */
  readonly parts?: string;
}

/**
 * Has a cluster summarize a run for a verb.
 *
 * @param options flags of the verb; those that determine what is summed go to the workers
 * @param take receives the file of the merged part, which is removed when it returns, and whether shards were skipped
 * @returns the result of `take`, or how the work ended without a part
 */
export async function summarizeOnRay(
  kind: PartKind,
  paths: readonly string[],
  { on, parts, ...options }: OnRay,
  take: (part: string, wasSkipped: boolean) => Promise<ExitStatus>,
  terminal: Terminal,
): Promise<ExitStatus> {
  checkOptions(paths, options);
  const python = process.env.LOGRATIO_PYTHON || "python3";
  requirePackage(python);
  const scratch = await createScratch();
  // Ctrl-C also reaches Python, which ends its actors and then reports.
  const endListening = onInterrupt(() => {});
  try {
    const part = join(scratch.path, "run.lrs");
    const words = ["--for", kind, "--address", on, "--part", part];
    if (parts !== undefined) words.push("--parts", parts);
    words.push("--options", readInput(kind, options), "--", ...paths);
    const status = await runPython(python, words, terminal);
    if (status !== EXIT.fine && status !== EXIT.skipped) return status;
    return await take(part, status === EXIT.skipped);
  } finally {
    endListening();
    await scratch.remove();
  }
}

/** @throws UsageError if flags contradict each other, or have no meaning on a cluster */
function checkOptions(paths: readonly string[], options: object): void {
  const refused = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => REFUSED.includes(name) && value !== false),
  );
  if (Object.keys(refused).length > 0)
    throw new UsageError(`--on cannot be combined with ${inputFlags(refused, []).join(" ")}`, {
      hint: "leave it out: each core of the cluster reads shards on its own",
    });
  if (paths.includes("-"))
    throw new UsageError("--on reads paths that the cluster sees, not standard input", {
      hint: "write it to a file of a shared file system or an object store",
    });
}

/** What to read, in the form that `logratio.ray.summarize` takes. */
function readInput(kind: PartKind, options: object): string {
  const chosen = Object.entries(options).filter(([name]) => decidesSums(kind, name, options));
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return JSON.stringify(
    Object.fromEntries(
      chosen.map(([name, value]) => [snake(name), name === "batchTokens" ? Number(value) : value]),
    ),
  );
}

/** Prints the name of a missing package and exits with 0 if nothing is missing. */
const LOOK = `
from importlib.util import find_spec
print(next((name for name in ("logratio", "ray") if find_spec(name) is None), ""))
`;

/** @throws UnsupportedError if there is no such Python, or it lacks a package */
function requirePackage(python: string): void {
  const { error, status, stdout, stderr } = spawnSync(python, ["-c", LOOK], { encoding: "utf8" });
  const hint = `${python} -m pip install 'logratio[ray]', or name another Python: LOGRATIO_PYTHON=PATH`;
  if (error !== undefined)
    throw new UnsupportedError(`--on needs Python, and ${python} does not start: ${error.message}`, {
      likely: "Python is not installed, or not on the PATH",
      hint: "install Python with logratio[ray]; if it is not python3, set LOGRATIO_PYTHON=PATH",
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

/** Forwards its messages as they arrive. */
async function runPython(python: string, words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  const child = spawn(python, ["-m", "logratio.ray", ...words], { stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.setEncoding("utf8").on("data", (text: string) => terminal.err(printableLines(text)));
  const [status, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (status === null)
    throw new UnsupportedError(`${python} -m logratio.ray was killed by ${signal}`, {
      likely: "the machine ran out of memory, or someone killed it",
      hint: "--parts DIR keeps finished parts: the same command continues from them",
    });
  return (Object.values(EXIT) as number[]).includes(status) ? (status as ExitStatus) : EXIT.unreadable;
}
