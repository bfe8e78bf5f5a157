import { spawn } from "node:child_process";

const LIMIT_MS = 30_000;

/**
 * Runs a command with an alert as JSON on its standard input. No shell reads the words.
 *
 * @throws Error if it does not start, or does not exit with status 0 within thirty seconds
 */
export function runCommand(words: readonly string[], body: string, signal: AbortSignal): Promise<void> {
  const [program, ...args] = words as [string, ...string[]];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      shell: false,
      stdio: ["pipe", "ignore", "ignore"],
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      killSignal: "SIGKILL",
    });
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(error.name === "AbortError" ? "stopped after 30 s" : (error.code ?? error.message)));
    });
    child.once("close", (status, killed) => {
      if (status === 0) resolve();
      else reject(new Error(killed === null ? `ended with status ${status}` : `ended by ${killed}`));
    });
    // A command that does not read its input closes the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(body);
  });
}
