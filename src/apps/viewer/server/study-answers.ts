import { type Context, Hono } from "hono";
import { studyTables } from "../documents/index.ts";
import type { PreparedStudy, StudyAnswerName } from "../kl/prepared-study.ts";
import { glossaryAnswer } from "./glossary-answer.ts";
import { parquetAnswer } from "./parquet-answer.ts";
import { BINARY_TYPE, JSON_TYPE, refuse, reply } from "./reply.ts";

const PATHS: Readonly<Record<string, StudyAnswerName>> = {
  "/run": "run",
  "/study": "study",
  "/study-texts": "texts",
};

/** The paths of `results/view.ts` that a study has. */
export function studyAnswers(study: PreparedStudy): Hono {
  const { info } = study;
  const answer = (c: Context, type: string, bytes: Uint8Array): Promise<Response> =>
    reply(c, { type, bytes, tag: info.version, immutable: c.req.query("v") === info.version });
  const app = new Hono();
  for (const [path, name] of Object.entries(PATHS))
    app.get(path, async (c) => answer(c, JSON_TYPE, await study.answer(name)));
  app.get("/study-tables", async (c) => answer(c, JSON_TYPE, (await studyTables(study))!));
  app.get("/study-text/:index", async (c) => {
    const index = c.req.param("index");
    if (!/^\d{1,15}$/.test(index))
      return refuse(c, 400, "a text must be requested by its number in the study");
    const bytes = await study.text(Number(index));
    if (bytes === undefined)
      return refuse(c, 404, `there is no such text: the study has ${info.texts}, counted from 0`);
    return answer(c, BINARY_TYPE, bytes);
  });
  glossaryAnswer(app);
  parquetAnswer(app);
  return app;
}
