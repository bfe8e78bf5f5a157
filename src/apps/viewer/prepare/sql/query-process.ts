/**
 * The process that runs one query: started by `ask-apart.ts`, answers once, and ends.
 *
 * @module
 */
import { packError } from "../../../../analyses/parallel/index.ts";
import { LimitError } from "../../../../core/base/index.ts";
import { answerQuery, type Query } from "./answer-query.ts";
import type { Outcome } from "./ask-apart.ts";
import { PROCESS_LIMIT } from "./limits.ts";

const LOOK_MS = 20;

/** The parent may be gone: then nobody reads the answer. */
function end(outcome: Outcome): void {
  process.send?.(outcome, () => process.exit());
}

process.once("disconnect", () => process.exit());
process.once("message", (query: Query) => {
  setInterval(() => {
    const { rss } = process.memoryUsage();
    if (rss > PROCESS_LIMIT)
      end({
        error: packError(
          new LimitError(
            `the query was stopped: it takes more than ${PROCESS_LIMIT / 2 ** 20} MiB; ask for fewer or shorter values`,
          ),
        ),
      });
  }, LOOK_MS);
  answerQuery(query).then(
    (answer) => end({ answer }),
    (error: unknown) => end({ error: packError(error) }),
  );
});
