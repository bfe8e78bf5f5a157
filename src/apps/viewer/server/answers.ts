/**
 * The paths of `results/view.ts`.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { isLogratioError, resultJson } from "../../../core/base/index.ts";
import type { LoggedMetrics } from "../../../results/view.ts";
import { parseComparedPath } from "../../../results/wire/compared-path.ts";
import {
  answerFile,
  answerTables,
  buildAnswerTables,
  buildHealthTables,
  buildReportTables,
  digitsTables,
  doctorTables,
  groupPage,
  healthTables,
  reportTables,
} from "../documents/index.ts";
import { NO_LOGGED_METRICS } from "../logged/read-logged-metrics.ts";
import { ANSWER_FILES, type AnswerName } from "../prepare/cache/cache-files.ts";
import type { OtherRun, PreparedRun } from "../prepare/cache/prepared-run.ts";
import type { CorrectAnswers } from "../prepare/correct/answer.ts";
import { readQuestion } from "../prepare/correct/question.ts";
import type { CurrentRun } from "./current-run.ts";
import { glossaryAnswer } from "./glossary-answer.ts";
import { limitBody } from "./limit-body.ts";
import { matchAnswers } from "./match-answers.ts";
import { parquetAnswer } from "./parquet-answer.ts";
import { BINARY_TYPE, HTML_TYPE, JSON_TYPE, refuse, reply } from "./reply.ts";
import { sqlAnswers } from "./sql-answers.ts";
import { starAnswers } from "./star-answers.ts";

/** The most tokens whose alternatives are sent at a time. */
const MOST_ALTERNATIVES = 16_384;
/** The most sequences whose texts are sent at a time. */
const MOST_BRIEFS = 256;
const MOST_QUESTION_BYTES = 16_384;
/** The answers about each compared run. */
const OTHER_ANSWERS: readonly AnswerName[] = ["run", "report", "steps", "sequences"];

type Steps = readonly [from: number, to: number];

const ANSWER_HTML = "answer.html";

/** Answers over some steps. */
const OF_STEPS: Readonly<
  Record<string, (run: PreparedRun, steps: Steps) => Promise<Uint8Array | undefined>>
> = {
  "correct-bins": async (run, steps) => json(await run.bins(steps)),
  report: async (run, steps) => json((await run.reportOf(steps))?.report),
  sweep: async (run, steps) => json(await run.sweep(steps)),
  "answer-tables": buildAnswerTables,
  "report-tables": buildReportTables,
  "health-tables": buildHealthTables,
  [ANSWER_HTML]: answerFile,
};

/** @param readLogged what the run's own logger wrote, read again at each question */
export function answers(
  current: CurrentRun,
  readLogged: () => Promise<LoggedMetrics> = async () => NO_LOGGED_METRICS,
): Hono {
  const app = new Hono();
  for (const [name, bytesOf] of Object.entries(OF_STEPS)) {
    app.get(`/${name}`, async (c, next) => {
      const asked = c.req.query("steps");
      if (asked === undefined) return next();
      const [, from, to] = /^(-?\d{1,15})\.\.(-?\d{1,15})$/.exec(asked) ?? [];
      if (from === undefined || to === undefined)
        return refuse(c, 400, "steps must be a range: steps=10..30");
      const steps: Steps = [Number(from), Number(to)];
      const none = () => `the run has no tokens in steps ${from} to ${to}`;
      const type = name === ANSWER_HTML ? savedType(c) : JSON_TYPE;
      return answer(c, current, type, (run) => bytesOf(run, steps), none);
    });
  }
  runAnswers(app, "", (run) => run, Object.keys(ANSWER_FILES) as AnswerName[], current);
  runAnswers(
    app,
    "/:other{other(?:-\\d+)?}",
    (run, c) => findOther(run, c.req.param("other") ?? "")?.run,
    OTHER_ANSWERS,
    current,
  );
  // Written while the run is shown, so they are not part of its version.
  app.get("/alerts", async (c) =>
    c.json(await current.use((run) => run.alerts()), 200, { "cache-control": "no-store" }),
  );
  app.get("/logged", async (c) => c.json(await readLogged(), 200, { "cache-control": "no-store" }));
  listAnswers(app, current);
  comparisonAnswers(app, current);
  app.get("/sweep", (c) =>
    answer(
      c,
      current,
      JSON_TYPE,
      async (run) => json(await run.sweep(null)),
      () => "no token of this run has both log-probs: there is nothing to correct",
    ),
  );
  // Views that the server lays out.
  app.get("/answer-tables", (c) => answer(c, current, JSON_TYPE, answerTables, notCompared));
  app.get(`/${ANSWER_HTML}`, (c) => answer(c, current, savedType(c), (run) => answerFile(run), notCompared));
  app.get("/digits-tables", (c) => answer(c, current, JSON_TYPE, digitsTables, noDigits));
  app.get("/doctor-tables", (c) => answer(c, current, JSON_TYPE, doctorTables, notCompared));
  app.get("/health-tables", (c) => answer(c, current, JSON_TYPE, healthTables, notCompared));
  app.get("/report-tables", (c) => answer(c, current, JSON_TYPE, reportTables, notCompared));
  app.get("/digits", (c) => answer(c, current, JSON_TYPE, (run) => run.digits(), noDigits));
  const correct =
    <T>(pick: (answers: CorrectAnswers) => T) =>
    async (c: Context): Promise<Response> => {
      try {
        const question = readQuestion(await c.req.json());
        const found = await current.use((run) => run.correct(question));
        return c.json(pick(found) as object, 200, { "cache-control": "no-store" });
      } catch (error) {
        if (error instanceof SyntaxError) return refuse(c, 400, `the question is not JSON: ${error.message}`);
        if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
        throw error;
      }
    };
  const small = limitBody(MOST_QUESTION_BYTES);
  app.post(
    "/correct",
    small,
    correct(({ answer }) => answer),
  );
  app.post(
    "/correct/steps",
    small,
    correct(({ steps }) => steps),
  );
  matchAnswers(app, current);
  starAnswers(app, current);
  glossaryAnswer(app);
  sqlAnswers(app, current);
  parquetAnswer(app);
  return app;
}

