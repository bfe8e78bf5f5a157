/**
 * The server's answers. The rest of the page asks here only, so that a bundle's files can answer instead of a server.
 *
 * @module
 */

import type { PageDocument } from "../../../src/render/page/index.ts";
import type { AlertList } from "../../../src/results/alerts.ts";
import type { AnswerPage } from "../../../src/results/answer-page.ts";
import type { PromptMatches, SavedFilterList, TermCounts } from "../../../src/results/filters.ts";
import type { Glossary, GroupPage } from "../../../src/results/page.ts";
import type { MismatchReport } from "../../../src/results/report.ts";
import type { SqlAnswer, SqlTables } from "../../../src/results/sql.ts";
import type { StarChange, StarList, StoryPage } from "../../../src/results/story.ts";
import type { SweepReport } from "../../../src/results/sweep.ts";
import type {
  ComparedRuns,
  CorrectAnswer,
  CorrectBins,
  CorrectQuestion,
  CorrectSteps,
  LoggedMetrics,
  MatchingGroups,
  MatchingTokens,
  RunComparison,
  RunInfo,
  RunsInfo,
  StepSeries,
  StudyTexts,
  TopTokens,
  ViewInfo,
} from "../../../src/results/view.ts";
import { BRIEFS_PER_FILE, decodeBriefs, type SequenceBrief } from "../../../src/results/wire/briefs.ts";
import { comparedPath } from "../../../src/results/wire/compared-path.ts";
import { decodeMatches, type TokenMatches } from "../../../src/results/wire/matches.ts";
import {
  decodeSequence,
  decodeTopK,
  type WireSequence,
  type WireTopK,
} from "../../../src/results/wire/sequence.ts";
import { decodeStudyText, type WireStudyText } from "../../../src/results/wire/study-text.ts";
import { decodeTable, type SequenceTable } from "../../../src/results/wire/table.ts";
import { decodeTurns, type TurnTable } from "../../../src/results/wire/turns.ts";

declare global {
  /** What the last script of a bundle holds. */
  var bundled: string | undefined;
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(`api/${path}`, init).catch((cause: unknown) => {
    throw new Error("the server does not answer: is logratio view still running?", { cause });
  });
  if (answer.ok) return answer;
  const said = await answer.text().catch(() => "");
  throw new Error(said === "" ? `${answer.status} ${answer.statusText}` : said);
}

const isBundled = (): boolean => document.getElementById("app")?.dataset.bundled !== undefined;

const NOT_IN_BUNDLE = "a bundle cannot compute them; logratio view of the run can";

/** An answer of a bundle. It is a script, because a page opened from disk may not fetch files. */
function fromBundle(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(NOT_IN_BUNDLE));
    const script = document.createElement("script");
    script.src = `api/${path}.js`;
    script.onload = () => {
      resolve(globalThis.bundled!);
      script.remove();
    };
    script.onerror = fail;
    document.head.append(script);
  });
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return isBundled() ? JSON.parse(await fromBundle(path)) : (await ask(path, init)).json();
}

async function bytes(path: string, init?: RequestInit): Promise<Uint8Array> {
  return isBundled()
    ? Uint8Array.from(atob(await fromBundle(path)), (letter) => letter.charCodeAt(0))
    : new Uint8Array(await (await ask(path, init)).arrayBuffer());
}

const forgetters: (() => void)[] = [];

/** Keeps the last answers by address; addresses carry the run's version, so a changed run has new ones. */
function remembered<T>(limit: number, fetch: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  forgetters.push(() => kept.clear());
  return (path) => {
    const known = kept.get(path);
    if (known !== undefined) {
      kept.delete(path);
      kept.set(path, known);
      return known;
    }
    const asked = fetch(path);
    kept.set(path, asked);
    asked.catch(() => kept.delete(path));
    for (const old of kept.keys()) {
      if (kept.size <= limit) break;
      kept.delete(old);
    }
    return asked;
  };
}

function posted(body: BodyInit, type = "json"): RequestInit {
  return { method: "POST", headers: { "content-type": `application/${type}` }, body };
}

/** The version of the run that the answers belong to. */
let version = "";

/** An address that contains the run's version, so that its answer can be cached forever. */
function fixed(path: string): string {
  if (version === "" || isBundled()) return path;
  return `${path}${path.includes("?") ? "&" : "?"}v=${encodeURIComponent(version)}`;
}

