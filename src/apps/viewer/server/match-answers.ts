import type { Context, Hono } from "hono";
import { isLogratioError, resultJson } from "../../../core/base/index.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import type { CurrentRun } from "./current-run.ts";
import { BINARY_TYPE, JSON_TYPE, refuse, reply } from "./reply.ts";

/** What a filter leaves. The search stops when the request is aborted: a page asks again at every key. */
export function matchAnswers(app: Hono, current: CurrentRun): void {
  app.get("/match", (c) => answer(c, current, BINARY_TYPE, (run, ...asked) => run.match(...asked)));
  app.get("/match/tokens", (c) =>
    answer(c, current, JSON_TYPE, async (run, ...asked) =>
      Buffer.from(resultJson(await run.matchTokens(...asked))),
    ),
  );
  app.get("/match/terms", (c) =>
    answer(c, current, JSON_TYPE, async (run, ...asked) =>
      Buffer.from(resultJson(await run.matchTerms(...asked))),
    ),
  );
  app.get("/match/groups", (c) =>
    answer(c, current, JSON_TYPE, async (run, ...asked) =>
      Buffer.from(resultJson(await run.matchGroups(...asked))),
    ),
  );
}

function answer(
  c: Context,
  current: CurrentRun,
  type: string,
  bytesOf: (run: PreparedRun, filter: string, signal: AbortSignal) => Promise<Uint8Array>,
): Promise<Response> | Response {
  const filter = c.req.query("filter");
  if (filter === undefined) return refuse(c, 400, "a filter is required: match?filter=abs>0.5");
  const { signal } = c.req.raw;
  return current.use(async (run) => {
    const { version, status } = run.info;
    try {
      const bytes = await bytesOf(run, filter, signal);
      const immutable = c.req.query("v") === version;
      return await reply(c, { type, bytes, tag: `${version}-${status}`, immutable });
    } catch (error) {
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      // The request was aborted.
      if (signal.aborted) return c.body(null, 204);
      throw error;
    }
  });
}
