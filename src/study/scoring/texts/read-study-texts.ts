import { UsageError } from "../../../core/base/index.ts";
import { type Finding, FindingLog } from "../../../core/schema/index.ts";
import type { TokenDecoder } from "../../../input/tokens/index.ts";
import { type ColumnNames, columnReader } from "./columns.ts";
import { type NamedResponse, nameTexts } from "./names.ts";
import { openPreparation } from "./preparation.ts";
import { type PreparedText, prepareText } from "./prepare-text.ts";
import { type Problem, readProblems } from "./read-problems.ts";
import { type Response, type ResponsesFile, readResponses } from "./read-responses.ts";

export interface ReadTextsOptions {
  /** Directory with `tokenizer.json`, or an open tokenizer. */
  readonly tokenizer?: string | TokenDecoder | undefined;
  /** A list of problems: only responses to these are used, and missing prompts come from here. */
  readonly problems?: string | undefined;
  /**
   * Files of responses by source: `{ dpo: "dpo_responses.json" }`. The name takes precedence over a `source` column.
   */
  readonly responses?: Readonly<Record<string, string>> | undefined;
  /** Files of responses without a source name, usually with prompts. */
  readonly files?: readonly string[] | undefined;
  /** Names of columns that differ from those tried. */
  readonly columns?: ColumnNames | undefined;
  /** Template for a problem's text, at `{problem}`; default the text alone. Given prompt ids are not changed. */
  readonly promptTemplate?: string | undefined;
  /** Whether responses that are encoded here end in the tokenizer's end-of-text token; default false. */
  readonly appendEos?: boolean | undefined;
  /** Maximum texts of the first author to read; for other authors, those of the same problems. */
  readonly limit?: number | undefined;
  /** Whether to leave out texts that are right or of unknown correctness; default false. */
  readonly onlyWrong?: boolean | undefined;
  /** Keeps only texts for problems that these policies themselves get right or wrong; default all. */
  readonly onlyOutcomes?: Readonly<Record<string, "right" | "wrong">> | undefined;
}

export interface StudyTexts {
  /** In the order of the files. */
  readonly texts: readonly PreparedText[];
  readonly findings: readonly Finding[];
}

/**
 * Reads responses, and the problems that they answer, into texts to force through policies. Everything left out or
 * changed becomes a finding; texts and files are in memory.
 *
 * @throws UsageError when no tokenizer or no responses are given, or the template has no place for the problem
 * @throws SchemaError when a file has no column of responses (a file of problems: no ids or no texts)
 */
export async function readStudyTexts(options: ReadTextsOptions): Promise<StudyTexts> {
  const files = [
    ...Object.entries(options.responses ?? {}).map(([source, file]): ResponsesFile => ({ file, source })),
    ...(options.files ?? []).map((file): ResponsesFile => ({ file })),
  ];
  if (files.length === 0) {
    throw new UsageError("there are no responses to score: no file was named", {
      hint: "name a file of responses, or have them sampled",
    });
  }
  const findings = new FindingLog();
  const columns = columnReader(options.columns ?? {});
  const preparation = await openPreparation(options);
  const problems =
    options.problems === undefined ? undefined : await readProblems(options.problems, columns, findings);
  const read: Response[] = [];
  for (const file of files) for (const one of await readResponses(file, columns, findings)) read.push(one);
  const names = files.map(({ file }) => file);
  columns.checkSeen([...(options.problems === undefined ? [] : [options.problems]), ...names]);
  const wanted = problems === undefined ? read : answersTo(problems, read, names, findings);
  const prepare = (one: NamedResponse): PreparedText | undefined =>
    prepareText(one, problems?.get(one.problem), preparation, findings);
  const texts = cutTexts(nameTexts(wanted, findings), options.limit, prepare, findings);
  return { texts, findings: findings.list() };
}

/** The first texts of the first author, and other authors' texts for the same problems, in the order of the files. */
function cutTexts(
  named: readonly NamedResponse[],
  limit: number | undefined,
  prepare: (one: NamedResponse) => PreparedText | undefined,
  findings: FindingLog,
): PreparedText[] {
  const author = named[0]?.given.source;
  const found: (PreparedText | undefined)[] = [];
  const problems = new Set<string>();
  let taken = 0;
  const leaveOut = ({ given }: NamedResponse): void =>
    findings.add({
      code: "note",
      severity: "info",
      count: 1,
      subject: "limit",
      at: given.at,
      describe: (count) =>
        `${count} ${count === 1 ? "text" : "texts"} after the first ${limit} ${count === 1 ? "was" : "were"} left out by --limit`,
    });
  for (const isFirst of [true, false]) {
    for (const [i, one] of named.entries()) {
      if ((one.given.source === author) !== isFirst) continue;
      if (limit !== undefined && (isFirst ? taken === limit : !problems.has(one.problem))) {
        leaveOut(one);
        continue;
      }
      found[i] = prepare(one);
      if (found[i] === undefined) continue;
      taken++;
      if (isFirst) problems.add(one.problem);
    }
  }
  return found.filter((text) => text !== undefined);
}

/** Responses to the listed problems; a row without a problem's id is matched by its prompt. */
function answersTo(
  problems: ReadonlyMap<string, Problem>,
  responses: readonly Response[],
  files: readonly string[],
  findings: FindingLog,
): Response[] {
  const byText = new Map(
    [...problems.values()].flatMap(({ id, text }) => (text === undefined ? [] : [[text, id]])),
  );
  const wanted: Response[] = [];
  const answered = new Set<string>();
  for (const response of responses) {
    const byId = [response.problem, response.id].find((id) => id !== undefined && problems.has(id));
    const problem = byId ?? (response.prompt === undefined ? undefined : byText.get(response.prompt));
    if (problem !== undefined) {
      answered.add(problem);
      wanted.push({ ...response, problem, ...(problem === response.id && { id: undefined }) });
      continue;
    }
    findings.add({
      code: "note",
      severity: "info",
      count: 1,
      subject: "not listed",
      at: response.at,
      describe: (count) =>
        `${count} ${count === 1 ? "response is" : "responses are"} to problems that are not in the list of problems`,
    });
  }
  for (const { id, at } of problems.values()) {
    if (answered.has(id)) continue;
    findings.add({
      code: "no-response",
      severity: "skipped",
      count: 1,
      subject: "problems",
      at: { ...at, entry: id },
      describe: (count) =>
        `${count} of ${problems.size} problems ${count === 1 ? "has" : "have"} no response in ${files.join(", ")}`,
      ...(answered.size === 0 && { likely: "the two files name problems differently" }),
    });
  }
  return wanted;
}
