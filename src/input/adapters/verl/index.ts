/**
 * verl: DataProto batches (padded `[B, T]` arrays, prompts left-padded, responses right-padded) in npz, torch,
 * safetensors or JSON, and the same names with one object per sequence in JSONL or Parquet.
 *
 * @module
 */
import type { TreeDocument, TreeMap, TreeValue } from "../../io/index.ts";
import type { Adapter, AdapterContext, Match, Reading } from "../adapter.ts";
import {
  EXPLAINED_FIELDS,
  type Field,
  type FoundColumns,
  findColumns,
  listFound,
  listMissing,
} from "../shared/fields.ts";
import { describeOnePolicy, findOnePolicy } from "../shared/missing-side.ts";
import { readPadded } from "../shared/padded-tree.ts";
import { agreedNumber, findRowColumns, readRows } from "../shared/row-objects.ts";
import { describeRowValue } from "../shared/row-values.ts";
import { explainMask } from "../shared/sequence.ts";
import { describeValue, isMap, readScalar } from "../shared/tree-values.ts";
import { VERL_NAMES } from "./names.ts";
import { unreadBatch, unwrapTensors } from "./tensor-dict.ts";

/** The columns of a DataProto-like dict (batch, non_tensor_batch, meta_info), of a TensorDict, or of a flat dict. */
export function batchColumns(root: TreeMap): TreeMap {
  const batch = unwrapTensors(root.batch) ?? unwrapTensors(root.value);
  if (batch === undefined) return root;
  const others = [root.non_tensor_batch, root.meta_info].filter(isMap);
  return Object.assign({}, batch, ...others) as TreeMap;
}

function treeColumns(document: TreeDocument): FoundColumns<TreeValue> {
  const columns = batchColumns(document.root);
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
  // Text columns of rows go by verl's names too: log-probs of one side alone do not make it verl's.
  if (!has("rollout") && !has("trainer")) return undefined;
  if (only !== undefined && !has("tokens")) return undefined;
  const guessed = [explainMask(has)].filter((line) => line !== undefined);
  if (padded && has("prompt") && !has("attention") && !has("padToken")) {
    guessed.push("prompts: taken whole, as no attention mask says where they begin");
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
    ...(only !== undefined && { onePolicy: describeOnePolicy(ONE_POLICY[only], file) }),
  };
}

/** What verl writes with one policy's log-probs: its rollout skip, and the batch without calculate_log_probs. */
const ONE_POLICY = {
  rollout: { what: "a verl generation batch", trainer: "verl", has: "rollout" },
  trainer: { what: "a verl batch without the engine's log-probs", trainer: "verl", has: "trainer" },
} as const;

async function readTree(document: TreeDocument, context: AdapterContext): Promise<Reading> {
  const columns = treeColumns(document);
  const temperature = await readScalar(columns.get("temperature")?.value);
  const topP = await readScalar(columns.get("topP")?.value);
  return {
    alignment: "token",
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
    },
    blocks: readPadded(columns, { file: document.file, blockTokens: context.blockTokens }),
  };
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
    const problem = unreadBatch(document.root, document.file);
    if (problem !== undefined) return { score: 0.9, found: [], guessed: [], missing: [], problem };
    const columns = treeColumns(document);
    return explain(columns, describeValue, await readScalar(columns.get("step")?.value), {
      padded: true,
      file: document.file,
    });
  },
  async read(document, context) {
    if (document.kind === "tree") return readTree(document, context);
    return {
      alignment: "token",
      sampling: {},
      blocks: readRows(document, { names: VERL_NAMES, findings: context.findings }),
    };
  },
};
