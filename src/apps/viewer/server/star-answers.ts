import type { Hono } from "hono";
import { isLogratioError } from "../../../core/base/index.ts";
import { storyPage } from "../pages/index.ts";
import { readStarChange } from "../prepare/index.ts";
import type { CurrentRun } from "./current-run.ts";
import { limitBody } from "./limit-body.ts";
import { refuse } from "./reply.ts";

/** Room for a note in UTF-8 and the rest of the request. */
const MOST_STAR_BYTES = 32_768;
const NO_STORE = { "cache-control": "no-store" };

/** Starred places: the only thing that the page makes the server store for longer than it runs. */
export function starAnswers(app: Hono, current: CurrentRun): void {
  app.get("/stars", async (c) => c.json(await current.use((run) => run.stars()), 200, NO_STORE));
  app.get("/story", async (c) => c.json(await current.use((run) => storyPage(run)), 200, NO_STORE));
  app.post("/stars", limitBody(MOST_STAR_BYTES), async (c) => {
    try {
      const change = readStarChange(await c.req.json());
      return c.json(await current.use((run) => run.changeStar(change)), 200, NO_STORE);
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(c, 400, `the star is not JSON: ${error.message}`);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      if (isLogratioError(error, "FileSystemError"))
        return refuse(c, 507, `the star is not kept: ${error.message}`);
      throw error;
    }
  });
}
