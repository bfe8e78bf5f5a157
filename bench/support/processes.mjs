// Measures whole processes in wall time, processor time and memory, and finds a Python with the modules that they need.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const MEASURE = fileURLToPath(new URL("measure.py", import.meta.url));
const MAX_OUTPUT = 2 ** 29;

/** LOGRATIO_PYTHON and LOGRATIO_PEERS_PYTHON, which may have different packages, and the path's Pythons. */
const pythons = () =>
  [process.env.LOGRATIO_PYTHON, process.env.LOGRATIO_PEERS_PYTHON, "python3"].filter(Boolean);

/** The first Python that imports all of `modules`, with their versions; `{ missing }` says what was tried. */
export function findPython(modules) {
  // Some packages state their version only in their metadata, under the module's name.
  const script = [
    "import importlib, importlib.metadata, json",
    "version = lambda module: getattr(module, '__version__', None) or importlib.metadata.version(module.__name__)",
    `print(json.dumps([version(importlib.import_module(m)) for m in ${JSON.stringify(modules)}]))`,
  ].join("\n");
  for (const python of pythons()) {
    const probe = spawnSync(python, ["-c", script], { encoding: "utf8" });
    if (probe.status !== 0) continue;
    const versions = JSON.parse(probe.stdout);
    return { python, versions: modules.map((name, i) => `${name} ${versions[i]}`.trim()) };
  }
  const what = modules.length > 0 ? ` with ${modules.join(", ")}` : "";
  return {
    missing: `no Python${what} (tried ${pythons().join(", ")}); set LOGRATIO_PYTHON or LOGRATIO_PEERS_PYTHON`,
  };
}

/**
 * Runs a command to its end.
 *
 * @param launcher a Python; only its standard library is used
 * @returns `wall` and `cpu` in seconds, `peak` in bytes, and the texts `stdout` and `stderr`
 * @throws Error if the command fails
 */
export function measure(launcher, [command, ...rest], env = {}) {
  const { status, output, error } = spawnSync(launcher, [MEASURE, command, ...rest], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    maxBuffer: MAX_OUTPUT,
  });
  if (error !== undefined) throw error;
  const [, stdout, stderr, taken] = output;
  if (status !== 0) throw new Error(`${command} ${rest[0]} failed: ${stderr.trim().slice(-2000)}`);
  return { ...JSON.parse(taken), stdout, stderr };
}
