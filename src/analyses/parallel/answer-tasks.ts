import { parentPort } from "node:worker_threads";
import { packError } from "./error-transport.ts";
import type { Answer, Question } from "./messages.ts";

/** Makes this thread answer what `startThread` asks: with what `handle` returns, or with the error that it throws. */
export function answerTasks<Task, Reply>(handle: (task: Task) => Reply | Promise<Reply>): void {
  parentPort?.on("message", async ({ id, task }: Question<Task>) => {
    let answer: Answer<Reply>;
    try {
      answer = { id, reply: await handle(task) };
    } catch (error) {
      answer = { id, error: packError(error) };
    }
    parentPort?.postMessage(answer);
  });
}
