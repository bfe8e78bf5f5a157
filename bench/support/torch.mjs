import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * A Python with PyTorch: LOGRATIO_PYTHON, else python3 on the path. @returns `{ python, version }` or `{ missing }`.
 */
export function findTorch() {
  const python = process.env.LOGRATIO_PYTHON ?? "python3";
  const probe = spawnSync(python, ["-c", "import torch; print(torch.__version__)"], { encoding: "utf8" });
  if (probe.status === 0) return { python, version: probe.stdout.trim() };
  return { missing: `${python} has no PyTorch; set LOGRATIO_PYTHON to a Python that has` };
}

/**
 * A Python process (bench/SCRIPT) that holds the columns as tensors and times one way of summing them per request.
 *
 * @returns `{ measure(what), close() }`; measure resolves to `{ seconds, figures }`.
 */
export async function startTorch({ python, folder, threads, columns, script = "torch_metrics.py" }) {
  const child = spawn(
    python,
    [fileURLToPath(new URL(`../${script}`, import.meta.url)), folder, String(threads), String(columns)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} ended before it answered`);
    return JSON.parse(value);
  };
  await answer();
  return {
    measure(what) {
      child.stdin.write(`${what}\n`);
      return answer();
    },
    close() {
      child.stdin.end();
    },
  };
}
