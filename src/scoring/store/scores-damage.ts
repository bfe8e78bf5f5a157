/**
 * Detects damaged files of scores: after a full disk, a power cut, a bad copy.
 *
 * @module
 */
import { FormatError, fileSystemError, isLogratioError, isSystemError } from "../../core/base/index.ts";
import { brokenChecksum } from "../../input/readers/parquet/index.ts";
import { readKeys, type ScoresFileContents } from "./scores-file.ts";

/** A file whose scores are not used. */
export interface DamagedScores {
  readonly file: string;
  /** In words: "it is empty". */
  readonly why: string;
}

/**
 * The content of an intact file; undefined where there is none.
 *
 * @throws FileSystemError where it cannot be read
 */
export async function readSoundKeys(file: string): Promise<ScoresFileContents | DamagedScores | undefined> {
  try {
    const why = await brokenChecksum(file);
    return why === undefined ? await readKeys(file) : { file, why };
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    if (isSystemError(error)) throw fileSystemError(error, "read", { file });
    // Written without a checksum, or damaged where the checksum is recorded.
    if (isLogratioError(error, "FormatError")) return { file, why: "it cannot be read" };
    throw error;
  }
}

/** @throws FormatError where a file is not what was written, unless it is not there */
export async function checkScores(file: string): Promise<void> {
  const found = await readSoundKeys(file);
  if (found === undefined || !("why" in found)) return;
  throw new FormatError(`the scores in ${file} have changed since they were written: ${found.why}`, {
    at: { file },
    likely: "the disk was full, or the file was copied incompletely or edited",
    hint: "run logratio score again with the inputs of the study: only what is damaged is scored again",
  });
}
