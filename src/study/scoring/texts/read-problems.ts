import { isObject, type Place, SchemaError } from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import type { ColumnReader } from "./columns.ts";
import { readEntries } from "./read-entries.ts";
import { asIntegers, asLevel, asName } from "./values.ts";

/** A problem, and what is known about it. */
export interface Problem {
  readonly id: string;
  readonly at: Place;
  /** The text before any template is applied. */
  readonly text: string | undefined;
  readonly promptIds: Int32Array | undefined;
  readonly level: number | undefined;
  readonly subject: string | undefined;
  readonly answer: string | undefined;
}

/**
 * A list of problems (`filtered_problems.json`): rows with an id and a text, or an object from ids to such rows.
 *
 * @returns by id, in the order of the file
 * @throws SchemaError when no row has an id, or none a text
 */
export async function readProblems(
  file: string,
  columns: ColumnReader,
  findings: FindingLog,
): Promise<Map<string, Problem>> {
  const problems = new Map<string, Problem>();
  /** Ids given to problems that have none in the file. */
  const byText = new Map<string, string>();
  let rows = 0;
  let withText = 0;
  await readEntries(
    file,
    findings,
    (fields) => typeof columns.get(fields, "prompt") === "string",
    ({ at, key, text: whole, fields }) => {
      rows++;
      const own = asName(columns.get(fields, "problem_id")) ?? asName(columns.get(fields, "id")) ?? key;
      const prompt = whole ?? columns.get(fields, "prompt");
      const text = typeof prompt === "string" ? prompt : undefined;
      const promptIds = asIntegers(columns.get(fields, "prompt_ids"));
      if (text !== undefined || promptIds !== undefined) withText++;
      // Responses are matched by its text, so two problems with the same text are one.
      const id = own ?? (text === undefined ? undefined : (byText.get(text) ?? `row ${at.row ?? rows - 1}`));
      if (own === undefined && text !== undefined) {
        byText.set(text, id!);
        reportUnnamed(findings, file, at);
      }
      if (id === undefined) {
        findings.add({
          code: "bad-row",
          severity: "skipped",
          count: 1,
          subject: `${file} without id`,
          at,
          describe: (count) => `${count} ${count === 1 ? "problem has" : "problems have"} no id and no text`,
          hint: "responses are found by unique_id, problem_id or id, or by the problem's text",
        });
        return;
      }
      const known = problems.get(id);
      if (known !== undefined) {
        findings.add({
          code: "duplicate",
          severity: known.text === text ? "info" : "skipped",
          count: 1,
          subject: `${file} problems`,
          at: { ...at, entry: id },
          describe: (count) =>
            `${count} ${count === 1 ? "problem has" : "problems have"} a repeated id; the first of each is kept`,
        });
        return;
      }
      problems.set(id, {
        id,
        at,
        text,
        promptIds,
        level: asLevel(columns.get(fields, "level")),
        subject: asName(columns.get(fields, "subject")),
        answer: readAnswer(columns.get(fields, "answer")),
      });
    },
  );
  if (rows > 0 && problems.size === 0)
    throw nothing(file, rows, "an id (unique_id, problem_id, id) or a text");
  if (rows > 0 && withText === 0) throw nothing(file, rows, "a text (problem, prompt, question, input)");
  return problems;
}

function reportUnnamed(findings: FindingLog, file: string, at: Place): void {
  findings.add({
    code: "note",
    severity: "info",
    count: 1,
    subject: `${file} by text`,
    at,
    describe: (count) =>
      `${count} ${count === 1 ? "problem has" : "problems have"} no id: responses to ${count === 1 ? "it" : "them"} are found by the problem's text`,
  });
}

/** A text or number; the first of a list of accepted ones. */
export function readAnswer(value: unknown): string | undefined {
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !isObject(value)))
    return asName((value as ArrayLike<unknown>)[0]);
  return asName(value);
}

function nothing(file: string, rows: number, what: string): SchemaError {
  return new SchemaError(`none of the ${rows} problems has ${what}`, {
    at: { file },
    likely: "the file lists something else, or under other names",
    hint: "name its columns, for instance problem_id=NAME or prompt=NAME",
  });
}
