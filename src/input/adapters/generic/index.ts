/**
 * Any container whose columns the user names or have well-known names.
 *
 * @module
 */

import { type Lines, MissingSideError, SchemaError } from "../../../core/base/index.ts";
import { COLUMN_FLAGS } from "../../../core/schema/index.ts";
import type { RowValue, SourceDocument, TreeDocument, TreeMap, TreeValue } from "../../io/columns.ts";
import type { Adapter, ColumnMapping, Match, OnePolicy, Reading } from "../adapter.ts";
import {
  EXPLAINED_FIELDS,
  FIELD_LABELS,
  type Field,
  type FoundColumn,
  type FoundColumns,
  findColumns,
  listFound,
  listMissing,
} from "../shared/fields.ts";
import { explainMask, nameMasks } from "../shared/masks.ts";
import { readPadded } from "../shared/padded-tree.ts";
import { type PackField, readPack } from "../shared/read-pack.ts";
import { agreedNumber, describeSample, findRowColumns, readRows } from "../shared/row-objects.ts";
import { describeRowValue, toNumbers } from "../shared/row-values.ts";
import { asMatrix, describeValue, isMap, readScalar, vectorLength } from "../shared/tree-values.ts";
import { mappedNames, SYNONYMS } from "./names.ts";

const LENGTHS = ["num_tokens", "seq_lens", "lengths"];
const MOST_LISTED = 24;

/** The value at a dotted path; a key that itself contains the dots wins. */
function treeValueAt(root: TreeMap, path: string): TreeValue | undefined {
  if (Object.hasOwn(root, path) && root[path] !== undefined) return root[path];
  const dot = path.indexOf(".");
  if (dot < 0) return undefined;
  const first = path.slice(0, dot);
  const inner = Object.hasOwn(root, first) ? root[first] : undefined;
  return isMap(inner) ? treeValueAt(inner, path.slice(dot + 1)) : undefined;
}

/**
 * Dotted name and value of each column of a tree, those of nested objects included, one by one: a file may have
 * hundreds of thousands, of which a message shows a few.
 */
function* walkTree(root: TreeMap, prefix = ""): Generator<readonly [name: string, value: TreeValue]> {
  for (const [name, value] of Object.entries(root)) {
    if (isMap(value)) yield* walkTree(value, `${prefix}${name}.`);
    else yield [`${prefix}${name}`, value];
  }
}

