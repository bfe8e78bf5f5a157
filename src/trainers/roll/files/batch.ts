/**
 * ROLL's batches: whole conversations of S tokens, padded on the right, with next-token log-probs of S − 1 columns.
 *
 * `postprocess_generate` of roll/utils/functionals.py (alibaba/ROLL 8eb27cc2) writes a response's log-probs to columns
 * prompt_len − 1 … valid_len − 2, and `compute_train_infer_correction` reads `response_mask[:, 1:]` with them:
 * column i is about token i + 1. A column of S entries was not shifted: its entry i is about token i.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";
import {
  type Field,
  type FoundColumn,
  type FoundColumns,
  FURTHER_COLUMNS,
} from "../../../input/adapters/shared/fields.ts";
import {
  checkSize,
  findOnes,
  findRows,
  type NamedRows,
  readMask,
  type Span,
  viewRows,
} from "../../../input/adapters/shared/row-views.ts";
import { isTensor } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeMap, TreeValue } from "../../../input/io/index.ts";

/** Columns of S or S − 1 entries per row, by field. */
const TOKEN_COLUMNS: readonly (readonly [Field, string])[] = [
  ["rollout", "infer_logprobs"],
  ["trainer", "old_log_probs"],
  ["reference", "ref_log_probs"],
  ["advantages", "advantages"],
  ...FURTHER_COLUMNS,
];

/** Columns with one value per sequence, the best first. */
const SEQUENCE_COLUMNS: readonly (readonly [Field, readonly string[]])[] = [
  ["reward", ["episode_scores", "response_level_rewards", "scores"]],
  ["group", ["traj_group_id", "prompt_id", "group_ids"]],
  ["sample", ["traj_id", "sample_uuid"]],
  ["environment", ["domain", "tags"]],
  ["step", ["global_step"]],
];

/** Whether the columns are those of such a batch. */
export function isBatch(columns: TreeMap): boolean {
  return (
    "input_ids" in columns &&
    "response_mask" in columns &&
    ("infer_logprobs" in columns || "prompt_mask" in columns)
  );
}

/**
 * Whether the column holds log-probs. Without any, ROLL leaves an empty column; without the trainer's own pass it
 * writes `zeros_like(attention_mask)`: integers (roll/pipeline/rlvr/rlvr_pipeline.py, line 661).
 */
export function hasLogprobs(columns: TreeMap, name: string): boolean {
  const value = columns[name];
  const column = findRows(columns, name);
  if (column === undefined || column.matrix.width === 0) return false;
  return !(isTensor(value) && /^u?int|^bool/.test(value.dtype));
}

/**
 * The columns with each row cut to its response: from the first token with mask 1 to the last.
 *
 * @throws LengthMismatchError when a column has neither S nor S − 1 entries per row
 */
export async function cutResponses(columns: TreeMap, file: string): Promise<FoundColumns<TreeValue>> {
  const ids = findRows(columns, "input_ids");
  const response = findRows(columns, "response_mask");
  if (ids === undefined || response === undefined) {
    throw new SchemaError("ROLL's batch lacks input_ids and response_mask with one row per sequence", {
      at: { file },
    });
  }
  const { rows, width: total = 0 } = ids.matrix;
  checkSize(response, rows, [total], ids, file);
  const masks = await readMask(response);
  const spans = masks.map(findOnes);
  const found = new Map<Field, FoundColumn<TreeValue>>();

  for (const [field, name] of TOKEN_COLUMNS) {
    const column = findRows(columns, name);
    if (column === undefined || found.has(field) || !hasLogprobs(columns, name)) continue;
    if (field === "advantages" && column.matrix.width === 1) continue;
    checkSize(column, rows, [total, total - 1], ids, file);
    found.set(field, { name, value: viewRows(column, shiftSpans(spans, column, total), columns[name]) });
  }
  const final = findRows(columns, "final_response_mask");
  if (final !== undefined) checkSize(final, rows, [total, total - 1], ids, file);
  found.set("mask", {
    name: final === undefined ? response.name : "response_mask and final_response_mask",
    value: await cutMask(masks, spans, final, total),
  });
  found.set("tokens", { name: "input_ids", value: viewRows(ids, spans, columns.input_ids) });
  const prompts = await findPrompts(columns, spans, rows, total, ids, file);
  found.set("prompt", { name: "input_ids", value: viewRows(ids, prompts, columns.input_ids) });
  for (const [field, names] of SEQUENCE_COLUMNS) {
    const name = names.find((candidate) => isPerSequence(columns[candidate], rows, field));
    if (name !== undefined) found.set(field, { name, value: columns[name]! });
  }
  return found;
}

/** Columns of S − 1 entries begin with the second token. */
function shiftSpans(spans: readonly Span[], { matrix }: NamedRows, total: number): Span[] {
  const shift = matrix.width === total - 1 ? 1 : 0;
  // A response that begins with token 0 has no entry for it, since nothing precedes it.
  return spans.map(({ start, end }) => ({
    start: Math.max(0, start - shift),
    end: Math.max(0, end - shift),
  }));
}

/** The tokens that both masks keep. */
async function cutMask(
  masks: readonly Uint8Array[],
  spans: readonly Span[],
  final: NamedRows | undefined,
  total: number,
): Promise<Uint8Array[]> {
  const others = final === undefined ? undefined : await readMask(final);
  const shift = final?.matrix.width === total - 1 ? 1 : 0;
  return spans.map(({ start, end }, row) =>
    Uint8Array.from({ length: end - start }, (_, i) => {
      const token = start + i;
      return masks[row]![token]! & (others === undefined ? 1 : (others[row]![token - shift] ?? 0));
    }),
  );
}

async function findPrompts(
  columns: TreeMap,
  spans: readonly Span[],
  rows: number,
  total: number,
  ids: NamedRows,
  file: string,
): Promise<Span[]> {
  const attention = findRows(columns, "attention_mask");
  if (attention === undefined) return spans.map(({ start }) => ({ start: 0, end: start }));
  checkSize(attention, rows, [total], ids, file);
  const present = await readMask(attention);
  return spans.map(({ start }, row) => ({
    start: Math.min(start, findOnes(present[row]!).start),
    end: start,
  }));
}

/** `scores` is one number per sequence in one pipeline and one per token in another. */
function isPerSequence(value: TreeValue | undefined, rows: number, field: Field): boolean {
  if (value === undefined || value === null) return false;
  if (field === "step") return typeof value === "number";
  if (isTensor(value)) return value.shape.length === 1 && value.shape[0] === rows;
  return (Array.isArray(value) || ArrayBuffer.isView(value)) && (value as ArrayLike<unknown>).length === rows;
}
