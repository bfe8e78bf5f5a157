import { parentPort } from "node:worker_threads";
import { packError } from "./error-transport.ts";
import type { Answer, Question } from "./messages.ts";
import { moveArrays } from "./move-arrays.ts";

/**
 * Makes this thread answer the tasks of `startThread` with the value of `handle`, or with the error it throws.
 *
 * @param moves whether arrays of an answer are moved, which leaves them empty here, rather than copied
 */
export function answerTasks<Task, Reply>(
  handle: (task: Task) => Reply | Promise<Reply>,
  { moves = false }: { readonly moves?: boolean } = {},
): void {
  parentPort?.on("message", async ({ id, task }: Question<Task>) => {
    let answer: Answer<Reply>;
    let buffers: readonly ArrayBuffer[] = [];
    try {
      const value = await handle(task);
      const reply = moves ? moveArrays(value) : { value, buffers };
      answer = { id, reply: reply.value };
      buffers = reply.buffers;
    } catch (error) {
      answer = { id, error: packError(error) };
    }
    parentPort?.postMessage(answer, buffers);
  });
}
