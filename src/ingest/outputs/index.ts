/**
 * The rule for all outputs of all verbs: inputs are never replaced, and files that logratio did not write are replaced
 * only if the user says so.
 *
 * Files are compared by device and inode, so a link to an input is that input. All checks run before anything is read.
 *
 * @module
 */
import type { Stats } from "node:fs";
import { CheckedOutputs } from "./checked-outputs.ts";
import type { OutputKind } from "./kinds.ts";

export { isLogLine, type OutputKind } from "./kinds.ts";

export interface OutputsOptions {
  /** Every path that the command reads, files and directories; `-` and missing paths are ignored. */
  readonly inputs: readonly string[];
  /** `--force`: files that logratio did not write may be replaced; inputs never are. */
  readonly force?: boolean | undefined;
}

/** Checks whether outputs may be written. Each method throws UsageError if not, and touches nothing. */
export interface Outputs {
  /**
   * A file to replace, or to append to for a log.
   *
   * @param flag names it in messages: `--html`
   * @throws FileSystemError or NotFoundError when its directory does not exist or is not writable
   */
  file(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** A directory that is written as a whole (a bundle), or files in it (a study, a cache). */
  directory(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** Only checks that the directory is not an input, not inside one, and does not replace a file. */
  folder(flag: string, path: string): Promise<void>;
  /** Whether a file, identified by device and inode once it is open, is an input. */
  isInput(stats: Pick<Stats, "dev" | "ino">): boolean;
}

export async function openOutputs({ inputs, force = false }: OutputsOptions): Promise<Outputs> {
  const checked = await CheckedOutputs.open(inputs, force);
  return {
    file: (flag, path, kind) => checked.file(flag, path, kind),
    directory: (flag, path, kind) => checked.directory(flag, path, kind),
    folder: (flag, path) => checked.folder(flag, path),
    isInput: (stats) => checked.isInput(stats),
  };
}
