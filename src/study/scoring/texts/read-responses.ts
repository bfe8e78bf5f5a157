import { isObject, type Place, SchemaError, Unavailable } from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import type { ColumnReader, Fields } from "./columns.ts";
import { type Entry, readEntries } from "./read-entries.ts";
import { readAnswer } from "./read-problems.ts";
import { asCorrect, asIntegers, asLevel, asName } from "./values.ts";

/** A file of responses, and their source. */
export interface ResponsesFile {
  readonly file: string;
  /** `dpo`, `rlvr`; takes precedence over a `source` column. */
  readonly source?: string | undefined;
}

/** The content of a file about one response. */
export interface Response {
  readonly at: Place;
  readonly id: string | undefined;
  readonly problem: string | undefined;
  readonly source: string | undefined;
  /** The prompt before any template is applied. */
  readonly prompt: string | undefined;
  readonly promptIds: Int32Array | undefined;
  readonly response: string | undefined;
  readonly responseIds: Int32Array | undefined;
  readonly mask: Int32Array | undefined;
  readonly correct: boolean | undefined;
  readonly level: number | undefined;
  readonly subject: string | undefined;
  readonly answer: string | undefined;
  readonly errorToken: number | undefined;
}

/**
 * The responses of one file, in its order: rows, or an object from problem ids to responses. Those without a response
 * and those with columns of the wrong type are counted and left out.
 *
 * @throws SchemaError when no row has a response
 */
export async function readResponses(
  { file, source }: ResponsesFile,
  columns: ColumnReader,
  findings: FindingLog,
): Promise<Response[]> {
  const responses: Response[] = [];
  const names = new Set<string>();
  let rows = 0;
  const isRow = (fields: Fields): boolean =>
    typeof columns.get(fields, "response") === "string" ||
    asIntegers(columns.get(fields, "response_ids")) !== undefined;
  await readEntries(file, findings, isRow, (entry) => {
    rows++;
    const read = readOne(entry, source, columns);
    if (read instanceof Unavailable) leaveOut(findings, file, entry.at, read);
    else responses.push(read);
    if (rows === 1) for (const name of entry.names) names.add(name);
  });
  if (rows > 0 && responses.length === 0) {
    throw new SchemaError(
      `none of the ${rows} rows has a response (response, completion, output, rollout or response_ids)${names.size === 0 ? "" : `; the first has ${[...names].slice(0, 16).join(", ")}`}`,
      { at: { file }, hint: "name its column: response=NAME" },
    );
  }
  return responses;
}

/** An Unavailable says what is wrong with it. */
function readOne(
  { at, key, text, fields }: Entry,
  source: string | undefined,
  columns: ColumnReader,
): Response | Unavailable {
  const get = (column: Parameters<ColumnReader["get"]>[1]): unknown => columns.get(fields, column);
  const response = text ?? get("response");
  const given = {
    prompt_ids: get("prompt_ids"),
    response_ids: get("response_ids"),
    response_mask: get("response_mask"),
  };
  if (response === undefined && given.response_ids === undefined) return NO_RESPONSE;
  if (response !== undefined && typeof response !== "string")
    return new Unavailable(`its response is ${describeKind(response)}, not a text`);
  const ids: Partial<Record<keyof typeof given, Int32Array>> = {};
  for (const name of ["prompt_ids", "response_ids", "response_mask"] as const) {
    if (given[name] === undefined) continue;
    const integers = asIntegers(given[name]);
    if (integers === undefined) return new Unavailable(`its ${name} is not a list of whole numbers`);
    ids[name] = integers;
  }
  const prompt = get("prompt");
  if (prompt !== undefined && typeof prompt !== "string" && ids.prompt_ids === undefined)
    return new Unavailable(
      `its prompt is ${describeKind(prompt)}, not a text: render messages with the model's chat template first`,
    );
  const error = get("error_token");
  return {
    at,
    id: asName(get("id")),
    problem: key ?? asName(get("problem_id")),
    source: source ?? asName(get("source")),
    prompt: typeof prompt === "string" ? prompt : undefined,
    promptIds: ids.prompt_ids,
    response,
    responseIds: ids.response_ids,
    mask: ids.response_mask,
    correct: asCorrect(get("correct")),
    level: asLevel(get("level")),
    subject: asName(get("subject")),
    answer: readAnswer(get("answer")),
    errorToken: typeof error === "number" && error >= 0 ? error : undefined,
  };
}

const NO_RESPONSE = new Unavailable("it has no response");

function leaveOut(findings: FindingLog, file: string, at: Place, reason: Unavailable): void {
  findings.add({
    code: reason === NO_RESPONSE ? "no-response" : "bad-row",
    severity: "skipped",
    count: 1,
    subject: file,
    at,
    describe: (count) =>
      reason === NO_RESPONSE
        ? `${count} ${count === 1 ? "row has" : "rows have"} no response`
        : `${count} ${count === 1 ? "row" : "rows"} cannot be used, the first: ${reason.why}`,
  });
}

function describeKind(value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "a list";
  return isObject(value) ? "an object" : `a ${typeof value}`;
}
