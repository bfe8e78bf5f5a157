/** What a worker thread of `mismatch-pool.ts` runs: one table per task. */
import { parentPort } from "node:worker_threads";
import { mismatchSums } from "../kernels/mismatch.ts";
import type { MismatchReply, MismatchTask } from "./messages.ts";

parentPort?.on("message", (task: MismatchTask) => {
  const { id, block, turns, engine } = task;
  let reply: MismatchReply;
  try {
    reply = { id, table: mismatchSums(block, { turns, engine }) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
