import { FormatError, SchemaError } from "../../core/base/index.ts";
import { columnReader, isObject, openFields } from "./columns.ts";
import { openRows } from "./open-rows.ts";
import { asCorrect, asName } from "./values.ts";

/** Whether a problem was solved, by its id. */
export type Outcomes = Map<string, boolean>;

const CHECKPOINT_COLUMNS = ["checkpoint", "policy", "model"] as const;

/**
 * Which problems checkpoints solve themselves: `{"ID": true}`, a file of responses with `correct` (an object or rows),
 * or RL-Probe's `all_checkpoint_results.json` (`{"all_results": {"CHECKPOINT": {"ID": true}}}`, also without
 * `all_results`). Rows may name the checkpoint. Of several responses to one problem, more than half must be right. What
 * is neither right nor wrong is left out.
 *
 * @returns by checkpoint; `""` where the file names none
 * @throws SchemaError when the file says of no problem whether it was solved
 * @throws FormatError when a row cannot be read
 */
export async function readOutcomes(file: string): Promise<Map<string, Outcomes>> {
  const document = await openRows(file);
  const votes = new Map<string, Map<string, number[]>>();
  const vote = (checkpoint: string, id: string, correct: boolean | undefined): void => {
    if (correct === undefined) return;
    const of = votes.get(checkpoint) ?? new Map<string, number[]>();
    votes.set(checkpoint, of);
    of.set(id, [...(of.get(id) ?? []), correct ? 1 : 0]);
  };
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
          if (id !== undefined) vote(checkpoint ?? "", id, asCorrect(columns.get(fields, "correct")));
        }
      }
    } else {
      const all = document.root.all_results;
      readObject(isObject(all) ? all : document.root, vote);
    }
  } finally {
    await document.close();
  }
  if (votes.size === 0) {
    throw new SchemaError("the file does not say of any problem whether it was solved", {
      at: { file },
      hint: 'outcomes are read from {"ID": true}, {"ID": {"correct": true}}, {"all_results": {"CHECKPOINT": {"ID": true}}} and rows with an id and correct',
    });
  }
  return new Map(
    [...votes].map(([checkpoint, of]) => [
      checkpoint,
      new Map([...of].map(([id, of]) => [id, majority(of)])),
    ]),
  );
}

function readObject(
  root: Readonly<Record<string, unknown>>,
  vote: (checkpoint: string, id: string, correct: boolean | undefined) => void,
): void {
  for (const [key, value] of Object.entries(root)) {
    const own = flattenOutcomes(value);
    if (own.length > 0) for (const correct of own) vote("", key, correct);
    else if (isObject(value)) {
      for (const [id, inner] of Object.entries(value))
        for (const correct of flattenOutcomes(inner)) vote(key, id, correct);
    }
  }
}

/** Of `true`, `{"correct": true}` or a list of either. */
function flattenOutcomes(value: unknown): boolean[] {
  if (typeof value === "boolean") return [value];
  if (Array.isArray(value)) return value.flatMap(flattenOutcomes);
  if (!isObject(value)) return [];
  const correct = asCorrect(columnReader({}).get(openFields(value), "correct"));
  return correct === undefined ? [] : [correct];
}

function majority(votes: readonly number[]): boolean {
  return 2 * votes.reduce((sum, vote) => sum + vote, 0) > votes.length;
}