/** Matches the description of a column of numbers of any element type, or of an object that may have some. */
const NUMBERS = /\b(?:numbers|b?float\d+|u?int\d+|bool) \[|: object \{/;

function* walkColumns(document: SourceDocument): Generator<() => string> {
  if (document.kind !== "tree") for (const line of describeSample(document)) yield () => line;
  else for (const [name, value] of walkTree(document.root)) yield () => `${name}: ${describeValue(value)}`;
}

/** The first columns of a document, how many more there are, and whether any may be a list of numbers. */
function describeColumns(document: SourceDocument): { lines: readonly string[]; numbers: boolean } {
  const lines: string[] = [];
  let [more, numbers] = [0, false];
  for (const describe of walkColumns(document)) {
    const shown = lines.length < MOST_LISTED;
    if (!shown) more++;
    if (!shown && numbers) continue;
    const line = describe();
    numbers ||= NUMBERS.test(line);
    if (shown) lines.push(line);
  }
  if (more > 0) lines.push(`… and ${more} more`);
  return { lines, numbers };
}

/** A line for each column of a document. */
function listColumns(document: SourceDocument): readonly string[] {
  return describeColumns(document).lines;
}

/** The error for a document with unknown names: lists the columns, and the flags that name them. */
export function unrecognised(document: SourceDocument): SchemaError {
  const { lines, numbers } = describeColumns(document);
  const listed = lines.map((line) => `  ${line}`);
  if (!numbers) {
    return new SchemaError(
      ["found no log-probs: no column is a list of numbers; the columns are:", ...listed],
      {
        at: { file: document.file },
        likely: "the file holds texts, settings or results of a run",
        hint: "give the file to which the trainer or the server wrote log-probs; docs/formats/inputs.md lists the formats",
      },
    );
  }
  return new SchemaError(["no rollout and trainer log-probs were recognized; the columns are:", ...listed], {
    at: { file: document.file },
    likely: "the columns have names that logratio does not know, or the file is not a dump of log-probs",
    hint: "name them: --rollout COLUMN --trainer COLUMN (and --mask, --tokens, --step, …); dots lead into nested objects",
  });
}

function findTreeColumns(
  document: TreeDocument,
  mapping: ColumnMapping | undefined,
): FoundColumns<TreeValue> {
  return findColumns(mappedNames(mapping), (name) => treeValueAt(document.root, name), document.file);
}

function lengthsColumn(
  document: TreeDocument,
  mapping: ColumnMapping | undefined,
): FoundColumn<TreeValue> | undefined {
  for (const name of mapping?.lengths === undefined ? LENGTHS : [mapping.lengths]) {
    const value = treeValueAt(document.root, name);
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** Columns that the user named but that do not exist. */
function notThere<V>(columns: FoundColumns<V>, mapping: ColumnMapping): [string, string][] {
  return Object.entries(mapping).flatMap(([field, name]) =>
    field === "policies" || field === "lengths" || columns.has(field as Field) || typeof name !== "string"
      ? []
      : [[COLUMN_FLAGS[field as keyof typeof COLUMN_FLAGS], name] as [string, string]],
  );
}

interface Unfit {
  readonly problem?: SchemaError;
  readonly onePolicy?: OnePolicy;
}

/** What prevents a comparison: a named column that does not exist, or a side without a column. */
function findUnfit<V>(
  document: SourceDocument,
  columns: FoundColumns<V>,
  mapping: ColumnMapping | undefined,
): Unfit {
  const at = { file: document.file };
  const withColumns = (what: string): Lines => [
    `${what}; the columns are:`,
    ...listColumns(document).map((line) => `  ${line}`),
  ];
  const [flag, name] = (mapping === undefined ? [] : notThere(columns, mapping))[0] ?? [];
  if (flag !== undefined) {
    return {
      problem: new SchemaError(withColumns(`${flag} names ${name}, which does not exist`), {
        at,
        hint: `give ${flag} one of the columns above; dots lead into nested objects`,
      }),
    };
  }
  const sides = SIDES.filter((field) => !columns.has(field));
  const [missing] = sides;
  if (missing === undefined) return {};
  const message = withColumns(
    `no column for the ${sides.map((side) => FIELD_LABELS[side]).join(" and the ")}`,
  );
  const hint = `name it: ${sides.map((side) => `${COLUMN_FLAGS[side]} COLUMN`).join(" ")}`;
  if (sides.length > 1) return { problem: new SchemaError(message, { at, hint }) };
  const has = missing === "rollout" ? "trainer" : "rollout";
  return { onePolicy: { has, error: new MissingSideError(message, { at, hint }) } };
}

const SIDES = ["rollout", "trainer"] as const;
/** More than a server's reply has, of which one list of log-probs may be all that the row's names say. */
const BOTH = 0.45;

function guesses<V>(columns: FoundColumns<V>, mapping: ColumnMapping | undefined): string[] {
  const named = new Set(Object.keys(mapping ?? {}));
  const byName = [...columns]
    .filter(([field]) => !named.has(field))
    .map(([field, { name }]) => `${FIELD_LABELS[field]}: taken from ${name}, by its name`);
  const mask = explainMask(columns);
  return mask === undefined ? byName : [...byName, mask];
}

function explain<V>(
  document: SourceDocument,
  columns: FoundColumns<V>,
  describe: (value: V) => string,
  mapping: ColumnMapping | undefined,
): Match | undefined {
  const { problem, onePolicy } = findUnfit(document, columns, mapping);
  if (mapping === undefined && problem !== undefined) return undefined;
  if (mapping === undefined && onePolicy !== undefined && !holdsLists(columns.get(onePolicy.has)?.value))
    return undefined;
  return {
    score: mapping !== undefined ? 1 : onePolicy === undefined ? BOTH : 0.2,
    found: listFound(columns, describe),
    guessed: guesses(columns, mapping),
    missing: listMissing(columns, EXPLAINED_FIELDS),
    problem,
    onePolicy,
  };
}

/** Whether a column with the name of log-probs can hold them: a number per token, not one per row or a text. */
function holdsLists(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (
    asMatrix(value as TreeValue) !== undefined ||
    vectorLength(value as TreeValue) !== undefined ||
    toNumbers(value as RowValue) !== undefined
  );
}

/** Looks up a pack's fields among the columns found. */
function packSource(
  columns: FoundColumns<TreeValue>,
  lengths: TreeValue,
): (field: PackField) => TreeValue | undefined {
  return (field) => {
    if (field === "lengths") return lengths;
    if (field === "labels" || field === "bounds") return undefined;
    if (field === "inputIds") return (columns.get("tokens") ?? columns.get("inputIds"))?.value;
    return columns.get(field)?.value;
  };
}

async function readTree(document: TreeDocument, context: Parameters<Adapter["read"]>[1]): Promise<Reading> {
  const { mapping } = context;
  const { file } = document;
  const columns = findTreeColumns(document, mapping);
  const lengths = lengthsColumn(document, mapping);
  const policies = Object.entries(mapping?.policies ?? {}).map(
    ([policy, name]): [string, FoundColumn<TreeValue>] => {
      const value = treeValueAt(document.root, name);
      if (value === undefined)
        throw new SchemaError(`policy ${policy} names ${name}, which does not exist`, { at: { file } });
      return [policy, { name, value }];
    },
  );
  return {
    alignment: "token",
    masks: nameMasks(columns),
    sampling: {},
    blocks:
      lengths === undefined
        ? readPadded(columns, {
            file,
            blockTokens: context.blockTokens,
            policies: Object.fromEntries(policies),
          })
        : readPack(packSource(columns, lengths.value), { ...context, file, pack: 0 }),
  };
}

export const generic: Adapter = {
  name: "generic",
  async detect(document, mapping) {
    if (document.kind === "rows") {
      const names = mappedNames(mapping);
      const match = explain(document, findRowColumns(document, names), describeRowValue, mapping);
      return (
        match && {
          ...match,
          step: agreedNumber(document, names.step),
          rank: agreedNumber(document, names.rank),
        }
      );
    }
    const columns = findTreeColumns(document, mapping);
    const match = explain(document, columns, describeValue, mapping);
    return (
      match && {
        ...match,
        step: await readScalar(columns.get("step")?.value),
        rank: await readScalar(columns.get("rank")?.value),
      }
    );
  },
  async read(document, context) {
    if (document.kind === "tree") return readTree(document, context);
    const { mapping, findings } = context;
    const names = mapping === undefined ? SYNONYMS : mappedNames(mapping);
    return {
      alignment: "token",
      masks: nameMasks(findRowColumns(document, names)),
      sampling: {},
      blocks: readRows(document, { names, findings, policies: mapping?.policies }),
    };
  },
};
