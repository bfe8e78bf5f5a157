/**
 * Recognizes trainers' text-only dumps and says how to get both policies' log-probs written; reads nothing.
 *
 * @module
 */

import type { Adapter } from "../../../input/adapters/adapter.ts";
import { describeLacking, missingPolicy } from "../../../input/adapters/shared/missing-side.ts";
import { isList, isMap } from "../../../input/adapters/shared/tree-values.ts";
import type { SourceDocument, TreeMap } from "../../../input/io/index.ts";
import { recognise } from "./dumps.ts";

/** The columns of a table in Weights & Biases' form (`columns` and `data`), or the names in the tree. */
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
    return {
      score: 0.5,
      found: [dump.what],
      guessed: [],
      missing: ["rollout log-probs", "trainer log-probs"],
      problem: missingPolicy(describeLacking(dump, document.file)),
    };
  },
  async read(document) {
    throw missingPolicy(describeLacking(recognise(collectNames(document))!, document.file));
  },
};
