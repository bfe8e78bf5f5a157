import { FormatError, isObject, SchemaError } from "../../../core/base/index.ts";
import { columnReader, openFields } from "./columns.ts";
import { openRows } from "./open-rows.ts";
import { asCorrect, asName } from "./values.ts";

/** Whether a problem was solved, by its id. */
export type Outcomes = Map<string, boolean>;

const CHECKPOINT_COLUMNS = ["checkpoint", "policy", "model"] as const;

/**
 * Which problems checkpoints solve themselves: `{"ID": true}`, a file of responses with `correct` (an object or rows),
 * or RL-Probe's `all_checkpoint_results.json` (`{"all_results": {"CHECKPOINT": {"ID": true}}}`, also without
 * `all_results`). Rows may name the checkpoint. Of several responses to one problem, more than half must be right.
 * Responses that are neither right nor wrong are left out.
 *
 * @returns by checkpoint; `""` if the file names none
 * @throws SchemaError when the file does not say for any problem whether it was solved
 * @throws FormatError when a row cannot be read
 */
export async function readOutcomes(file: string): Promise<Map<string, Outcomes>> {
  const document = await openRows(file);
  const votes = new OutcomeVotes();
  try {
    if (document.kind === "rows") {
      const columns = columnReader({});
      const onBadRow = ({ row, message }: { readonly row: number; readonly message: string }): never => {
        throw new FormatError(`row ${row} cannot be read: ${message}`, { at: { file, row } });
      };
      for await (const chunk of document.chunks({ onBadRow })) {
        for (let i = 0; i < chunk.length; i++) {
          const fields = (name: string): unknown => chunk.get(i, name);
          const id = asName(columns.get(fields, "problem_id")) ?? asName(columns.get(fields, "id"));
          const checkpoint = CHECKPOINT_COLUMNS.map((name) => asName(fields(name))).find(
            (name) => name !== undefined,
          );
          if (id !== undefined) votes.add(checkpoint ?? "", id, asCorrect(columns.get(fields, "correct")));
        }
      }
    } else {
      const all = document.root.all_results;
      readObject(isObject(all) ? all : document.root, votes);
    }
  } finally {
    await document.close();
  }
  const outcomes = votes.decide();
  if (outcomes.size > 0) return outcomes;
  throw new SchemaError("the file does not say of any problem whether it was solved", {
    at: { file },
    hint: 'outcomes are read from {"ID": true}, {"ID": {"correct": true}}, {"all_results": {"CHECKPOINT": {"ID": true}}} and rows with an id and correct',
  });
}

/**
 * Outcomes by policy, from all files of a study.
 *
 * @param files by the policy whose outcomes they hold; `""` for a file that names policies itself
 * @throws as `readOutcomes` does
 */
export async function readOutcomeFiles(
  files: Readonly<Record<string, string>>,
): Promise<Map<string, Outcomes>> {
  const found = new Map<string, Outcomes>();
  for (const [policy, file] of Object.entries(files))
    for (const [name, outcomes] of await readOutcomes(file)) found.set(name || policy, outcomes);
  return found;
}

/** Whether a policy's responses to its problems are right; more than half must be. */
export class OutcomeVotes {
  readonly #votes = new Map<string, Map<string, boolean[]>>();

  add(policy: string, problem: string, correct: boolean | undefined): void {
    if (correct === undefined) return;
    const of = this.#votes.get(policy) ?? new Map<string, boolean[]>();
    this.#votes.set(policy, of.set(problem, [...(of.get(problem) ?? []), correct]));
  }

  /** Outcomes by policy. */
  decide(): Map<string, Outcomes> {
    const decide = (of: Map<string, boolean[]>): Outcomes =>
      new Map([...of].map(([problem, votes]) => [problem, 2 * votes.filter(Boolean).length > votes.length]));
    return new Map([...this.#votes].map(([policy, of]) => [policy, decide(of)]));
  }
}

function readObject(root: Readonly<Record<string, unknown>>, votes: OutcomeVotes): void {
  for (const [key, value] of Object.entries(root)) {
    const own = flattenOutcomes(value);
    if (own.length > 0) for (const correct of own) votes.add("", key, correct);
    else if (isObject(value)) {
      for (const [id, inner] of Object.entries(value))
        for (const correct of flattenOutcomes(inner)) votes.add(key, id, correct);
    }
  }
}

/** The booleans in `true`, `{"correct": true}` or a list of either. */
function flattenOutcomes(value: unknown): boolean[] {
  if (typeof value === "boolean") return [value];
  if (Array.isArray(value)) return value.flatMap(flattenOutcomes);
  if (!isObject(value)) return [];
  const correct = asCorrect(columnReader({}).get(openFields(value), "correct"));
  return correct === undefined ? [] : [correct];
}
