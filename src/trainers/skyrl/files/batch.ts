/**
 * SkyRL's TrainingInputBatch: where its columns are in a pickle, and where the response is in each row.
 *
 * `skyrl/backends/skyrl_train/training_batch.py` and `skyrl/train/dataset/preprocess.py` (SkyRL 0.4.0):
 * everything is padded on the left. `sequences` and `attention_mask` cover prompt and response, the other columns only
 * the response, entry i about token i.
 *
 * @module
 */
import { LengthMismatchError } from "../../../core/base/index.ts";
import {
  type Field,
  type FoundColumn,
  type FoundColumns,
  FURTHER_COLUMNS,
  type NameTable,
} from "../../../input/adapters/shared/fields.ts";
import { NARROWING_MASKS } from "../../../input/adapters/shared/masks.ts";
import {
  checkSize,
  findOnes,
  findRows,
  type NamedRows,
  readMask,
  type Span,
  viewRows,
} from "../../../input/adapters/shared/row-views.ts";
import { isList, isMap, isPickled, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap, TreeValue } from "../../../input/io/index.ts";

export interface Batch {
  readonly columns: TreeMap;
  readonly metadata: TreeMap;
}

const CLASS = /(?:^|\.)(?:TensorBatch|TrainingInputBatch)$|\._rebuild_tensor_batch$/;

/** The batch of a document; undefined for anything else. */
export function findBatch(root: TreeMap): Batch | undefined {
  const object = root.value;
  if (isPickled(object) && CLASS.test(object.className)) {
    // Pickled as `_rebuild_tensor_batch(class, state)` since the class has `__reduce__`; before that, as its own state.
    const state = [...object.args, object.state].find((part) => isMap(part) && isMap(part.batch_dict));
    if (!isMap(state) || !isMap(state.batch_dict)) return undefined;
    return { columns: state.batch_dict, metadata: isMap(state.metadata) ? state.metadata : {} };
  }
  const isFlat = "sequences" in root && "response_mask" in root && "action_log_probs" in root;
  return isFlat ? { columns: root, metadata: isMap(root.metadata) ? root.metadata : {} } : undefined;
}

/** Response-level columns by field. */
const RESPONSE_COLUMNS: readonly (readonly [Field, string])[] = [
  ["rollout", "rollout_logprobs"],
  ["trainer", "action_log_probs"],
  ["reference", "base_action_log_probs"],
  ["advantages", "advantages"],
  ["tokenScores", "rewards"],
  ...FURTHER_COLUMNS,
];

export interface ResponseRows {
  /** One array per sequence, over the response only. */
  readonly columns: FoundColumns<TreeValue>;
  /** Padding rows at the end: copies of the first with an empty mask. */
  readonly padding: number;
}

const OTHER_MASKS: NameTable = { lossMask: ["loss_mask"], ...NARROWING_MASKS };

/** Masks other than the response mask. */
function findNarrowing(columns: TreeMap, response: NamedRows): { field: Field; rows: NamedRows }[] {
  return Object.entries(OTHER_MASKS).flatMap(([field, names = []]) => {
    const rows = names.map((name) => findRows(columns, name)).find((found) => found !== undefined);
    return rows === undefined || rows.name === response.name ? [] : [{ field: field as Field, rows }];
  });
}

/** Names of the masks that must all be 1 for a token to count, the response mask first. */
export function listMasks({ columns }: Batch): string[] {
  const response = findRows(columns, "response_mask") ?? findRows(columns, "loss_mask");
  if (response === undefined) return [];
  return [response.name, ...findNarrowing(columns, response).map(({ rows }) => rows.name)];
}

/**
 * The columns with each row cut to its response.
 *
 * @throws LengthMismatchError when columns have different shapes
 */
