import type { Hono } from "hono";
import { isLogratioError } from "../../../core/base/index.ts";
import { sqlHelp } from "../prepare/sql/help.ts";
import type { CurrentRun } from "./current-run.ts";
import { limitBody } from "./limit-body.ts";
import { refuse } from "./reply.ts";

const MOST_QUERY_BYTES = 65_536;
const NO_STORE = { "cache-control": "no-store" };

/** SQL over the run: its tables, and the answer to a query. A query is stopped when its request is aborted. */
export function sqlAnswers(app: Hono, current: CurrentRun): void {
  app.get("/sql", async (c) => c.json(await current.use(async ({ info }) => sqlHelp(info)), 200, NO_STORE));
  app.post("/sql", limitBody(MOST_QUERY_BYTES), async (c) => {
    const { signal } = c.req.raw;
    try {
      const { sql } = ((await c.req.json()) ?? {}) as { readonly sql?: unknown };
      if (typeof sql !== "string") return refuse(c, 400, 'a query is required: {"sql": "SELECT …"}');
      return c.json(await current.use((run) => run.sql(sql, signal)), 200, NO_STORE);
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(c, 400, `the query is not JSON: ${error.message}`);
      if (signal.aborted) return c.body(null, 204);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      if (isLogratioError(error, "LimitError")) return refuse(c, 413, error.message);
      throw error;
    }
  });
}
