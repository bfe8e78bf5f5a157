/**
 * What one can filter sequences by. The page shows this table as its help.
 *
 * @module
 */
import type { SequenceColumn, SequenceTable, SequenceText } from "../../../src/wire/index.ts";

interface FieldText {
  /** As written before the operator. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** One line: meaning and unit. */
  readonly meaning: string;
  readonly example: string;
}

export interface NumberField extends FieldText {
  readonly kind: "number" | "yes-no";
  /** `[table.length]`, NaN where missing. */
  readonly values: (table: SequenceTable) => Float64Array;
}

export interface TextField extends FieldText {
  readonly kind: "text";
  readonly column: SequenceText;
}

export type Field = NumberField | TextField;

export const FIELDS: readonly Field[] = [
  numeric("step", "step", [], "training step", "step:10..30"),
  numeric("rank", "rank", [], "rank", "rank:0"),
  numeric("row", "row", [], "row in its file", "row:41"),
  textual("sample", "sample", [], "sample id (part of it; = for all of it)", "sample:abc"),
  textual("group", "group", [], "GRPO group, the prompt's id", "group:calc/solve/0001"),
  textual("env", "environment", ["environment"], "environment", "env:math"),
  textual("file", "file", [], "file that it was read from", "file:step_0100"),
  numeric("reward", "reward", [], "reward", "reward<0"),
  {
    kind: "yes-no",
    name: "correct",
    aliases: ["right"],
    meaning: "whether its answer is right: yes, no or none",
    example: "correct:no",
    values: ({ columns }) => columns.correct,
  },
  numeric("turns", "turns", ["rounds"], "number of turns", "turns>=3"),
  numeric("tokens", "tokens", ["length"], "tokens of the policy's own (mask 1)", "tokens>200"),
  numeric("response", "response_tokens", [], "response tokens, tool output included", "response>1000"),
  numeric("prompt", "prompt_tokens", [], "prompt tokens", "prompt<50"),
  numeric("abs", "delta_abs_mean", ["mean_abs"], "mean |Δ|, nats", "abs>0.5"),
  numeric("worst", "delta_abs_max", ["max"], "largest |Δ|, nats", "worst>2"),
  numeric("delta", "delta_mean", ["mean"], "mean Δ, nats", "delta<-0.01"),
  numeric("sum", "delta_sum", [], "ΣΔ, the log of the sequence's importance ratio, nats", "sum:-1..1"),
  numeric("k3", "k3_mean", [], "mean k3, nats", "k3>0.001"),
  numeric("dp", "prob_diff_max", ["prob_diff"], "largest |Δp|, a fraction", "dp>0.2"),
  {
    kind: "number",
    name: "ess",
    aliases: [],
    meaning: "(Σρ)² / (n Σρ²) of its tokens, a fraction",
    example: "ess<0.9",
    values: essOf,
  },
  numeric("logp", "rollout_logprob_mean", ["logprob"], "mean rollout log-prob, nats", "logp<-1"),
  numeric("entropy", "entropy_mean", [], "mean entropy, nats", "entropy>0.5"),
  numeric("advantage", "advantage", ["adv"], "mean advantage", "advantage<0"),
];

const BY_NAME = new Map(
  FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => [name, field])),
);

export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** The field that was probably meant: one that begins so, else the one the fewest edits away, if that is not far. */
export function nearestField(name: string): Field | undefined {
  const wanted = name.toLowerCase();
  let best: { readonly field: Field; readonly distance: number } | undefined;
  for (const [known, field] of BY_NAME) {
    const begun = wanted.length > 1 && (known.startsWith(wanted) || wanted.startsWith(known));
    const distance = begun ? 0.5 : editDistance(wanted, known);
    if (distance <= Math.max(1, Math.min(3, wanted.length / 2)) && distance < (best?.distance ?? Infinity))
      best = { field, distance };
  }
  return best?.field;
}

function numeric(
  name: string,
  column: SequenceColumn,
  aliases: readonly string[],
  meaning: string,
  example: string,
): NumberField {
  return { kind: "number", name, aliases, meaning, example, values: ({ columns }) => columns[column] };
}

function textual(
  name: string,
  column: SequenceText,
  aliases: readonly string[],
  meaning: string,
  example: string,
): TextField {
  return { kind: "text", name, aliases, meaning, example, column };
}

const ess = new WeakMap<SequenceTable, Float64Array>();

/** Of each sequence's token ratios; kept, as a filter is evaluated at every key. */
export function essOf(table: SequenceTable): Float64Array {
  const known = ess.get(table);
  if (known !== undefined) return known;
  const { rho_sum: sums, rho_squares: squares, tokens } = table.columns;
  const values = Float64Array.from(sums, (sum, i) => (sum * sum) / (tokens[i]! * squares[i]!));
  ess.set(table, values);
  return values;
}

/** Levenshtein's, over two rows. */
function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    last = row;
  }
  return last[b.length]!;
}
