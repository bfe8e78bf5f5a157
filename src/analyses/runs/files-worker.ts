/** Runs in a worker thread of `summarize-files.ts`: reads files of a run into evidence and returns it once. */
import { setMemoryLimit } from "../../core/base/index.ts";
import { readRunFile } from "../../ingest/index.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import { answerTasks } from "../parallel/answer-tasks.ts";
import { packError } from "../parallel/error-transport.ts";
import { takeEvidence } from "../parallel/moved-evidence.ts";
import { type FilesReply, type FilesTask, packOutcome } from "./file-messages.ts";
import { createFileMeter, failAt, isNeeded, isQueueStopped, takePlace } from "./file-queue.ts";
import { compileFilter } from "./filter-option.ts";
import { parseRunInput } from "./input-options.ts";
import { takeFiles } from "./take-files.ts";

answerTasks<FilesTask, FilesReply>(
  async ({ thread, queue, files, facts, input, memoryLimit }) => {
    setMemoryLimit(memoryLimit);
    const filter = await compileFilter(input);
    const options = parseRunInput(input);
    const evidence = new RunEvidence();
    const { outcomes, failure } = await takeFiles({
      next: () => takePlace(queue),
      read: (place) => readRunFile(files[place]!, options, facts, createFileMeter(queue, thread, place)),
      filter,
      evidence,
      isStopped: (place) => isQueueStopped(queue) || !isNeeded(queue, place),
      onFailed: (place) => failAt(queue, place),
    });
    return {
      outcomes: outcomes.map(([place, outcome]) => [place, packOutcome(outcome)] as const),
      failure: failure && { place: failure.place, error: packError(failure.error) },
      counts: filter && { ...filter.counts },
      evidence: takeEvidence(evidence),
    };
  },
  { moves: true },
);
