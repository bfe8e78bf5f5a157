/**
 * Splits a decoder's graph into a body (text to hidden states) and a head (hidden states to logits), each of whose rows
 * depends on only one row of hidden states.
 *
 * @module
 */
import { Unavailable } from "../../../core/base/index.ts";
import { ancestors } from "./model-file/extract.ts";
import type { OnnxModel, StoredNode } from "./model-file/read-model.ts";

export interface Head {
  /** The value that enters the last matrix multiplication. */
  readonly hidden: string;
  /** Number of nodes from there to the logits. */
  readonly nodes: number;
}

/** Operators that may follow the matrix multiplication: elementwise, with constants. */
const ELEMENTWISE = new Set([
  "Add",
  "Cast",
  "Clip",
  "Div",
  "Identity",
  "Max",
  "Min",
  "Mul",
  "Neg",
  "Sub",
  "Tanh",
]);
/** Operators that multiply row by row with constant weights. The second is onnxruntime's, for 4-bit weights. */
const MULTIPLICATIONS = new Set(["MatMul", "MatMulNBits"]);

export function findHead(model: OnnxModel): Head | Unavailable {
  const makers = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const given = new Set(model.inputs.map(({ name }) => name));
  const isConstant = (name: string): boolean => {
    if (name === "") return true;
    const { names, nodes } = ancestors(model, [name], new Set());
    return (
      ![...names].some((one) => given.has(one)) && [...nodes].every(({ captured }) => captured.length === 0)
    );
  };
  let name = "logits";
  for (let nodes = 1; ; nodes++) {
    const maker = makers.get(name);
    if (maker === undefined) return new Unavailable(`no node produces ${name}`);
    const [first, ...others] = maker.inputs;
    if (MULTIPLICATIONS.has(maker.operator) && first !== undefined && !isConstant(first)) {
      if (others.every(isConstant)) return { hidden: first, nodes };
      return new Unavailable(`both factors of the last ${maker.operator} depend on the text`);
    }
    const varying = maker.inputs.filter((input) => !isConstant(input));
    if (!ELEMENTWISE.has(maker.operator) || varying.length !== 1 || !appliesToRows(model, maker))
      return new Unavailable(`${maker.operator} comes after the last matrix multiplication`);
    name = varying[0]!;
  }
}

/** Whether a node's constants have at most one row; otherwise they would apply to specific tokens of the text. */
function appliesToRows(model: OnnxModel, { inputs }: StoredNode): boolean {
  return inputs.every((input) => {
    const shape = model.weights.get(input)?.shape ?? [];
    return shape.slice(0, -1).every((size) => size === 1);
  });
}
