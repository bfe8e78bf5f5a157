/**
 * Small runs written for one test each, and caches that go with them.
 *
 * @module
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const DEMO = fileURLToPath(new URL("../../../../examples/demo/stale", import.meta.url));
export const DEMO_TOKENIZER = fileURLToPath(new URL("../../../../examples/demo/tokenizer", import.meta.url));

export interface Workspace {
  readonly folder: string;
  path(name: string): string;
  /** A JSONL file of sequences; what is not said has a default. */
  run(name: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<string>;
  remove(): Promise<void>;
}

export async function workspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), "view"));
  const path = (name: string): string => join(folder, name);
  return {
    folder,
    path,
    async run(name, rows) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), rows.map(line).join(""));
      return path(name);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export function line(row: Readonly<Record<string, unknown>>): string {
  const defaults = {
    response_ids: [1, 2, 3],
    response_mask: [1, 1, 1],
    rollout_log_probs: [-1, -2, -3],
    old_log_probs: [-1.5, -2, -2.5],
  };
  return `${JSON.stringify({ ...defaults, ...row })}\n`;
}
