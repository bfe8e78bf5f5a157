/**
 * The one rule for what is written, whichever verb writes it: nothing that is read is ever replaced, and nothing that
 * logratio did not write is replaced unless the user says so.
 *
 * Files are compared by what they are (device and inode), so a link to an input is that input. All is asked before
 * anything is read.
 *
 * @module
 */
import type { Stats } from "node:fs";
import { CheckedOutputs } from "./checked-outputs.ts";
import type { OutputKind } from "./kinds.ts";

export { isLogLine, type OutputKind } from "./kinds.ts";

export interface OutputsOptions {
  /** Every path that the command reads: files and directories; `-` and what does not exist are passed over. */
  readonly inputs: readonly string[];
  /** `--force`: foreign files may be replaced; inputs never are. */
  readonly force?: boolean | undefined;
}

/** Asks whether an output may be written. Each throws UsageError where it may not, and touches nothing. */
export interface Outputs {
  /**
   * A file that is replaced, or for a log appended to.
   *
   * @param flag names it in messages: `--html`
   * @throws FileSystemError or NotFoundError where its directory is not there or may not be written to
   */
  file(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** A directory that is written as a whole (a bundle), or files in it (a study, a cache). */
  directory(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** Only whether the directory is, or lies in, one that is read, or would replace a file. */
  folder(flag: string, path: string): Promise<void>;
  /** A file that is only known once it is open, as device and inode. */
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
