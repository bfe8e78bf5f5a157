/**
 * verl: DataProto batches (padded `[B, T]` arrays, prompts left-padded, responses right-padded) in npz, torch,
 * safetensors or JSON, and the same names with one object per sequence in JSONL or Parquet.
 *
 * @module
 */
import { type LogratioError, UnsupportedError } from "../../../core/base/index.ts";
import type { TreeDocument, TreeMap, TreeValue } from "../../io/index.ts";
import type { Adapter, AdapterContext, Match, Reading } from "../adapter.ts";
import { findDataProto, findOpaqueBatch } from "../shared/data-proto.ts";
import { exporterSnippet } from "../shared/exporters.ts";
import {
  EXPLAINED_FIELDS,
  type Field,
  type FoundColumns,
  findColumns,
  listFound,
  listMissing,
} from "../shared/fields.ts";
import { explainMask, nameMasks } from "../shared/masks.ts";
import { describeOnePolicy, missingPolicy } from "../shared/one-policy.ts";
import { readPadded } from "../shared/padded-tree.ts";
import { agreedNumber, findRowColumns, readRows } from "../shared/row-objects.ts";
import { describeRowValue } from "../shared/row-values.ts";
import { asMatrix, describeValue, readScalar } from "../shared/tree-values.ts";
import { VERL_NAMES } from "./names.ts";

function treeColumns(document: TreeDocument): FoundColumns<TreeValue> {
  const { columns } = findDataProto(document.root);
  return findColumns(VERL_NAMES, (name) => columns[name], document.file);
}

function explain<V>(
  columns: FoundColumns<V>,
  describe: (value: V) => string,
  step: number | undefined,
  padded: boolean,
  file: string,
): Match | undefined {
  const has = (field: Field): boolean => columns.has(field);
  const sides = (["rollout", "trainer"] as const).filter(has);
  const [side] = sides;
  // Its name alone does not make one column verl's.
  if (side === undefined || (sides.length === 1 && columns.get("tokens")?.name !== "responses"))
    return undefined;
  const sure = has("tokens") || has("mask") || has("attention");
  const guessed = [explainMask(columns)].filter((line) => line !== undefined);
  if (padded && has("prompt") && !has("attention") && !has("padToken")) {
    guessed.push("prompts: taken whole, as no attention mask says where they begin");
  }
  return {
    score: sides.length === 1 ? 0.6 : sure ? 0.9 : 0.75,
    found: listFound(columns, describe),
    guessed,
    missing: listMissing(
      columns,
      EXPLAINED_FIELDS.filter((field) => field !== "reward" || !has("tokenScores")),
    ),
    step,
    ...(sides.length === 1 ? { onePolicy: describeOnePolicy(describeMissing(side, file)) } : {}),
  };
}

const WHAT = {
  neither: "a verl batch",
  rollout: "a verl generation batch",
  trainer: "a verl batch without the engine's log-probs",
};

function describeMissing<Side extends keyof typeof WHAT>(
  has: Side,
  file: string,
): { what: string; has: Side; file: string; likely: string; hint: string } {
  return {
    what: WHAT[has],
    has,
    file,
    likely: "this is what verl writes by default",
    hint: `make verl write both:\n${exporterSnippet("verl")}`,
  };
}

/** A batch that is pickled whole, and yet not read: why. */
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
  return missingPolicy(describeMissing("neither", file));
}

async function readTree(document: TreeDocument, context: AdapterContext): Promise<Reading> {
  const columns = treeColumns(document);
  const temperature = await readScalar(columns.get("temperature")?.value);
  const topP = await readScalar(columns.get("topP")?.value);
  // The exporters write other trainers' batches under verl's names, and say whose they are.
  const { trainer } = findDataProto(document.root).columns;
  return {
    trainer: typeof trainer === "string" ? trainer : undefined,
    alignment: "token",
    masks: nameMasks(columns),
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
      return explain(findRowColumns(document, VERL_NAMES), describeRowValue, step, false, document.file);
    }
    const problem = findProblem(document.root, document.file);
    if (problem !== undefined) return { score: 0.9, found: [], guessed: [], missing: [], problem };
    const columns = treeColumns(document);
    // Rows of their own lengths have no padding that a mask would have to tell.
    const padded = asMatrix(columns.get("prompt")?.value)?.width !== undefined;
    return explain(
      columns,
      describeValue,
      await readScalar(columns.get("step")?.value),
      padded,
      document.file,
    );
  },
  async read(document, context) {
    if (document.kind === "tree") return readTree(document, context);
    return {
      alignment: "token",
      masks: nameMasks(findRowColumns(document, VERL_NAMES)),
      sampling: {},
      blocks: readRows(document, { names: VERL_NAMES, findings: context.findings }),
    };
  },
};
