/**
 * Gives all tests a temporary directory of their own, and fails the run if a test leaves something there.
 *
 * @module
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What `os.tmpdir()` reads; workers and what they start inherit it. */
const VARIABLES = ["TMPDIR", "TEMP", "TMP"];
/**
 * Files of other programs: Node's compiled code, profiles that a killed browser leaves, Node's empty logs, files that
 * onnxruntime and PyTorch keep; and the viewer's caches of runs whose own directory is not writable.
 */
const FOREIGN =
  /^(?:node-compile-cache|v8-compile-cache|jiti|\.?org\.chromium\.|\.com\.google\.Chrome|rust_mozprofile|mat-debug-\d+\.log$|\.ses$|logratio-view$|torchinductor_)/;

export default function setUp(): () => void {
  // Short, since it holds sockets, whose paths are limited to 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "lr-"));
  // Some tests run as another user.
  chmodSync(folder, 0o755);
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = folder;
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    const left = readdirSync(folder).filter((name) => !FOREIGN.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    // Vitest prints what a teardown throws, but exits with status 0.
    process.exitCode = 1;
    throw new Error(
      `tests left ${left.length} of their files in the temporary directory: ${left.sort().join(", ")}. Whoever makes one removes it: test/support/temporary-folder.ts`,
    );
  };
}
