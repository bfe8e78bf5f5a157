/**
 * Lines that change files but that no scenario of an ordinary run reaches. All others are disturbed.
 *
 * @module
 */

export interface Excuse {
  /** The reason, or the test that disturbs them. */
  readonly why: string;
  /** Beginnings of `MODULE: LINE`, for built modules. */
  readonly lines: readonly string[];
  /** Whether scenarios of the long run reach them. */
  readonly isInLongRun?: true;
}

export const EXCUSED: readonly Excuse[] = [
  {
    why: "scenarios of the long run",
    isInLongRun: true,
    lines: [
      "apps/viewer/bundle/write-bundle.ts: makeDirectory(dirname(join(",
      "apps/viewer/bundle/write-bundle.ts: await writing(",
      "apps/viewer/bundle/write-bundle.ts: await writeFile(",
      "apps/viewer/bundle/write-bundle.ts: await rename(whole, before)",
      "apps/viewer/bundle/write-bundle.ts: await rename(made, whole)",
      "apps/viewer/bundle/write-bundle.ts: const written = pipeline(",
      "apps/viewer/kl/build-study.ts: ",
      "apps/viewer/kl/values-file.ts: ",
      "ingest/writing/corrected-arrays.ts: ",
      "input/readers/npz/write.ts: ",
    ],
  },
  {
    why: "repairs after another fault: the second faults of the long run meet them",
    lines: [
      "apps/serve/log/run-log.ts: await segment.file.truncate(",
      "apps/serve/store/run-store.ts: ",
      "input/batch-log/key-file.ts: await file.truncate(",
      "apps/viewer/bundle/write-bundle.ts: await rename(before, whole)",
      "apps/viewer/prepare/cache/cache-place.ts: await rm(",
      "input/io/scratch.ts: rmSync(",
      "study/scoring/store/lines-file.ts: await writeWholeFile(",
      "study/scoring/store/policy-scores.ts: await rm(",
    ],
  },
  {
    why: "the caller's line is disturbed: it returns the promise, so that it is on no stack",
    lines: [
      "apps/viewer/prepare/cache/cache-place.ts: return createScratch(place)",
      "apps/viewer/bundle/write-bundle.ts: return createScratch(",
    ],
  },
  {
    why: "synchronous, for a directory that is there already; where it is made, its line in input/io is disturbed",
    lines: [
      "apps/alerts/alert-watch.ts: makeDirectory(",
      "apps/serve/store/data-store.ts: makeDirectory(",
      "apps/viewer/bundle/write-bundle.ts: makeDirectory(dirname(whole))",
    ],
  },
  {
    why: "a run that grows while it is shown: src/apps/viewer/prepare/follow, test/view-signals.test.ts",
    lines: ["apps/viewer/prepare/cache/share-file.ts: ", "apps/viewer/prepare/follow/living-run.ts: "],
  },
  {
    why: "a file that is wanted whole or not at all, by the helper that is disturbed: test/full-disk.test.ts",
    lines: ["parts/answer-requests.ts: ", "apps/cli/commands/", "apps/figures/index.ts: "],
  },
  {
    why: "lines that are appended, each by itself whole or ignored: test/killed.test.ts, src/ingest/writing/jsonl-log.test.ts",
    lines: [
      "ingest/writing/jsonl-log.ts: ",
      "study/scoring/continuations/continuations-file.ts: ",
      "study/scoring/gradients/score-gradients.ts: ",
      "study/scoring/store/lines-file.ts: appendJsonl(",
      "study/scoring/write-results.ts: ",
    ],
  },
  {
    why: "below the temporary directory, for this process alone: test/scratch.test.ts",
    lines: [
      "analyses/analyze/database.ts: ",
      "apps/cli/on-ray.ts: ",
      "apps/viewer/prepare/sql/query-run.ts: ",
      "apps/viewer/server/dropped-files.ts: ",
      "apps/viewer/server/parquet-answer.ts: ",
      "ingest/open-document.ts: ",
      "input/remote/local-copy.ts: ",
    ],
  },
  {
    why: "a name's bytes of a file whose writer is disturbed",
    lines: ["input/readers/safetensors/write.ts: "],
  },
  {
    why: "a file system without hard links",
    lines: ["apps/serve/store/lock.ts: await writeFile(path, text"],
  },
  {
    why: "a segment that ends the sealing thread three times: src/apps/serve/seal/sealer.test.ts",
    lines: ["apps/serve/seal/find-fatal.ts: "],
  },
  { why: "standard output: test/full-disk.test.ts", lines: ["apps/cli/standard-streams.ts: "] },
];
