/**
 * Chooses and orders the list of texts.
 *
 * @module
 */
import type { StudyTextRow } from "../../../../../src/results/view.ts";

const VALUES = {
  index: ({ index }) => index,
  text: ({ text }) => text,
  answer: ({ correct }) => (correct === null ? null : Number(correct)),
  tokens: ({ own_tokens }) => own_tokens,
  kl: ({ mean_kl }, at) => mean_kl[at] ?? null,
  most: ({ max_kl }, at) => max_kl[at] ?? null,
  spikes: ({ spikes }, at) => spikes[at] ?? null,
} as const satisfies Record<string, (row: StudyTextRow, checkpoint: number) => number | string | null>;

export type OrderKey = keyof typeof VALUES;

export interface TextOrder {
  readonly key: OrderKey;
  readonly descending: boolean;
}

export function isTextOrder(key: string | undefined): key is OrderKey {
  return key !== undefined && Object.hasOwn(VALUES, key);
}

export interface TextChoice {
  readonly find: string;
  readonly answer: "all" | "right" | "wrong" | "unknown";
  readonly order: TextOrder;
  /** The checkpoint whose KL and spikes are used. */
  readonly checkpoint: number;
}

/** Texts with all words of `find` in anything known about them, sorted; texts without the figure come last. */
export function chooseTexts(rows: readonly StudyTextRow[], choice: TextChoice): StudyTextRow[] {
  const words = choice.find.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = rows.filter((row) => isAnswered(row, choice.answer) && hasWords(row, words));
  const { key, descending } = choice.order;
  const way = descending ? -1 : 1;
  return chosen
    .map((row) => ({ row, value: VALUES[key](row, choice.checkpoint) }))
    .sort((a, b) => {
      if (a.value === b.value) return a.row.index - b.row.index;
      if (a.value === null) return 1;
      if (b.value === null) return -1;
      return (a.value < b.value ? -1 : 1) * way;
    })
    .map(({ row }) => row);
}

function isAnswered({ correct }: StudyTextRow, answer: TextChoice["answer"]): boolean {
  if (answer === "all") return true;
  return answer === "unknown" ? correct === null : correct === (answer === "right");
}

function hasWords(row: StudyTextRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { handle, text, problem, source, subject, level, opening } = row;
  const all = [handle, text, problem, source, subject, level === null ? null : `level ${level}`, opening]
    .filter((part) => part !== null)
    .join("\n")
    .toLowerCase();
  return words.every((word) => all.includes(word));
}

/** The text after or before another in the list; the first if the other is not in the list. */
export function neighbour(rows: readonly StudyTextRow[], index: number, way: 1 | -1): number | undefined {
  const at = rows.findIndex((row) => row.index === index);
  return (at < 0 ? rows[0] : rows[at + way])?.index;
}
