/**
 * Finds where a decoder's graph exposes attention: the Softmax nodes whose output weights the values.
 *
 * @module
 */
import { Unavailable } from "../../../../core/base/index.ts";
import type { OnnxModel, StoredNode } from "../model-file/read-model.ts";

/** Operators allowed between the probabilities and the multiplication with the values. */
const PASSING = new Set(["Cast", "Dropout", "Expand", "Identity", "Reshape", "Unsqueeze", "Where"]);
/** Operators that do not expose attention. */
const FUSED = /Attention$/;

/** The Softmax nodes, one per layer, in the graph's order. */
export function findAttention(model: OnnxModel): readonly StoredNode[] | Unavailable {
  const takers = new Map<string, StoredNode[]>();
  for (const node of model.nodes)
    for (const name of new Set(node.inputs)) takers.set(name, [...(takers.get(name) ?? []), node]);
  const weighsValues = (name: string): boolean =>
    (takers.get(name) ?? []).some((node) =>
      node.operator === "MatMul"
        ? node.inputs[0] === name
        : PASSING.has(node.operator) && node.outputs.some(weighsValues),
    );
  const found = model.nodes.filter(
    ({ operator, outputs }) => operator === "Softmax" && outputs[0] !== undefined && weighsValues(outputs[0]),
  );
  if (found.length > 0) return found;
  const fused = model.nodes.find(({ operator }) => FUSED.test(operator));
  if (fused !== undefined)
    return new Unavailable(`its operator ${fused.operator} does not output its probabilities`);
  return new Unavailable(
    model.nodes.some(({ captured }) => captured.length > 0)
      ? "it is inside branches of the graph, which are not searched"
      : "the graph has no Softmax that weighs values",
  );
}
