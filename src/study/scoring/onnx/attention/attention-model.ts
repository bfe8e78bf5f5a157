/**
 * A decoder's graph with two more inputs, so that attention is summed, and modified, inside the graph. Nothing of size
 * tokens × tokens leaves it.
 *
 * @module
 */
import { joinBytes } from "../../../../core/base/index.ts";
import type { ByteSource } from "../../../../input/io/index.ts";
import { type Extracted, extract } from "../model-file/extract.ts";
import { encodeNode, withFirstInput } from "../model-file/messages.ts";
import type { OnnxModel, StoredNode } from "../model-file/read-model.ts";
import type { LogitType } from "../signature.ts";

/** `[queries, keys]` or `[1, 1]`: added to the scores before each Softmax; −∞ hides a key from a query. */
export const BIAS = "logratio.attention.bias";
/** `[keys, spans]`: 1 where a key is in a span. */
export const SELECTOR = "logratio.attention.spans";

/** `[…, heads, queries, spans]`: how much of each query's attention goes to each span, in a layer. */
export function nameShares(layer: number): string {
  return `logratio.attention.shares.${layer}`;
}

const ELEMENT_TYPES: Readonly<Record<LogitType, number>> = { float32: 1, float16: 10 };

/**
 * @param outputs the decoder's outputs to keep; nodes that only others need are left out
 * @param type the element type of the scores
 */
export async function attentionModel(
  source: ByteSource,
  model: OnnxModel,
  attention: readonly StoredNode[],
  outputs: readonly string[],
  type: LogitType,
): Promise<Extracted> {
  const replaced = new Map<StoredNode, Uint8Array>();
  for (const [layer, node] of attention.entries()) {
    const [scores = ""] = node.inputs;
    const [probabilities = ""] = node.outputs;
    const biased = `logratio.attention.scores.${layer}`;
    const field = await source.slice(node.start, node.end);
    const fields = [
      encodeNode("Add", [scores, BIAS], [biased]),
      withFirstInput(field, biased, model.file),
      encodeNode("MatMul", [probabilities, SELECTOR], [nameShares(layer)]),
    ];
    replaced.set(node, joinBytes(fields));
  }
  const inputs = [
    ...model.inputs.map(({ name, type: own, shape }) => ({ name, type: own ?? 0, shape: shape ?? [] })),
    { name: BIAS, type: ELEMENT_TYPES[type], shape: ["logratio.queries", "logratio.keys"] },
    { name: SELECTOR, type: ELEMENT_TYPES[type], shape: ["logratio.all_keys", "logratio.spans"] },
  ];
  const shares = attention.map((_, layer) => nameShares(layer));
  return extract(source, model, { inputs, outputs: [...outputs, ...shares], replaced });
}
