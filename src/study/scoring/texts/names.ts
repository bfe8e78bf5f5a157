import type { FindingLog } from "../../../core/schema/index.ts";
import type { Response } from "./read-responses.ts";

/** A response with its names in the study. */
export interface NamedResponse {
  readonly given: Response;
  /** Id of the text, unique. */
  readonly id: string;
  readonly problem: string;
}

/**
 * Names texts so that names stay the same when other files are added.
 *
 * The problem is the row's problem id, else its own id, else `row N` for the first row with the same prompt. The text
 * is named by its own id if it has one besides the problem's, else by the problem; with the source as a prefix if known
 * (`dpo:calc/solve/0000`), and with `#0`, `#1`, … appended if several would have the same name, in reading order.
 */
export function nameTexts(responses: readonly Response[], findings: FindingLog): NamedResponse[] {
  const byPrompt = new Map<string, string>();
  const rows = new Set<string>();
  const named = responses.map((given) => {
    const problem = given.problem ?? given.id ?? promptName(given, byPrompt, rows);
    const own = given.problem === undefined ? problem : (given.id ?? problem);
    const base = given.source === undefined ? own : `${given.source}:${own}`;
    return { given, problem, base, ownId: given.problem !== undefined && given.id !== undefined };
  });
  const counts = new Map<string, number>();
  for (const { base } of named) counts.set(base, (counts.get(base) ?? 0) + 1);
  const taken = new Set([...counts].filter(([, count]) => count === 1).map(([base]) => base));
  const next = new Map<string, number>();
  return named.map(({ given, problem, base, ownId }) => {
    if (counts.get(base) === 1) return { given, problem, id: base };
    let number = next.get(base) ?? 0;
    while (taken.has(`${base}#${number}`)) number++;
    next.set(base, number + 1);
    if (ownId && number > 0) {
      findings.add({
        code: "duplicate",
        severity: "warning",
        count: 1,
        at: { ...given.at },
        describe: (count) =>
          `${count} ${count === 1 ? "text has" : "texts have"} a repeated id (${base}); #0, #1, … is appended`,
        likely: "several files hold the same rows, or the id is that of the problem",
        hint: "name the column of the problem: problem_id=NAME",
      });
    }
    return { given, problem, id: `${base}#${number}` };
  });
}

function promptName(
  { at, prompt, promptIds }: Response,
  byPrompt: Map<string, string>,
  rows: Set<string>,
): string {
  const row = `row ${at.row ?? 0}`;
  const key = prompt ?? promptIds?.join() ?? `${at.file} ${row}`;
  const known = byPrompt.get(key);
  if (known !== undefined) return known;
  // Another file has a row with that number but a different prompt.
  const name = rows.has(row) ? `${row} of ${at.file}` : row;
  rows.add(row);
  byPrompt.set(key, name);
  return name;
}