function comparisonAnswers(app: Hono, current: CurrentRun): void {
  app.get("/compared-runs", (c) =>
    answer(c, current, JSON_TYPE, async (run) => run.compared?.together, notCompared),
  );
  app.get("/:compare{compare(?:-\\d+)?}", (c) => {
    const path = c.req.param("compare");
    return answer(c, current, JSON_TYPE, async (run) => findOther(run, path)?.comparison, notCompared);
  });
}

function findOther({ compared }: PreparedRun, path: string): OtherRun | undefined {
  const at = parseComparedPath(path);
  return at === undefined ? undefined : compared?.others[at];
}

/** A page of its own, with its own policy: not to be shown below this address. */
function savedType(c: Context): string {
  c.header("content-disposition", "attachment");
  return HTML_TYPE;
}

function json(value: object | undefined): Uint8Array | undefined {
  return value && Buffer.from(resultJson(value));
}

/** What a run answers for itself; `pick` says which of the runs. */
function runAnswers(
  app: Hono,
  prefix: string,
  pick: (run: PreparedRun, c: Context) => PreparedRun | undefined,
  names: readonly AnswerName[],
  current: CurrentRun,
): void {
  const from = (
    c: Context,
    type: string,
    bytesOf: (run: PreparedRun) => Promise<Uint8Array | undefined>,
  ): Promise<Response> =>
    answer(
      c,
      current,
      type,
      async (run) => {
        const picked = pick(run, c);
        return picked && (await bytesOf(picked));
      },
      (run) => {
        const picked = pick(run, c);
        return picked === undefined ? notCompared(run) : noSequence(picked);
      },
    );
  for (const name of names) {
    const type = ANSWER_FILES[name].endsWith(".json") ? JSON_TYPE : BINARY_TYPE;
    app.get(`${prefix}/${name}`, (c) => from(c, type, (run) => run.answer(name)));
  }
  app.get(`${prefix}/sequence/:index`, (c) => {
    const index = wholeNumber(c.req.param("index"));
    if (index === undefined) return refuse(c, 400, "a sequence must be requested by its row number");
    return from(c, BINARY_TYPE, (run) => run.sequence(index));
  });
  app.get(`${prefix}/sequence/:index/topk`, (c) => {
    const index = wholeNumber(c.req.param("index"));
    const first = wholeNumber(c.req.query("from") ?? "0");
    const count = wholeNumber(c.req.query("count") ?? String(MOST_ALTERNATIVES));
    if (index === undefined || first === undefined || count === undefined)
      return refuse(c, 400, "the sequence, from and count must be whole numbers");
    if (count > MOST_ALTERNATIVES)
      return refuse(c, 400, `at most ${MOST_ALTERNATIVES} tokens at a time, not ${count}`);
    return from(c, BINARY_TYPE, (run) => run.topK(index, first, count));
  });
}

/** What lists and groups show of sequences. */
function listAnswers(app: Hono, current: CurrentRun): void {
  app.get("/turns", (c) => answer(c, current, BINARY_TYPE, (run) => run.turns(), noSequence));
  app.get("/briefs", (c) => {
    const rows = (c.req.query("rows") ?? "").split(",").map(wholeNumber);
    if (rows.includes(undefined)) return refuse(c, 400, "rows must be row numbers: rows=3,17");
    if (rows.length > MOST_BRIEFS)
      return refuse(c, 400, `at most ${MOST_BRIEFS} rows at a time, not ${rows.length}`);
    return answer(c, current, BINARY_TYPE, (run) => run.briefs(rows as number[]), noSequence);
  });
  app.get("/prompts", (c) =>
    answer(
      c,
      current,
      JSON_TYPE,
      async (run) => json(await run.prompts(c.req.query("text") ?? "")),
      noSequence,
    ),
  );
  app.get("/group/:index", (c) => {
    const index = wholeNumber(c.req.param("index"));
    if (index === undefined)
      return refuse(c, 400, "a group must be requested by the row number of a sequence");
    return answer(c, current, JSON_TYPE, (run) => groupPage(run, index), noSequence);
  });
}

/** Answers from the current run; cached for good under an address with its version. */
function answer(
  c: Context,
  current: CurrentRun,
  type: string,
  bytesOf: (run: PreparedRun) => Promise<Uint8Array | undefined>,
  absence: (run: PreparedRun) => string,
): Promise<Response> {
  return current.use(async (run) => {
    const { version, status } = run.info;
    const bytes = await bytesOf(run);
    if (bytes === undefined) return refuse(c, 404, absence(run));
    return reply(c, { type, bytes, tag: `${version}-${status}`, immutable: c.req.query("v") === version });
  });
}

function noSequence({ info: { sequences } }: PreparedRun): string {
  return `there is no such sequence: the run has ${sequences}`;
}

function notCompared({ compared }: PreparedRun): string {
  if (compared === undefined) return "the run is not compared with another: logratio view A --compare B";
  return `the run is compared with ${compared.others.length === 1 ? "one other" : `${compared.others.length} others`}`;
}

function noDigits({ info: { tokenizer, redacted } }: PreparedRun): string {
  const why =
    tokenizer === null
      ? "finding the digits needs a tokenizer: logratio view --tokenizer DIR"
      : redacted
        ? "texts are redacted"
        : "the run has no digit tokens";
  return `no digit figures: ${why}`;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
