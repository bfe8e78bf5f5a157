/** Runs in a worker thread of `summarize-batches.ts`: fills evidence batch by batch and returns it once. */
import { RunEvidence } from "../evidence/run-evidence.ts";
import { answerTasks } from "./answer-tasks.ts";
import type { SummaryReply, SummaryTask } from "./messages.ts";
import { takeEvidence } from "./moved-evidence.ts";
import { toBatch } from "./summary-columns.ts";

const evidence = new RunEvidence();

answerTasks<SummaryTask, SummaryReply>(
  (task) => {
    if (task === "finish") return takeEvidence(evidence);
    evidence.add(toBatch(task.batch), task.batch.clusters, task.number);
    return null;
  },
  { moves: true },
);
