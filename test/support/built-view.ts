/**
 * The built command line, wherever it was built, and viewers of runs.
 *
 * @module
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { PROGRAM, type RunningView, startView } from "../../bench/support/view-server.mjs";
import { LAB } from "./shared-data.ts";

export { DEMO, DEMO_FLAGS } from "./demo.ts";

export const INT8 = `${LAB}int8/npz`;
export const INT8_FLAGS = ["--tokenizer", `${LAB}ckpt/tokenizer`];

export const hasLab = existsSync(INT8);

/** Warns visibly that tests are skipped. */
export function warnWithoutLab(what: string): void {
  if (!hasLab) console.warn(`SKIPPED: ${what}: the lab's int8 run is not at ${INT8}`);
}

/** What the built command line prints for these words, as JSON. */
export async function printed<T>(...words: string[]): Promise<T> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [PROGRAM, ...words], {
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout) as T;
}

export interface Workplace {
  readonly folder: string;
  /** Serves a run; caches are kept in the folder, not next to the data. */
  readonly serve: (...words: readonly string[]) => Promise<RunningView>;
  /** The same with a token in the address, as users have it. */
  readonly serveWithToken: (...words: readonly string[]) => Promise<RunningView>;
  /** Ends everything that was started, and removes the folder. */
  readonly leave: () => Promise<void>;
}

export async function workplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), "logratio-view-"));
  const servers: RunningView[] = [];
  const prepared = inject("demoCache");
  if (prepared !== undefined) await cp(prepared, join(folder, "cache"), { recursive: true });
  const start = async (words: readonly string[], token: boolean): Promise<RunningView> => {
    const server = await startView([...words, "--cache", join(folder, "cache")], { token });
    servers.push(server);
    return server;
  };
  return {
    folder,
    serve: (...words) => start(words, false),
    serveWithToken: (...words) => start(words, true),
    leave: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
