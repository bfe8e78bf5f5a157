/**
 * Recognizes what other trainers leave behind and says what is missing; reads those that have one policy's log-probs.
 *
 * @module
 */
import type { SourceDocument, TreeMap } from "../../io/index.ts";
import type { Adapter } from "../adapter.ts";
import { listFound } from "../shared/fields.ts";
import { describeLacking, missingPolicy } from "../shared/missing-side.ts";
import { findRowColumns, readRows } from "../shared/row-objects.ts";
import { describeRowValue } from "../shared/row-values.ts";
import { isList, isMap } from "../shared/tree-values.ts";
import { recognise } from "./dumps.ts";

/** Columns of a table as Weights & Biases stores it (`columns` and `data`), or the names in the tree. */
function treeNames(root: TreeMap): Set<string> {
  const { columns, data } = root;
  if (isList(columns) && isList(data)) return new Set(columns.filter((name) => typeof name === "string"));
  const batch = root.batch;
  return new Set([...Object.keys(root), ...(isMap(batch) ? Object.keys(batch) : [])]);
}

function collectNames(document: SourceDocument): Set<string> {
  if (document.kind === "tree") return treeNames(document.root);
  return new Set(document.sample.flatMap((row) => Object.keys(row)));
}

export const oneSided: Adapter = {
  name: "one-sided",
  async detect(document) {
    const dump = recognise(collectNames(document));
    if (dump === undefined) return undefined;
    const missing = [
      ...(dump.has === "rollout" ? [] : ["rollout log-probs"]),
      ...(dump.has === "trainer" ? [] : ["trainer log-probs"]),
    ];
    const error = missingPolicy(describeLacking(dump, document.file));
    const { has, names } = dump;
    const isRead = has !== "text" && names !== undefined && document.kind === "rows";
    return {
      score: 0.5,
      found: [dump.what, ...(isRead ? listFound(findRowColumns(document, names), describeRowValue) : [])],
      guessed: [],
      missing,
      ...(isRead ? { onePolicy: { has, what: dump.what, error } } : { problem: error }),
    };
  },
  async read(document, { findings }) {
    const dump = recognise(collectNames(document))!;
    if (document.kind !== "rows" || dump.names === undefined)
      throw missingPolicy(describeLacking(dump, document.file));
    return {
      trainer: dump.trainer,
      alignment: "token",
      sampling: {},
      blocks: readRows(document, { names: dump.names, findings }),
    };
  },
};
