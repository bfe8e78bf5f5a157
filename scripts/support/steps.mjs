// Runs checks as steps: several at a time, with a line for each when it ends, and the output of failed ones below.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { ROOT } from "./build-state.mjs";

/** How many steps run at once: at least two, because one may be waiting for a disk or a registry. */
const AT_ONCE = Math.max(2, availableParallelism());

/**
 * Runs a command and resolves with whether it succeeded and all its output; with `live` it prints by itself. It is
 * ended after `timeout` milliseconds.
 */
export function runCommand([command, ...args], { env = {}, cwd = ROOT, live = false, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...(live ? {} : { NO_COLOR: "1", FORCE_COLOR: undefined }), ...env },
      stdio: live ? "inherit" : ["ignore", "pipe", "pipe"],
      timeout,
    });
    let said = "";
    for (const stream of live ? [] : [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    child.on("error", (error) => resolve({ ok: false, said: error.message }));
    child.on("close", (status) => resolve({ ok: status === 0, said }));
  });
}

/** Runs a script or a tool of node_modules with this Node. */
export const runNode = (args, options) => runCommand([process.execPath, ...args], options);

/**
 * Runs steps in order, `atOnce` at a time. A step is `[name, run]`; `run` resolves with `ok`, `said`, and optionally a
 * `note` for its line or `skipped`, the reason why it did not run.
 *
 * @returns the number that passed, and the names of those that failed or were skipped
 */
export async function runSteps(steps, { atOnce = AT_ONCE } = {}) {
  const waiting = [...steps];
  const failures = [];
  const skipped = [];
  async function work() {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const [name, run] = step;
      const start = Date.now();
      const { ok, said = "", note, skipped: reason } = await run();
      const seconds = `${((Date.now() - start) / 1000).toFixed(1)} s`;
      if (reason !== undefined) {
        skipped.push(name);
        console.log(`SKIPPED ${name}: ${reason}`);
      } else {
        console.log(`${ok ? "ok  " : "FAIL"} ${name} (${[seconds, note].filter(Boolean).join(", ")})`);
        if (!ok) failures.push({ name, said });
        else if (/^SKIPPED/m.test(said)) console.log(said.match(/^SKIPPED.*$/gm).join("\n"));
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  for (const { name, said } of failures) if (said !== "") console.log(`\n── ${name} ──\n${said.trim()}`);
  return {
    passed: steps.length - failures.length - skipped.length,
    failed: failures.map(({ name }) => name),
    skipped,
  };
}
