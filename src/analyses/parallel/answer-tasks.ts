import { parentPort } from "node:worker_threads";
import { packError } from "./error-transport.ts";
import type { Answer, Question } from "./messages.ts";
import { moveArrays } from "./move-arrays.ts";

/**
 * Makes this thread answer what `startThread` asks: with what `handle` returns, or with the error that it throws.
 *
 * @param moves whether arrays of an answer are moved, so that they are empty here afterwards, and not copied
 */
export function answerTasks<Task, Reply>(
  handle: (task: Task) => Reply | Promise<Reply>,
  { moves = false }: { readonly moves?: boolean } = {},
): void {
  parentPort?.on("message", async ({ id, task }: Question<Task>) => {
    let answer: Answer<Reply>;
    let moved: readonly ArrayBuffer[] = [];
    try {
      const reply = await handle(task);
      if (moves) {
        const { value, buffers } = moveArrays(reply);
        answer = { id, reply: value };
        moved = buffers;
      } else answer = { id, reply };
    } catch (error) {
      answer = { id, error: packError(error) };
    }
    parentPort?.postMessage(answer, moved);
  });
}
