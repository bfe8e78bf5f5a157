/**
 * A study of checkpoints made ready for the viewer.
 *
 * @module
 */
import { join } from "node:path";
import { NotFoundError } from "../../../core/base/index.ts";
import { isPresent } from "../../../input/io/index.ts";
import {
  type AnalyzeProgress,
  readAnalysisConfig,
  readManifest,
  readStoredConfig,
} from "../../../study/scoring/index.ts";
import {
  type CacheNotice,
  cachePlaces,
  dropOldCaches,
  makeCache,
  openCache,
  publishCache,
} from "../prepare/cache/cache-place.ts";
import { buildStudy } from "./build-study.ts";
import { openStudy, type PreparedStudy } from "./prepared-study.ts";
import { studyInputs } from "./study-inputs.ts";

export interface PrepareStudyOptions {
  /** Where to keep caches instead of in the study's directory. */
  readonly cache?: string;
  /** No texts, only token ids. */
  readonly redact?: "text";
  /** Receives a line about a cache that could not be used. */
  readonly onNotice?: CacheNotice;
  readonly onProgress?: (progress: AnalyzeProgress) => void;
  readonly signal?: AbortSignal;
}

/** Whether a path is the directory of a study. */
export function isStudy(path: string): boolean {
  return isPresent(join(path, "study.json"));
}

/**
 * A study (a directory written by `logratio score` or `logratio kl`) with all answers of the viewer ready, analyzed
 * with the settings it was scored with. They are kept in a hidden folder in the study's directory, or in the user's
 * cache directory if that is not writable; as long as the study's files have the same sizes and times, nothing is
 * analyzed again. Nothing else is written.
 *
 * @throws what `analyzeStudy` throws for such a directory
 */
export async function prepareStudy(dir: string, options: PrepareStudyOptions = {}): Promise<PreparedStudy> {
  const { cache, signal, onProgress, onNotice } = options;
  const redact = options.redact === "text";
  const manifest = await readManifest(dir);
  if (manifest === undefined) {
    throw new NotFoundError(`${dir} is not a study: it has no study.json`, {
      at: { file: dir },
      hint: "give the directory that logratio score wrote",
    });
  }
  const { analysis, outcomes } = readAnalysisConfig(await readStoredConfig(dir), undefined);
  const { key, version } = await studyInputs(dir, manifest, outcomes, redact);
  const places = await cachePlaces([dir], cache);
  const name = `${key}-${version}`;
  const reuse = (directory: string): Promise<PreparedStudy> => openStudy(directory, { reused: true });
  const known = await openCache(places, name, reuse, onNotice);
  if (known !== undefined) return known;
  const build = (directory: string): Promise<void> =>
    buildStudy(directory, dir, manifest, version, {
      analysis,
      outcomes,
      redact,
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress }),
    });
  const { temporary } = await makeCache(places, build, onNotice);
  try {
    const directory = await publishCache(temporary, name);
    const study = await openStudy(directory, { reused: false });
    await dropOldCaches(directory, key);
    return study;
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}