export async function readResponses(
  { columns, metadata }: Batch,
  document: TreeDocument,
): Promise<ResponseRows> {
  const { file } = document;
  const response = findRows(columns, "response_mask") ?? findRows(columns, "loss_mask");
  if (response === undefined) return { columns: new Map(), padding: 0 };
  const { matrix } = response;
  const width = matrix.width ?? 0;
  const padding = Math.min(matrix.rows, Math.max(0, (await readScalar(metadata.pad_size)) ?? 0));
  const rows = matrix.rows - padding;
  const masks = await readMask(response);
  // Right-aligned: the last column belongs to the response of every row.
  const spans = masks.slice(0, rows).map((mask): Span => ({ start: findOnes(mask).start, end: width }));

  const found = new Map<Field, FoundColumn<TreeValue>>();
  for (const [field, name] of RESPONSE_COLUMNS) {
    const column = findRows(columns, name);
    if (column === undefined || found.has(field)) continue;
    checkSize(column, matrix.rows, [width], response, file);
    found.set(field, { name, value: viewRows(column, spans, columns[name]) });
  }
  const cut = (rowsOfMask: readonly Uint8Array[]): TreeValue =>
    spans.map(({ start, end }, row) => rowsOfMask[row]!.subarray(start, end));
  found.set("mask", { name: response.name, value: cut(masks) });
  for (const { field, rows: mask } of findNarrowing(columns, response)) {
    checkSize(mask, matrix.rows, [width], response, file);
    found.set(field, { name: mask.name, value: cut(await readMask(mask)) });
  }
  await addTokens(columns, spans, width, matrix.rows, response, found, file);
  const groups = groupRows(metadata, rows, document.file);
  if (groups !== undefined) found.set("group", groups);
  return { columns: found, padding };
}

/** Splits whole sequences into prompt and response ids. */
async function addTokens(
  columns: TreeMap,
  spans: readonly Span[],
  width: number,
  rows: number,
  response: NamedRows,
  found: Map<Field, FoundColumn<TreeValue>>,
  file: string,
): Promise<void> {
  const sequences = findRows(columns, "sequences");
  const attention = findRows(columns, "attention_mask");
  if (sequences === undefined) return;
  const total = sequences.matrix.width ?? 0;
  checkSize(sequences, rows, [total], response, file);
  if (total < width) {
    throw new LengthMismatchError(`sequences is ${sequences.shape}, response_mask is ${response.shape}`, {
      at: { file, entry: "sequences" },
      likely: "the arrays come from different batches; sequences covers prompt and response",
    });
  }
  const before = total - width;
  const ids = spans.map(({ start, end }) => ({ start: before + start, end: before + end }));
  found.set("tokens", { name: "sequences", value: viewRows(sequences, ids, columns.sequences) });
  if (attention === undefined) return;
  checkSize(attention, rows, [total], response, file);
  const present = await readMask(attention);
  const prompts = ids.map(({ start }, row) => ({
    start: Math.min(start, findOnes(present[row]!).start),
    end: start,
  }));
  found.set("prompt", { name: "sequences", value: viewRows(sequences, prompts, columns.sequences) });
}

/** SkyRL removes the uids before the dump, but keeps where each prompt's sequences begin and end. */
function groupRows(metadata: TreeMap, rows: number, file: string): FoundColumn<TreeValue> | undefined {
  const { uids, policy_prompt_boundaries: boundaries } = metadata;
  if (isList(uids) && uids.length >= rows) return { name: "uids", value: uids.slice(0, rows) };
  if (!isList(boundaries)) return undefined;
  const step = /([^/\\]*?)(?:_training_input)?(?:\.[a-z]+)*$/i.exec(file)?.[1] ?? "";
  const groups = new Array<TreeValue>(rows).fill(null);
  boundaries.forEach((boundary, prompt) => {
    if (!(boundary instanceof Int32Array) || boundary.length !== 2) return;
    const [start, end] = [Math.max(0, boundary[0]!), Math.min(rows, boundary[1]!)];
    // Numbers restart in each file, and two prompts of the run must not get the same name.
    if (start < end) groups.fill(`${step}.p${prompt}`, start, end);
  });
  return groups.every((group) => group !== null)
    ? { name: "policy_prompt_boundaries", value: groups }
    : undefined;
}
