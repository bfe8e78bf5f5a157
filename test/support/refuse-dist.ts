/**
 * A unit test that reads the build tests outdated sources. Here every access to the build throws, and fails the test
 * file even if the error is caught.
 *
 * @module
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import workerThreads from "node:worker_threads";
import { afterAll } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOREIGN = [join(ROOT, "dist"), join(ROOT, "bin")];
const READS = ["existsSync", "readFileSync", "readdirSync", "statSync", "openSync", "createReadStream"];
const PROMISED_READS = ["access", "readFile", "readdir", "stat", "open"];
const STARTS = ["spawn", "spawnSync", "execFile", "execFileSync", "fork"];
const WATCHED = Symbol.for("logratio.refuse-dist");

type Callable = (this: unknown, ...args: unknown[]) => unknown;

/** The place in the build that this argument names, if any. */
function findPlace(argument: unknown): string | undefined {
  if (Array.isArray(argument)) return argument.map(findPlace).find((place) => place !== undefined);
  const isPath = typeof argument === "string" || argument instanceof URL;
  if (!isPath || (argument instanceof URL && argument.protocol !== "file:")) return undefined;
  const path = argument instanceof URL ? fileURLToPath(argument) : resolve(argument);
  return FOREIGN.some((folder) => path === folder || path.startsWith(folder + sep)) ? path : undefined;
}

const seen: string[] = [];

function refuse(args: readonly unknown[]): void {
  const place = args.map(findPlace).find((path) => path !== undefined);
  if (place === undefined) return;
  const problem = `${place} is read by a unit test: move the test to test/, where tests of the build are`;
  seen.push(problem);
  throw new Error(problem);
}

function watch(holder: object, names: readonly string[]): void {
  const functions = holder as Record<string, Callable & { [WATCHED]?: true }>;
  for (const name of names) {
    const original = functions[name]!;
    // Files that share a worker each get here once.
    if (original[WATCHED]) continue;
    const watched = function (this: unknown, ...args: unknown[]): unknown {
      refuse(args.slice(0, 2));
      return original.apply(this, args);
    };
    functions[name] = Object.assign(watched, original, { [WATCHED]: true as const });
  }
}

watch(fs, READS);
watch(fs.promises, PROMISED_READS);
watch(childProcess, STARTS);
workerThreads.Worker = class extends workerThreads.Worker {
  constructor(...args: ConstructorParameters<typeof workerThreads.Worker>) {
    refuse(args.slice(0, 1));
    super(...args);
  }
};
syncBuiltinESMExports();

afterAll(() => {
  const [first] = seen.splice(0);
  if (first !== undefined) throw new Error(first);
});