/** @param steps `10..30`: only these steps; a bundle cannot answer that */
function ofSteps<T>(name: string, steps?: string): Promise<T> {
  return json(fixed(steps === undefined ? name : `${name}?steps=${steps}`));
}

const sequences = remembered(32, async (path) => decodeSequence(await bytes(path)));
const studyTexts = remembered(32, async (path) => decodeStudyText(await bytes(path)));
const alternatives = remembered(64, async (path) => decodeTopK(await bytes(path)));

function topK(of: string, index: number, from: number, count: number): Promise<WireTopK> {
  const path = `${of}sequence/${index}/topk?from=${from}&count=${count}`;
  return alternatives(isBundled() ? `${of}topk/${index}` : fixed(path));
}

/** Each file of a bundle holds many rows; those that were not requested are kept, too. */
const briefFiles = remembered(64, async (path) => decodeBriefs(await bytes(path)));

async function bundledBriefs(rows: readonly number[]): Promise<ReadonlyMap<number, SequenceBrief>> {
  const files = [...new Set(rows.map((row) => Math.floor(row / BRIEFS_PER_FILE)))];
  const found = await Promise.all(files.map((file) => briefFiles(`briefs/${file}`)));
  return new Map(
    files.flatMap((file, at) =>
      found[at]!.map((brief, row): [number, SequenceBrief] => [file * BRIEFS_PER_FILE + row, brief]),
    ),
  );
}

