/**
 * xtuner: packed batches, flat `[N]` or `[1, N]` arrays with `num_tokens` or `cu_seq_lens_q`; one pack, a list of
 * packs under each name, or one pack per row.
 *
 * @module
 */

import type { Adapter, AdapterContext, Match, Reading } from "../../../input/adapters/adapter.ts";
import { FURTHER_NAMES } from "../../../input/adapters/shared/fields.ts";
import { type PackField, readNumber, readPack } from "../../../input/adapters/shared/read-pack.ts";
import { chunkValueAt, reportBadRow } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue, toNumber, toNumbers, valueAt } from "../../../input/adapters/shared/row-values.ts";
import { describeValue, isList, isMap } from "../../../input/adapters/shared/tree-values.ts";
import type {
  RowDocument,
  RowValue,
  SourceDocument,
  TreeDocument,
  TreeValue,
} from "../../../input/io/index.ts";
import { XTUNER_NAMES } from "./names.ts";

interface NamedValue<V> {
  readonly name: string;
  readonly value: V;
}

type Lookup<V> = (field: PackField) => NamedValue<V> | undefined;

/** Finds a field under the first of its names that has a value. */
function lookup<V>(get: (name: string) => V | undefined): Lookup<V> {
  return (field) => {
    for (const name of XTUNER_NAMES[field]) {
      const value = get(name);
      if (value !== undefined && value !== null) return { name, value };
    }
    return undefined;
  };
}

const LABELS: Partial<Record<PackField, string>> = {
  rollout: "rollout log-probs",
  trainer: "trainer log-probs",
  reference: "reference log-probs",
  rescore: "re-scored rollout log-probs",
  float32: "float32 log-probs",
  labels: "labels of the next token",
  mask: "response mask",
  inputIds: "token ids",
  lengths: "tokens per sequence",
  bounds: "bounds of sequences",
  advantages: "advantages",
  reward: "reward",
  group: "group ids",
  step: "step",
};
/** One name of each group is enough. */
const EITHER: readonly (readonly PackField[])[] = [
  ["lengths", "bounds"],
  ["labels", "mask"],
];

function explain<V>(find: Lookup<V>, describe: (value: V) => string): Match | undefined {
  if (find("rollout") === undefined || find("trainer") === undefined) return undefined;
  if (find("lengths") === undefined && find("bounds") === undefined) return undefined;
  const fields = Object.keys(LABELS) as PackField[];
  const found = fields.flatMap((field) => {
    const column = find(field);
    return column === undefined ? [] : [`${LABELS[field]}: ${column.name}, ${describe(column.value)}`];
  });
  const settled = new Set(
    EITHER.flatMap((group) => (group.some((field) => find(field) !== undefined) ? group : [])),
  );
  const missing = fields
    // Further log-probs are rare: their absence says nothing.
    .filter((field) => find(field) === undefined && !settled.has(field) && !(field in FURTHER_NAMES))
    .map((field) => LABELS[field]!);
  const guessed =
    find("labels") !== undefined
      ? "alignment: next token (entry j is about token j + 1), because shifted_labels are present"
      : find("mask") !== undefined
        ? "responses begin at the first token with mask 1"
        : "response mask: not present, so every token counts as sampled";
  return { score: 0.95, found, guessed: [guessed], missing };
}

/** Packs of a tree: the tree itself, `packs` in it, or the i-th elements of its lists. */
function listPacks(root: Readonly<Record<string, TreeValue>>): Readonly<Record<string, TreeValue>>[] {
  const listed = Object.values(root).find((value) => isList(value) && value.length > 0 && value.every(isMap));
  if (listed !== undefined && isList(listed)) return listed.filter(isMap);
  const find = lookup<TreeValue>((name) => root[name]);
  const rollout = find("rollout")?.value;
  const lengths = (find("lengths") ?? find("bounds"))?.value;
  const nested =
    isList(rollout) &&
    rollout.length > 0 &&
    rollout.every((pack) => typeof pack === "object" && pack !== null);
  if (!nested || !isList(lengths) || lengths.length !== rollout.length) return [root];
  const packs = rollout.length;
  return Array.from({ length: packs }, (_, i) =>
    Object.fromEntries(
      Object.entries(root).map(([name, value]) => [
        name,
        isList(value) && value.length === packs ? value[i]! : value,
      ]),
    ),
  );
}

async function* readTreePacks(document: TreeDocument, context: AdapterContext) {
  const packs = listPacks(document.root);
  for (const [pack, columns] of packs.entries()) {
    const find = lookup<TreeValue>((name) => columns[name] ?? document.metadata[name]);
    yield* readPack((field) => find(field)?.value, { ...context, file: document.file, pack });
  }
}

async function* readRowPacks(document: RowDocument, context: AdapterContext) {
  const { file } = document;
  for await (const chunk of document.chunks({
    onBadRow: (bad) => reportBadRow(context.findings, file, bad),
  })) {
    for (let i = 0; i < chunk.length; i++) {
      const find = lookup((name) => asTree(chunkValueAt(chunk, i, name)));
      const pack = chunk.firstRow + i;
      yield* readPack((field) => find(field)?.value, { ...context, file, pack });
    }
  }
}

/** The values of a row that a pack needs: arrays of numbers, numbers, texts and lists of texts. */
function asTree(value: RowValue | undefined): TreeValue | undefined {
  if (value === undefined || typeof value !== "object" || value === null) return value;
  return (
    toNumbers(value) ??
    (Array.isArray(value) ? value.map((element) => asTree(element as RowValue) ?? null) : undefined)
  );
}

async function detectRows(document: RowDocument): Promise<Match | undefined> {
  const first = document.sample[0];
  if (first === undefined) return undefined;
  const find = lookup((name) => valueAt(first, name));
  const match = explain(find, describeRowValue);
  // A list of lengths distinguishes packs from sequences that happen to have a token count.
  const lengths = toNumbers((find("lengths") ?? find("bounds"))?.value);
  return (
    match && lengths && { ...match, step: toNumber(find("step")?.value), rank: toNumber(find("rank")?.value) }
  );
}

async function detectTree(document: TreeDocument): Promise<Match | undefined> {
  const [first] = listPacks(document.root);
  if (first === undefined) return undefined;
  const find = lookup<TreeValue>((name) => first[name] ?? document.root[name] ?? document.metadata[name]);
  const match = explain(find, describeValue);
  return (
    match && {
      ...match,
      step: await readNumber(find("step")?.value),
      rank: await readNumber(find("rank")?.value),
    }
  );
}

function hasLabels(document: SourceDocument): boolean {
  const [name] = XTUNER_NAMES.labels as readonly [string];
  if (document.kind === "tree") return listPacks(document.root)[0]?.[name] !== undefined;
  return document.sample.some((row) => valueAt(row, name) !== undefined);
}

export { xtunerDebug } from "./debug-rollout.ts";

export const xtuner: Adapter = {
  name: "xtuner",
  async detect(document) {
    return document.kind === "rows" ? detectRows(document) : detectTree(document);
  },
  async read(document, context): Promise<Reading> {
    return {
      alignment: hasLabels(document) ? "next-token" : "token",
      sampling: {},
      blocks: document.kind === "tree" ? readTreePacks(document, context) : readRowPacks(document, context),
    };
  },
};
