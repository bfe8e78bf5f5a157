/** What a worker thread of `summarize-batches.ts` runs: one run summary, filled batch by batch and handed over once. */
import { ByteWriter } from "../../core/base/index.ts";
import { RunSummary } from "../report/index.ts";
import { answerTasks } from "./answer-tasks.ts";
import type { SummaryReply, SummaryTask } from "./messages.ts";
import { toBatch } from "./summary-columns.ts";

const summary = new RunSummary();

answerTasks<SummaryTask, SummaryReply>((task) => {
  if (task === "finish") {
    const bytes = new ByteWriter();
    summary.encode(bytes);
    return bytes.finish();
  }
  summary.add(toBatch(task.batch), task.batch.clusters, task.number);
  return null;
});
