/**
 * A query in a process of its own. DuckDB's limits do not hold within one step: `repeat('x', 1e8)` takes memory that it
 * does not count, and a single call cannot be interrupted. Either would end or block the server.
 *
 * @module
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorData, unpackError, workerFile } from "../../../../analyses/parallel/index.ts";
import { LimitError } from "../../../../core/base/index.ts";
import type { SqlAnswer } from "../../../../results/sql.ts";
import type { Query } from "./answer-query.ts";
import { TIME_LIMIT_SECONDS } from "./limits.ts";

/** What the process answers. */
export type Outcome = { readonly answer: SqlAnswer } | { readonly error: ErrorData };

/** How long a query that has used up its time may take to stop by itself, the start of its process included. */
const GRACE_MS = 3000;

/**
 * @throws UsageError where DuckDB refuses the query, LimitError where it takes too long or too much memory, and the reason
 * of the signal
 */
export async function askApart(query: Query, signal: AbortSignal): Promise<SqlAnswer> {
  const file = workerFile("query-process", import.meta.url);
  if (file === undefined) {
    // Loaded here, so that a viewer without queries does not load DuckDB.
    const { answerQuery } = await import("./answer-query.ts");
    return answerQuery(query, signal);
  }
  return askProcess(fileURLToPath(file), query, signal);
}

function askProcess(file: string, query: Query, signal: AbortSignal): Promise<SqlAnswer> {
  return new Promise((resolve, reject) => {
    const child = fork(file, { serialization: "advanced", stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const stop = (error: unknown): void => {
      child.kill("SIGKILL");
      reject(error);
    };
    const clock = setTimeout(
      () => stop(new LimitError(`the query was stopped: it took longer than ${TIME_LIMIT_SECONDS} s`)),
      1000 * TIME_LIMIT_SECONDS + GRACE_MS,
    );
    const cancel = (): void => stop(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    child.once("message", (outcome: Outcome) => {
      if ("answer" in outcome) resolve(outcome.answer);
      else reject(unpackError(outcome.error));
    });
    child.once("error", reject);
    child.once("close", (code, killedBy) => {
      clearTimeout(clock);
      signal.removeEventListener("abort", cancel);
      // Settled already where it answered.
      reject(
        new LimitError("the query needed more memory than there is", {
          likely: `its process ended with ${killedBy ?? `code ${code}`}`,
        }),
      );
    });
    child.send(query);
  });
}
