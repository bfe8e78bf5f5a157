/** What the thread of `compare-parts.ts` runs: which parts of a sample stand out. */
import { ByteReader } from "../../core/base/index.ts";
import { SequenceSample } from "../../core/summaries/index.ts";
import { type Comparisons, compareParts } from "../report/index.ts";
import { answerTasks } from "./answer-tasks.ts";
import type { CompareTask } from "./messages.ts";

answerTasks<CompareTask, Comparisons>((sample) =>
  compareParts(SequenceSample.decode(new ByteReader(sample, "a thread's sample")).list()),
);
