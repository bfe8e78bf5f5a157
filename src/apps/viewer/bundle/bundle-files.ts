/**
 * The files of a bundle, each read when its turn comes.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { resultJson } from "../../../core/base/index.ts";
import { buildGlossary } from "../../../render/glossary/index.ts";
import type { SavedFilterList } from "../../../results/filters.ts";
import type { Star } from "../../../results/story.ts";
import type { CorrectAnswer, LoggedMetrics, ViewInfo } from "../../../results/view.ts";
import { BRIEFS_PER_FILE } from "../../../results/wire/briefs.ts";
import { comparedPath } from "../../../results/wire/compared-path.ts";
import { formatGroupKey } from "../../../results/wire/groups.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import { parseCorrection } from "../../../trainers/neutral/index.ts";
import {
  answerFile,
  answerTables,
  digitsTables,
  doctorTables,
  groupPage,
  healthTables,
  reportTables,
  storyPage,
  studyTables,
  withoutNotes,
} from "../documents/index.ts";
import type { PreparedStudy } from "../kl/prepared-study.ts";
import { ANSWER_FILES, type AnswerName } from "../prepare/cache/cache-files.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { filesBelow } from "../server/static-files.ts";
import { answerScript } from "./answer-script.ts";

export interface BundleFile {
  readonly path: string;
  readonly read: () => Promise<Uint8Array>;
}

type Read = BundleFile["read"];

/** An answer at `api/PATH`, as the script that a page takes it from. */
function answerFileOf(path: string, form: "json" | "bytes", read: Read): BundleFile {
  return { path: `api/${path}.js`, read: async () => answerScript(await read(), form) };
}

const json = (path: string, read: Read): BundleFile => answerFileOf(path, "json", read);
const bytes = (path: string, read: Read): BundleFile => answerFileOf(path, "bytes", read);
const value = (path: string, make: () => object | Promise<object>): BundleFile =>
  json(path, async () => Buffer.from(JSON.stringify(await make())));

/** Hidden by the page's style sheet: visible if a program unpacked this file alone. */
const ALONE = `<p class="visually-hidden">The files beside this one are missing. Unpack the whole archive, then open its index.html.</p>`;

/** For crawlers: putting a bundle on a server does not make its content public. */
const ROBOTS = "User-agent: *\nDisallow: /\n";

export async function* bundleFiles(
  run: PreparedRun | PreparedStudy,
  page: string,
  logged: LoggedMetrics,
): AsyncGenerator<BundleFile> {
  for (const name of await filesBelow(page)) {
    const read = () => readFile(join(page, name));
    yield { path: name, read: name === "index.html" ? async () => markBundled(await read()) : read };
  }
  const info: ViewInfo = { ...run.info, status: "ready", bundled: true };
  yield value("run", () => info);
  yield value("glossary", buildGlossary);
  if (isStudy(run)) yield* studyFiles(run);
  else {
    yield value("logged", () => logged);
    yield* runFiles(run);
  }
  yield { path: "robots.txt", read: async () => Buffer.from(ROBOTS) };
}

/** Tells the page where its answers are, and a reader who sees only this file what is missing. */
function markBundled(page: Uint8Array): Buffer {
  return Buffer.from(
    Buffer.from(page).toString().replace('<div id="app">', `<div id="app" data-bundled>${ALONE}`),
  );
}

function isStudy(run: PreparedRun | PreparedStudy): run is PreparedStudy {
  return run.info.kind === "view-study";
}

async function* studyFiles(study: PreparedStudy): AsyncGenerator<BundleFile> {
  yield json("study", () => study.answer("study"));
  yield json("study-texts", () => study.answer("texts"));
  yield json("study-tables", async () => (await studyTables(study))!);
  for (let index = 0; index < study.info.texts; index++)
    yield bytes(`study-text/${index}`, async () => (await study.text(index))!);
}

