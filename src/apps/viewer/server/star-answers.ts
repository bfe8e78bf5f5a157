import type { Context, Hono } from "hono";
import { isLogratioError } from "../../../core/base/index.ts";
import { storyPage } from "../documents/index.ts";
import { readFilterChange } from "../prepare/cache/filter-list.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { readStarChange } from "../prepare/cache/star-list.ts";
import type { CurrentRun } from "./current-run.ts";
import { limitBody } from "./limit-body.ts";
import { refuse } from "./reply.ts";

/** Room for a note in UTF-8 and the rest of the request. */
const MOST_CHANGE_BYTES = 32_768;
const NO_STORE = { "cache-control": "no-store" };

/** Starred places and saved filters: the only things that the page makes the server store for longer than it runs. */
export function starAnswers(app: Hono, current: CurrentRun): void {
  const limited = limitBody(MOST_CHANGE_BYTES);
  app.get("/stars", async (c) => c.json(await current.use((run) => run.stars()), 200, NO_STORE));
  app.get("/story", async (c) => c.json(await current.use((run) => storyPage(run)), 200, NO_STORE));
  app.post("/stars", limited, (c) =>
    change(c, current, "star", (run, asked) => run.changeStar(readStarChange(asked))),
  );
  app.get("/filters", async (c) => c.json(await current.use((run) => run.savedFilters()), 200, NO_STORE));
  app.post("/filters", limited, (c) =>
    change(c, current, "filter", (run, asked) => run.changeFilter(readFilterChange(asked))),
  );
}

async function change(
  c: Context,
  current: CurrentRun,
  what: string,
  apply: (run: PreparedRun, asked: unknown) => Promise<object>,
): Promise<Response> {
  try {
    const asked: unknown = await c.req.json();
    return c.json(await current.use((run) => apply(run, asked)), 200, NO_STORE);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(c, 400, `the ${what} is not JSON: ${error.message}`);
    if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
    if (isLogratioError(error, "FileSystemError"))
      return refuse(c, 507, `the ${what} could not be saved: ${error.message}`);
    throw error;
  }
}
