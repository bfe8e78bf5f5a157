/**
 * Detects damaged files of scores, as left by a full disk, a power cut or a bad copy.
 *
 * @module
 */
import { FormatError, fileSystemError, isLogratioError, isSystemError } from "../../../core/base/index.ts";
import { brokenChecksum } from "../../../input/readers/parquet/index.ts";
import { readKeys, type ScoresFileContents } from "./scores-file.ts";

/** A file whose scores are not used. */
export interface DamagedScores {
  readonly file: string;
  /** In words: "it is empty". */
  readonly why: string;
}

/**
 * The content of an intact file; undefined if there is none.
 *
 * @throws FileSystemError if it cannot be read
 */
export async function readSoundKeys(file: string): Promise<ScoresFileContents | DamagedScores | undefined> {
  try {
    const why = await brokenChecksum(file);
    return why === undefined ? await readKeys(file) : { file, why };
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    if (isSystemError(error)) throw fileSystemError(error, "read", { file });
    // Written without a checksum, or damaged at the place that records it.
    if (isLogratioError(error, "FormatError")) return { file, why: "it cannot be read" };
    throw error;
  }
}

/**
 * The keys of the texts that a file has scores for; none if there is no file.
 *
 * @throws FormatError if it differs from what was written
 */
export async function readScoredKeys(file: string): Promise<ReadonlySet<string>> {
  const found = await readSoundKeys(file);
  if (found === undefined || !("why" in found)) return new Set(found?.keys);
  throw new FormatError(`the scores in ${file} have changed since they were written: ${found.why}`, {
    at: { file },
    likely: "the disk was full, or the file was copied incompletely or edited",
    hint: "run logratio score again with the inputs of the study: only what is damaged is scored again",
  });
}
