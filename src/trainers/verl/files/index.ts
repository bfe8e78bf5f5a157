/**
 * verl: DataProto batches (padded `[B, T]` arrays, prompts left-padded, responses right-padded) in npz, torch,
 * safetensors or JSON, and the same names with one object per sequence in JSONL or Parquet.
 *
 * @module
 */
import { type LogratioError, UnsupportedError } from "../../../core/base/index.ts";
import type { Sampling } from "../../../core/schema/index.ts";
import type { Adapter, AdapterContext, Match, Reading } from "../../../input/adapters/adapter.ts";
import { findDataProto, findOpaqueBatch } from "../../../input/adapters/shared/data-proto.ts";
import {
  EXPLAINED_FIELDS,
  type Field,
  type FoundColumns,
  findColumns,
  listFound,
  listMissing,
  type NameTable,
} from "../../../input/adapters/shared/fields.ts";
import { explainMask, nameMasks } from "../../../input/adapters/shared/masks.ts";
import {
  describeLacking,
  describeOnePolicy,
  findOnePolicy,
  type LackingDump,
  missingPolicy,
} from "../../../input/adapters/shared/missing-side.ts";
import { readPadded } from "../../../input/adapters/shared/padded-tree.ts";
import { agreedNumber, findRowColumns, readRows } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue } from "../../../input/adapters/shared/row-values.ts";
import { asMatrix, describeValue, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap, TreeValue } from "../../../input/io/index.ts";
import { VERL_NAMES } from "./names.ts";

function treeColumns(document: TreeDocument): FoundColumns<TreeValue> {
  const { columns } = findDataProto(document.root);
  return findColumns(VERL_NAMES, (name) => columns[name], document.file);
}

function explain<V>(
  columns: FoundColumns<V>,
  describe: (value: V) => string,
  step: number | undefined,
  { padded, file }: { readonly padded: boolean; readonly file: string },
): Match | undefined {
  const has = (field: Field): boolean => columns.has(field);
  const sure = has("tokens") || has("mask") || has("attention");
  const only = findOnePolicy(has);
  // Other trainers' rows also have text columns with verl's names: one side's log-probs do not show that it is verl's.
  if (!has("rollout") && !has("trainer")) return undefined;
  if (only !== undefined && columns.get("tokens")?.name !== "responses") return undefined;
  const guessed = [explainMask(columns)].filter((line) => line !== undefined);
  if (padded && has("prompt") && !has("attention") && !has("padToken")) {
    guessed.push("prompts: not trimmed, since no attention mask says where they begin");
  }
  return {
    score: only !== undefined ? 0.6 : sure ? 0.9 : 0.75,
    found: listFound(columns, describe),
    guessed,
    missing: listMissing(
      columns,
      EXPLAINED_FIELDS.filter((field) => field !== "reward" || !has("tokenScores")),
    ),
    step,
    ...(only !== undefined && { onePolicy: describeOnePolicy(describeLacking(ONE_POLICY[only], file)) }),
  };
}

/** verl's dumps with one policy's log-probs: its rollout skip, and the batch without calculate_log_probs. */
const ONE_POLICY: { readonly [Side in "rollout" | "trainer"]: LackingDump<Side> } = {
  rollout: { what: "a verl generation batch", trainer: "verl", has: "rollout" },
  trainer: { what: "a verl batch without the engine's log-probs", trainer: "verl", has: "trainer" },
};

/** The error for a pickled batch whose tensors cannot be read. */
function findProblem(root: TreeMap, file: string): LogratioError | undefined {
  const opaque = findOpaqueBatch(root);
  if (opaque !== undefined) {
    return new UnsupportedError(`the batch is a pickled ${opaque}, whose tensors are not read`, {
      at: { file },
      likely: "it is a subclass of TensorDict, or was saved by another version of tensordict",
      hint: 'save plain dicts: torch.save({"batch": dict(data.batch.items()), "non_tensor_batch": dict(data.non_tensor_batch), "meta_info": data.meta_info}, path)',
    });
  }
  const { columns, className } = findDataProto(root);
  const { rollout = [], trainer = [] } = VERL_NAMES;
  if (className?.startsWith("verl.") !== true || [...rollout, ...trainer].some((name) => name in columns))
    return undefined;
  return missingPolicy(describeLacking({ what: "a verl batch", trainer: "verl", has: "neither" }, file));
}

const SAMPLING_FIELDS = [
  "temperature",
  "topP",
  "topK",
  "minP",
  "repetitionPenalty",
  "presencePenalty",
  "frequencyPenalty",
] as const satisfies readonly Field[];

async function readSampling(columns: FoundColumns<TreeValue>): Promise<Sampling> {
  const sampling: Partial<Record<(typeof SAMPLING_FIELDS)[number], number>> = {};
  for (const field of SAMPLING_FIELDS) {
    const value = await readScalar(columns.get(field)?.value);
    if (value !== undefined) sampling[field] = value;
  }
  return sampling;
}

async function readTree(document: TreeDocument, context: AdapterContext): Promise<Reading> {
  const columns = new Map(treeColumns(document));
  if (!context.keepDetails) columns.delete("tokenRewards");
  // Exporters of earlier versions wrote other trainers' batches under verl's names, with the trainer's name.
  const { trainer } = findDataProto(document.root).columns;
  return {
    trainer: typeof trainer === "string" ? trainer : undefined,
    alignment: "token",
    masks: nameMasks(columns),
    sampling: await readSampling(columns),
    blocks: readPadded(columns, { file: document.file, blockTokens: context.blockTokens }),
  };
}

function namesToRead({ keepDetails }: AdapterContext): NameTable {
  const { tokenRewards, ...names } = VERL_NAMES;
  return keepDetails ? VERL_NAMES : names;
}

export const verl: Adapter = {
  name: "verl",
  async detect(document) {
    if (document.kind === "rows") {
      const step = agreedNumber(document, VERL_NAMES.step);
      return explain(findRowColumns(document, VERL_NAMES), describeRowValue, step, {
        padded: false,
        file: document.file,
      });
    }
    const problem = findProblem(document.root, document.file);
    if (problem !== undefined) return { score: 0.9, found: [], guessed: [], missing: [], problem };
    const columns = treeColumns(document);
    // Rows of different lengths have no padding that a mask would have to mark.
    const padded = asMatrix(columns.get("prompt")?.value)?.width !== undefined;
    return explain(columns, describeValue, await readScalar(columns.get("step")?.value), {
      padded,
      file: document.file,
    });
  },
  async read(document, context) {
    if (document.kind === "tree") return readTree(document, context);
    return {
      alignment: "token",
      masks: nameMasks(findRowColumns(document, VERL_NAMES)),
      sampling: {},
      blocks: readRows(document, { names: namesToRead(context), findings: context.findings }),
    };
  },
};
