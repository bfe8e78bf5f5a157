/**
 * The parts of ONNX's messages that matter here. Field numbers are those of onnx.proto3 of ONNX 1.19; they never change
 * their meaning. https://github.com/onnx/onnx/blob/v1.19.0/onnx/onnx.proto3
 *
 * @module
 */
import { joinBytes, lengthDelimited, varintField } from "../../../../core/base/index.ts";
import { fieldAt, iterateFields, readIntegers, readText } from "./wire.ts";

/** A node, without its attributes. */
export interface OnnxNode {
  readonly operator: string;
  /** `""` is ONNX itself. */
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Names that its subgraphs (branches, loop bodies) use; some are local to them. */
  readonly captured: readonly string[];
}

/** A weight, without its values. */
export interface OnnxTensor {
  readonly name: string;
  readonly type: number;
  readonly shape: readonly number[];
  /** Where its values are, if in a separate file; `length` null means to the end. */
  readonly external: {
    readonly location: string;
    readonly offset: number;
    readonly length: number | null;
  } | null;
}

/** An input or output of the graph. */
export interface OnnxValue {
  readonly name: string;
  /** Element type; null for values that are not tensors. */
  readonly type: number | null;
  /** The shape; a variable dimension is given by its name. Null if no shape is given. */
  readonly shape: readonly (number | string)[] | null;
}

const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const;
const ATTRIBUTE = { graph: 6, graphs: 11 } as const;
const TENSOR = { dims: 1, type: 2, name: 8, external: 13 } as const;
/** The only fields of a weight that are read; the others may be gigabytes. */
export const TENSOR_HEAD_FIELDS: ReadonlySet<number> = new Set(Object.values(TENSOR));
export const TENSOR_EXTERNAL_FIELD = TENSOR.external;

export function decodeNode(message: Uint8Array, file: string): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const captured: string[] = [];
  let operator = "";
  let domain = "";
  for (const field of iterateFields(message, file)) {
    if (field.number === NODE.input) inputs.push(readText(message, field));
    else if (field.number === NODE.output) outputs.push(readText(message, field));
    else if (field.number === NODE.operator) operator = readText(message, field);
    else if (field.number === NODE.domain) domain = readText(message, field);
    else if (field.number === NODE.attribute) {
      const attribute = message.subarray(field.from, field.to);
      for (const part of iterateFields(attribute, file)) {
        if (part.number === ATTRIBUTE.graph || part.number === ATTRIBUTE.graphs)
          captured.push(...namesIn(attribute.subarray(part.from, part.to), file));
      }
    }
  }
  return { operator, domain, inputs, outputs, captured };
}

/** Every name that a subgraph's nodes and outputs refer to. */
function namesIn(graph: Uint8Array, file: string): string[] {
  const names: string[] = [];
  for (const field of iterateFields(graph, file)) {
    const part = graph.subarray(field.from, field.to);
    if (field.number === GRAPH.node) {
      const { inputs, captured } = decodeNode(part, file);
      names.push(...inputs, ...captured);
    } else if (field.number === GRAPH.output) names.push(decodeValue(part, file).name);
  }
  return names;
}

export const MODEL = { irVersion: 1, graph: 7, training: 20 } as const;
export const GRAPH = {
  node: 1,
  name: 2,
  initializer: 5,
  input: 11,
  output: 12,
  valueInfo: 13,
  sparse: 15,
} as const;

/** @param message a TensorProto, or those of its fields that are in {@link TENSOR_HEAD_FIELDS} */
export function decodeTensor(message: Uint8Array, file: string): OnnxTensor {
  const shape: number[] = [];
  const external = new Map<string, string>();
  let name = "";
  let type = 0;
  for (const field of iterateFields(message, file)) {
    if (field.number === TENSOR.dims) shape.push(...readIntegers(message, field, file));
    else if (field.number === TENSOR.type) type = field.value;
    else if (field.number === TENSOR.name) name = readText(message, field);
    else if (field.number === TENSOR.external)
      external.set(...readEntry(message.subarray(field.from, field.to), file));
  }
  const location = external.get("location");
  const length = external.get("length");
  return {
    name,
    type,
    shape,
    external:
      location === undefined
        ? null
        : {
            location,
            offset: Number(external.get("offset") ?? 0),
            length: length === undefined ? null : Number(length),
          },
  };
}

/** A StringStringEntryProto. */
export function readEntry(entry: Uint8Array, file: string): [string, string] {
  const texts = ["", ""];
  for (const field of iterateFields(entry, file)) texts[field.number - 1] = readText(entry, field);
  return [texts[0] ?? "", texts[1] ?? ""];
}

/** A ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1, shape = 2 { dim = 1 { value = 1, param = 2 }}}}. */
export function decodeValue(message: Uint8Array, file: string): OnnxValue {
  let name = "";
  let type: number | null = null;
  let shape: (number | string)[] | null = null;
  for (const field of iterateFields(message, file)) {
    if (field.number === 1) name = readText(message, field);
    if (field.number !== 2) continue;
    for (const tensor of within(message.subarray(field.from, field.to), 1, file)) {
      for (const part of iterateFields(tensor, file)) if (part.number === 1) type = part.value;
      for (const dims of within(tensor, 2, file)) {
        shape = [...within(dims, 1, file)].map((dim, i) => dimension(dim, i, file));
      }
    }
  }
  return { name, type, shape };
}

function dimension(message: Uint8Array, index: number, file: string): number | string {
  for (const field of iterateFields(message, file)) {
    if (field.number === 1 && field.value >= 0) return field.value;
    if (field.number === 2) return readText(message, field);
  }
  return `axis ${index}`;
}

/** The payloads of the fields with that number. */
function* within(message: Uint8Array, number: number, file: string): Generator<Uint8Array> {
  for (const field of iterateFields(message, file)) {
    if (field.number === number && field.wire === 2) yield message.subarray(field.from, field.to);
  }
}

/** A node without attributes, as a field of its graph. */
export function encodeNode(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
): Uint8Array {
  const parts = [
    ...inputs.map((name) => lengthDelimited(NODE.input, name)),
    ...outputs.map((name) => lengthDelimited(NODE.output, name)),
    lengthDelimited(NODE.operator, operator),
  ];
  return lengthDelimited(GRAPH.node, joinBytes(parts));
}

/** A node, as a field of its graph, with a different first input; everything else is copied. */
export function withFirstInput(node: Uint8Array, name: string, file: string): Uint8Array {
  const { from, to } = fieldAt(node, 0, node.length, file);
  const message = node.subarray(from, to);
  const parts: Uint8Array[] = [];
  let inputs = 0;
  for (const field of iterateFields(message, file)) {
    const isFirst = field.number === NODE.input && inputs++ === 0;
    parts.push(isFirst ? lengthDelimited(NODE.input, name) : message.subarray(field.start, field.to));
  }
  return lengthDelimited(GRAPH.node, joinBytes(parts));
}

/** A ValueInfoProto; without a type, onnxruntime infers it (only an output may lack one). */
export function encodeValue(name: string, type?: number, shape?: readonly (number | string)[]): Uint8Array {
  const named = lengthDelimited(1, name);
  if (type === undefined) return named;
  const dims = (shape ?? []).map((size) =>
    lengthDelimited(1, typeof size === "number" ? varintField(1, size) : lengthDelimited(2, size)),
  );
  const tensor = joinBytes([varintField(1, type), lengthDelimited(2, joinBytes(dims))]);
  return joinBytes([named, lengthDelimited(2, lengthDelimited(1, tensor))]);
}