export const client = {
  /** Call when the run has changed: the cached answers are outdated. */
  forget: (): void => {
    for (const forget of forgetters) forget();
  },
  /** What the server has now; the page's other answers stay those of the version it has loaded. */
  latest: (): Promise<ViewInfo> => json("run"),
  /** The list of runs of `logratio serve`, of which the page shows one. */
  listed: (): Promise<RunsInfo> => json("../../../api/run"),
  run: async (): Promise<ViewInfo> => {
    const info = await json<ViewInfo>("run");
    version = info.version;
    return info;
  },
  answerTables: (steps?: string): Promise<AnswerPage> => ofSteps("answer-tables", steps),
  report: (): Promise<MismatchReport> => json(fixed("report")),
  reportTables: (steps?: string): Promise<PageDocument> => ofSteps("report-tables", steps),
  steps: (): Promise<StepSeries> => json(fixed("steps")),
  /** Without a version: alerts are raised while the run is shown. */
  alerts: (): Promise<AlertList> => json("alerts"),
  /** Without a version: readers change them while the run stays the same. */
  stars: (): Promise<StarList> => json("stars"),
  story: (): Promise<StoryPage> => json("story"),
  changeStar: (change: StarChange): Promise<StarList> => json("stars", posted(JSON.stringify(change))),
  prompts: (text: string, signal: AbortSignal): Promise<PromptMatches> =>
    json(fixed(`prompts?text=${encodeURIComponent(text)}`), { signal }),
  savedFilters: (): Promise<SavedFilterList> => json("filters"),
  /** A null `filter` removes the saved filter of that name. */
  changeFilter: (name: string, filter: string | null): Promise<SavedFilterList> =>
    json("filters", posted(JSON.stringify({ name, filter }))),
  sqlTables: (): Promise<SqlTables> => json("sql"),
  sql: (sql: string, signal: AbortSignal): Promise<SqlAnswer> =>
    json("sql", { ...posted(JSON.stringify({ sql })), signal }),
  /** Without a version: the logger keeps writing. */
  logged: (): Promise<LoggedMetrics> => json("logged"),
  table: async (): Promise<SequenceTable> => decodeTable(await bytes(fixed("sequences"))),
  sequence: (index: number): Promise<WireSequence> => sequences(fixed(`sequence/${index}`)),
  /** Alternatives from token `from` on. The answer says which tokens it covers; in a bundle it covers all. */
  topK: (index: number, from: number, count: number): Promise<WireTopK> => topK("", index, from, count),
  /** What lists show of these rows; 256 of them at most. */
  briefs: async (rows: readonly number[]): Promise<ReadonlyMap<number, SequenceBrief>> => {
    if (isBundled()) return bundledBriefs(rows);
    const found = decodeBriefs(await bytes(fixed(`briefs?rows=${rows.join(",")}`)));
    return new Map(rows.map((row, at) => [row, found[at]!]));
  },
  /** The group of a sequence; a bundle has it under the group's first sequence only. */
  group: (index: number): Promise<GroupPage> => json(fixed(`group/${index}`)),
  tokens: (): Promise<TopTokens> => json(fixed("tokens")),
  /** The turns of every sequence. */
  turns: async (): Promise<TurnTable> => decodeTurns(await bytes(fixed("turns"))),
  /** The tokens that a filter keeps; a bundle cannot answer that. */
  match: async (filter: string, signal: AbortSignal): Promise<TokenMatches> =>
    decodeMatches(await bytes(fixed(`match?filter=${encodeURIComponent(filter)}`), { signal })),
  matchTokens: (filter: string, signal: AbortSignal): Promise<MatchingTokens> =>
    json(fixed(`match/tokens?filter=${encodeURIComponent(filter)}`), { signal }),
  matchGroups: (filter: string, signal: AbortSignal): Promise<MatchingGroups> =>
    json(fixed(`match/groups?filter=${encodeURIComponent(filter)}`), { signal }),
  matchTerms: (filter: string, signal: AbortSignal): Promise<TermCounts> =>
    json(fixed(`match/terms?filter=${encodeURIComponent(filter)}`), { signal }),
  correctBins: (steps?: string): Promise<CorrectBins> => ofSteps("correct-bins", steps),
  sweep: (steps?: string): Promise<SweepReport> => ofSteps("sweep", steps),
  digitsTables: (): Promise<PageDocument> => json(fixed("digits-tables")),
  healthTables: (steps?: string): Promise<PageDocument> => ofSteps("health-tables", steps),
  doctorTables: (): Promise<PageDocument> => json(fixed("doctor-tables")),
  /** Only if `compared` names other runs; `other` takes the index of one of them. */
  comparedRuns: (): Promise<ComparedRuns> => json(fixed("compared-runs")),
  comparison: (at: number): Promise<RunComparison> => json(fixed(comparedPath("compare", at))),
  other: (at: number) => {
    const folder = comparedPath("other", at);
    return {
      run: (): Promise<RunInfo> => json(fixed(`${folder}/run`)),
      steps: (): Promise<StepSeries> => json(fixed(`${folder}/steps`)),
      table: async (): Promise<SequenceTable> => decodeTable(await bytes(fixed(`${folder}/sequences`))),
      sequence: (index: number): Promise<WireSequence> => sequences(fixed(`${folder}/sequence/${index}`)),
      topK: (index: number, from: number, count: number): Promise<WireTopK> =>
        topK(`${folder}/`, index, from, count),
    };
  },
  /** Only of a study. */
  study: {
    tables: (): Promise<PageDocument> => json(fixed("study-tables")),
    texts: (): Promise<StudyTexts> => json(fixed("study-texts")),
    text: (index: number): Promise<WireStudyText> => studyTexts(fixed(`study-text/${index}`)),
  },
  /** Uploads files to compare with: `piece` in order, then `read`, which gives the name of the new run. */
  drops: {
    begin: (): Promise<{ readonly id: number }> => json("drops", posted("{}")),
    piece: (id: number, name: string, at: number, piece: ArrayBuffer): Promise<unknown> =>
      ask(`drops/${id}/file?name=${encodeURIComponent(name)}&at=${at}`, posted(piece, "octet-stream")),
    read: (id: number): Promise<{ readonly name: string }> => json(`drops/${id}/read`, posted("{}")),
  },
  /** What terms mean: the same for every run. */
  glossary: (): Promise<Glossary> => json("glossary"),
  /** Converts a table's rows from JSON to Parquet. */
  parquet: async (json: string): Promise<Blob> => (await ask("parquet", posted(json))).blob(),
  /** A bundle only has answers that were prepared, such as that for the recommended correction. */
  correct: async (question: CorrectQuestion): Promise<CorrectAnswer> => {
    if (!isBundled()) return json("correct", posted(JSON.stringify(question)));
    const { [question.correction]: known } = await json<Readonly<Record<string, CorrectAnswer>>>("correct");
    if (known === undefined) throw new Error(NOT_IN_BUNDLE);
    return known;
  },
  correctSteps: (question: CorrectQuestion): Promise<CorrectSteps> =>
    json("correct/steps", posted(JSON.stringify(question))),
} as const;