async function* runFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { info } = run;
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[])
    if (name !== "run") yield answerOf(run, name, "");
  yield value("alerts", () => run.alerts());
  yield* starFiles(run);
  yield value("filters", () => savedFilters(run));
  yield { path: "api/answer.html", read: async () => (await answerFile(run))! };
  yield json("answer-tables", async () => (await answerTables(run))!);
  yield json("report-tables", async () => (await reportTables(run))!);
  yield json("doctor-tables", async () => (await doctorTables(run))!);
  yield json("health-tables", async () => (await healthTables(run))!);
  if (info.tokens > 0) {
    yield json("sweep", async () => Buffer.from(resultJson(await run.sweep(null))));
    yield json("correct", async () => Buffer.from(resultJson(await recommended(run))));
  }
  yield bytes("turns", () => run.turns());
  if (info.has.digits) {
    yield json("digits", async () => (await run.digits())!);
    yield json("digits-tables", async () => (await digitsTables(run))!);
  }
  yield* sequenceFiles(run, "");
  yield* listFiles(run);
  if (run.compared !== undefined) {
    const { others, together } = run.compared;
    yield json("compared-runs", async () => together);
    for (const [at, { run: other, comparison }] of others.entries()) {
      const folder = `${comparedPath("other", at)}/`;
      yield json(comparedPath("compare", at), async () => comparison);
      for (const name of ["run", "report", "steps", "sequences"] as const)
        yield answerOf(other, name, folder);
      yield* sequenceFiles(other, folder);
    }
  }
}

/** The effect of the recommended correction, by its text; nothing if none is needed, or no token can be compared. */
async function recommended(run: PreparedRun): Promise<Readonly<Record<string, CorrectAnswer>>> {
  const { corrections = [], recommendation } = (await run.sweep(null)) ?? {};
  const row = corrections.find(({ name }) => name === recommendation?.name);
  if (row === undefined) return {};
  const question = { correction: parseCorrection(row.correction_text), steps: null };
  return { [row.correction_text]: (await run.correct(question)).answer };
}

function answerOf(run: PreparedRun, name: AnswerName, folder: string): BundleFile {
  const form = ANSWER_FILES[name].endsWith(".json") ? "json" : "bytes";
  return answerFileOf(`${folder}${name}`, form, () => run.answer(name));
}

/** Without texts, saved filters are omitted too, because they may quote them. */
async function savedFilters(run: PreparedRun): Promise<SavedFilterList> {
  const list = await run.savedFilters();
  return run.info.redacted ? { ...list, filters: [] } : list;
}

/** Without texts, notes are omitted too, because they may quote them. */
async function* starFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { redacted } = run.info;
  const told = <T extends Star>(stars: readonly T[]): readonly T[] =>
    redacted ? withoutNotes(stars) : stars;
  yield value("stars", async () => {
    const list = await run.stars();
    return { ...list, stars: told(list.stars) };
  });
  yield value("story", async () => ({ entries: told((await storyPage(run)).entries) }));
}

async function* sequenceFiles(run: PreparedRun, folder: string): AsyncGenerator<BundleFile> {
  for (let index = 0; index < run.info.sequences; index++) {
    yield bytes(`${folder}sequence/${index}`, async () => (await run.sequence(index))!);
    if (run.info.top_k.length > 0)
      yield bytes(`${folder}topk/${index}`, async () => (await run.topK(index, 0, Number.MAX_SAFE_INTEGER))!);
  }
}

/** What lists show, with many sequences per file, and each group under the number of its first sequence. */
async function* listFiles(run: PreparedRun): AsyncGenerator<BundleFile> {
  const { sequences, has } = run.info;
  const table = decodeTable(await run.answer("sequences"));
  for (let file = 0; file * BRIEFS_PER_FILE < sequences; file++) {
    const from = file * BRIEFS_PER_FILE;
    const rows = Array.from({ length: Math.min(BRIEFS_PER_FILE, sequences - from) }, (_, at) => from + at);
    yield bytes(`briefs/${file}`, async () => (await run.briefs(rows))!);
  }
  if (!has.groups) return;
  const known = new Set<string>();
  for (let index = 0; index < sequences; index++) {
    if (table.texts.group.codes[index]! < 0) continue;
    const key = formatGroupKey(table, index);
    if (known.has(key)) continue;
    known.add(key);
    yield json(`group/${index}`, async () => (await groupPage(run, index))!);
  }
}
