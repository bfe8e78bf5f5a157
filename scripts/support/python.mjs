// Virtual environments for the tests of the Python package, the documentation's site and the conda recipe, made once for
// each list of requirements and kept in the user's cache, where a fresh clone finds them, too.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./build-state.mjs";
import { runCommand } from "./steps.mjs";

const HOME = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "logratio");
/** Milliseconds after which a slow registry counts as unavailable. */
const MOST_MS = 900_000;
const isWindows = process.platform === "win32";

/** What each environment installs, in order: a file and pip's flags for it. */
const LISTS = {
  tests: [["python/tests/requirements.txt"]],
  trainers: [
    ["python/tests/requirements.txt"],
    ["python/tests/requirements-trainers.txt"],
    ["python/tests/requirements-trainers-no-deps.txt", "--no-deps"],
  ],
  site: [["site/requirements.txt"]],
  conda: [["python/conda/requirements.txt"]],
  sentinel: [["python/tests/requirements.txt"], ["sentinel/requirements.txt"]],
};

/**
 * The Python of one of our environments; for the tests, LOGRATIO_PYTHON if set.
 *
 * @param {"tests" | "trainers" | "site" | "conda" | "sentinel"} name
 * @returns {Promise<{ python?: string, skipped?: string }>} `skipped` says why there is none
 */
export async function preparePython(name) {
  if (["tests", "trainers"].includes(name) && process.env.LOGRATIO_PYTHON)
    return { python: process.env.LOGRATIO_PYTHON };
  const lists = LISTS[name].map(([file, ...flags]) => [join(ROOT, file), ...flags]);
  const found = await runCommand([
    "python3",
    "-c",
    "import sys, venv; print(sys.version_info[:2] >= (3, 11))",
  ]);
  if (!found.ok) return { skipped: "there is no python3 with venv (LOGRATIO_PYTHON names another)" };
  if (found.said.trim() !== "True")
    return { skipped: "python3 is older than 3.11 (LOGRATIO_PYTHON names another)" };
  const version = await runCommand(["python3", "-VV"]);
  const hash = createHash("sha256").update(version.said);
  for (const [file] of lists) hash.update(readFileSync(file));
  const folder = join(HOME, `python-${name}-${hash.digest("hex").slice(0, 12)}`);
  const python = join(folder, isWindows ? "Scripts/python.exe" : "bin/python");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return { python };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  const pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const commands = [
    ["python3", "-m", "venv", folder],
    ...lists.map(([file, ...flags]) => [...pip, ...flags, "-r", file]),
  ];
  for (const command of commands) {
    const { ok, said } = await runCommand(command, { timeout: MOST_MS });
    if (!ok)
      return {
        skipped: `${command.join(" ")} failed: ${said.trim().split("\n").at(-1) || "it took too long"}`,
      };
  }
  writeFileSync(complete, "");
  return { python };
}
