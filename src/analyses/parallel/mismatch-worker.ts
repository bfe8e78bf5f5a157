/** What a worker thread of `mismatch-pool.ts` runs: one table per task. */
import { mismatchSums } from "../../core/kernels/index.ts";
import { answerTasks } from "./answer-tasks.ts";
import type { MismatchReply, MismatchTask } from "./messages.ts";

answerTasks<MismatchTask, MismatchReply>(({ block, turns, engine }) =>
  mismatchSums(block, { turns, engine }),
);
