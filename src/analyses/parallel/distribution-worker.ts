/** What a worker thread of `distribution-pool.ts` runs. */
import { answerTasks } from "./answer-tasks.ts";
import { takeRows } from "./distribution-pool.ts";
import type { DistributionReply, DistributionTask } from "./messages.ts";

answerTasks<DistributionTask, DistributionReply>(takeRows);
