/**
 * A Python with the trainers in it, for the tests that run their code: `LOGRATIO_PYTHON` names one, else `python3`.
 * `test/exporters/requirements.txt` has the versions.
 *
 * @module
 */
import { spawnSync } from "node:child_process";

export const PYTHON = process.env.LOGRATIO_PYTHON ?? "python3";

/** Threads of two libraries on few cores slow each other down; nothing may be fetched. */
export const PYTHON_ENV = { OMP_NUM_THREADS: "1", HF_HUB_OFFLINE: "1", TOKENIZERS_PARALLELISM: "false" };

/**
 * Whether Python lacks a module, said out loud: for `describe.skipIf(lacksPython(["trl"], "…"))`. Looks for the modules
 * without running them: that takes torch ten seconds.
 *
 * @param what is not tested then
 */
export function lacksPython(modules: readonly string[], what: string): boolean {
  const code = `import importlib.util as u, sys; sys.exit(" ".join(m for m in sys.argv[1:] if u.find_spec(m) is None) or 0)`;
  const { status, stderr } = spawnSync(PYTHON, ["-c", code, ...modules], { encoding: "utf8" });
  if (status === 0) return false;
  const missing = status === null ? `${PYTHON} does not start` : `${PYTHON} has no ${stderr.trim()}`;
  console.warn(`SKIPPED: ${what}: ${missing}; LOGRATIO_PYTHON names one that has`);
  return true;
}
