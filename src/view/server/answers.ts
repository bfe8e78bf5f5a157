/**
 * The paths of `protocol/view.ts`.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { isLogratioError } from "../../base/errors.ts";
import { ANSWER_FILES, type AnswerName, type PreparedRun, parseQuestion } from "../prepare/index.ts";
import type { CurrentRun } from "./current-run.ts";
import { parquetOf } from "./parquet.ts";
import { BINARY_TYPE, JSON_TYPE, refuse, reply } from "./reply.ts";

/** Tokens whose alternatives are sent at a time at most. */
const MOST_ALTERNATIVES = 16_384;
const MOST_QUESTION_BYTES = 16_384;
const MOST_TABLE_BYTES = 2 ** 27;

export function answers(current: CurrentRun): Hono {
  const app = new Hono();
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[]) {
    const type = ANSWER_FILES[name].endsWith(".json") ? JSON_TYPE : BINARY_TYPE;
    app.get(`/${name}`, (c) => answer(c, current, type, (run) => run.answer(name)));
  }
  app.get("/sequence/:index", (c) => {
    const index = wholeNumber(c.req.param("index"));
    if (index === undefined) return refuse(c, 400, "a sequence is asked for by its place in the table");
    return answer(c, current, BINARY_TYPE, (run) => run.sequence(index));
  });
  app.get("/sequence/:index/topk", (c) => {
    const index = wholeNumber(c.req.param("index"));
    const from = wholeNumber(c.req.query("from") ?? "0");
    const count = wholeNumber(c.req.query("count") ?? String(MOST_ALTERNATIVES));
    if (index === undefined || from === undefined || count === undefined)
      return refuse(c, 400, "the sequence, from and count must be whole numbers");
    if (count > MOST_ALTERNATIVES)
      return refuse(c, 400, `at most ${MOST_ALTERNATIVES} tokens at a time, not ${count}`);
    return answer(c, current, BINARY_TYPE, (run) => run.topK(index, from, count));
  });
  app.post("/exact", bodyLimit({ maxSize: MOST_QUESTION_BYTES }), async (c) => {
    try {
      const question = parseQuestion(await c.req.json());
      return c.json(await current.use((run) => run.exact(question)), 200, { "cache-control": "no-store" });
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(c, 400, `the question is not JSON: ${error.message}`);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      throw error;
    }
  });
  app.post("/parquet", bodyLimit({ maxSize: MOST_TABLE_BYTES }), async (c) => {
    try {
      const bytes = await parquetOf(await c.req.json());
      return c.body(new Uint8Array(bytes).buffer, 200, {
        "content-type": BINARY_TYPE,
        "cache-control": "no-store",
      });
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(c, 400, `the rows are not JSON: ${error.message}`);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      throw error;
    }
  });
  return app;
}

/** Of the run as it is now; kept for good under an address that says its version. */
function answer(
  c: Context,
  current: CurrentRun,
  type: string,
  bytesOf: (run: PreparedRun) => Promise<Uint8Array | undefined>,
): Promise<Response> {
  return current.use(async (run) => {
    const { version, sequences, status } = run.info;
    const bytes = await bytesOf(run);
    if (bytes === undefined) return refuse(c, 404, `there is no such sequence: the run has ${sequences}`);
    return reply(c, { type, bytes, tag: `${version}-${status}`, immutable: c.req.query("v") === version });
  });
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
