/** What a worker thread of `parquet-answer.ts` runs: one table, written to a file. */
import { answerTasks } from "../../../analyses/parallel/index.ts";
import { type TableTask, writeTable } from "./parquet.ts";

answerTasks<TableTask, void>(writeTable);
