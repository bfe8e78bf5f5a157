import type { Hono } from "hono";
import { isLogratioError } from "../../base/errors.ts";
import { limitBody } from "./limit-body.ts";
import { parquetOf } from "./parquet.ts";
import { BINARY_TYPE, refuse } from "./reply.ts";

const MOST_TABLE_BYTES = 2 ** 27;

/** `POST parquet`: rows of any table of the page as a file. */
export function parquetAnswer(app: Hono): void {
  app.post("/parquet", limitBody(MOST_TABLE_BYTES), async (c) => {
    try {
      const bytes = await parquetOf(await c.req.json());
      return c.body(new Uint8Array(bytes).buffer, 200, {
        "content-type": BINARY_TYPE,
        "cache-control": "no-store",
      });
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(c, 400, `the rows are not JSON: ${error.message}`);
      if (isLogratioError(error, "LimitError")) return refuse(c, 413, error.message);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      throw error;
    }
  });
}
