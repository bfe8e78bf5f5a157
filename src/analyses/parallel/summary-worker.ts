/** What a worker thread of `summarize-batches.ts` runs: one run summary, filled batch by batch and handed over once. */
import { RunSummary } from "../report/index.ts";
import { answerTasks } from "./answer-tasks.ts";
import type { SummaryReply, SummaryTask } from "./messages.ts";
import { takeSummary } from "./moved-summary.ts";
import { toBatch } from "./summary-columns.ts";

const summary = new RunSummary();

answerTasks<SummaryTask, SummaryReply>(
  (task) => {
    if (task === "finish") return takeSummary(summary);
    summary.add(toBatch(task.batch), task.batch.clusters, task.number);
    return null;
  },
  { moves: true },
);
