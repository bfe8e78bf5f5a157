/**
 * Recognizes what other trainers leave behind and says what is missing; reads nothing.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { SourceDocument, TreeMap } from "../../io/index.ts";
import type { Adapter } from "../adapter.ts";
import { exporterSnippet } from "../shared/exporters.ts";
import { isList, isMap } from "../shared/tree-values.ts";
import { type OneSidedDump, recognise } from "./dumps.ts";

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

const ABSENT = {
  neither: "holds text only: neither policy's log-probs are in it",
  rollout: "holds the rollout policy's log-probs only: the trainer side is missing",
  trainer: "holds the trainer policy's log-probs only: the rollout side is missing",
} as const;

/** Says which side a dump lacks and how to make its trainer write both. */
export function missingSide(dump: OneSidedDump, file: string): MissingSideError {
  return new MissingSideError(`${dump.what} ${ABSENT[dump.has]}`, {
    at: { file },
    likely: `this is what ${dump.trainer} writes by default`,
    hint: `make ${dump.trainer} write both:\n${exporterSnippet(dump.trainer)}`,
  });
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
    return {
      score: 0.5,
      found: [dump.what],
      guessed: [],
      missing,
      problem: missingSide(dump, document.file),
    };
  },
  async read(document) {
    throw missingSide(recognise(collectNames(document))!, document.file);
  },
};
