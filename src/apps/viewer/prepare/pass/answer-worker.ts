/** Runs in the worker thread of `answer-thread.ts`: one builder of answers, given one task after another. */
import { answerTasks } from "../../../../analyses/parallel/index.ts";
import { setMemoryLimit } from "../../../../core/base/index.ts";
import { AnswerBuilder } from "./answer-builder.ts";
import type { AnswerReply, AnswerTask } from "./answer-messages.ts";

let builder: Promise<AnswerBuilder> | undefined;
/** Tasks wait for files to be written: without a queue, batches would overtake each other. */
let last: Promise<unknown> = Promise.resolve();

answerTasks<AnswerTask, AnswerReply>((task) => {
  const reply = last.then(() => answer(task));
  last = reply.catch(() => {});
  return reply;
});

async function answer(task: AnswerTask): Promise<AnswerReply> {
  if (task.kind === "start") {
    setMemoryLimit(task.memoryLimit);
    builder = AnswerBuilder.start(task.options);
    await builder;
    return null;
  }
  const own = (await builder)!;
  if (task.kind === "diagnose") return own.diagnose(task.read, task.sampleTokens);
  if (task.kind === "finish") return own.finish(task.parts);
  if (task.kind === "add") await own.add(task.batch, task.sums, task.truths);
  else await own[task.kind]();
  return null;
}
