/**
 * Extracts a part of a graph as a separate model: nodes and weights are copied byte for byte.
 *
 * @module
 */

import { realpath } from "node:fs/promises";
import { dirname, join, parse, relative, sep } from "node:path";
import { joinBytes, lengthDelimited, varintBytes } from "../../../../core/base/index.ts";
import type { ByteSource } from "../../../../input/io/index.ts";
import { encodeValue, GRAPH, MODEL, readEntry, TENSOR_EXTERNAL_FIELD } from "./messages.ts";
import type { OnnxModel, Span, StoredNode, StoredWeight } from "./read-model.ts";
import { iterateFields } from "./wire.ts";

/** Where a part of a graph begins and ends. */
export interface Cut {
  /** The graph's own inputs, or names of values that nodes compute. */
  readonly inputs: readonly {
    readonly name: string;
    readonly type: number;
    readonly shape: readonly (number | string)[];
  }[];
  readonly outputs: readonly string[];
  /** Replacements of nodes: fields of the graph, which may compute more values than the node. */
  readonly replaced?: ReadonlyMap<StoredNode, Uint8Array>;
}

/** Bytes read at once. */
const MAX_PIECE_BYTES = 2 ** 24;

export interface Extracted {
  readonly bytes: Uint8Array;
  /** The directory that locations of external weights are relative to; null if there are none. */
  readonly externalRoot: string | null;
}

/** Nodes and weights that `outputs` are computed from, back to `inputs`. */
export function ancestors(
  model: OnnxModel,
  outputs: readonly string[],
  inputs: ReadonlySet<string>,
): { readonly nodes: ReadonlySet<StoredNode>; readonly names: ReadonlySet<string> } {
  const makers = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const names = new Set<string>();
  const nodes = new Set<StoredNode>();
  const open = [...outputs];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (names.has(name)) continue;
    names.add(name);
    const maker = inputs.has(name) ? undefined : makers.get(name);
    if (maker === undefined || nodes.has(maker)) continue;
    nodes.add(maker);
    open.push(...maker.inputs, ...maker.captured);
  }
  return { nodes, names };
}

/** The smallest model from `cut.inputs` to `cut.outputs`. onnxruntime infers the types of the outputs. */
export async function extract(source: ByteSource, model: OnnxModel, cut: Cut): Promise<Extracted> {
  const { nodes, names } = ancestors(model, cut.outputs, new Set(cut.inputs.map(({ name }) => name)));
  const weights = [...model.weights.values()].filter(({ name }) => names.has(name));
  const isExternal = weights.some(({ external }) => external !== null);
  const root = isExternal ? parse(await realpath(model.file)).root : null;
  const graph: Part[] = [
    ...model.nodes.filter((node) => nodes.has(node)).map((node) => cut.replaced?.get(node) ?? node),
    lengthDelimited(GRAPH.name, "part"),
    ...cut.inputs.map(({ name, type, shape }) =>
      lengthDelimited(GRAPH.input, encodeValue(name, type, shape)),
    ),
    ...cut.outputs.map((name) => lengthDelimited(GRAPH.output, encodeValue(name))),
  ];
  for (const weight of weights) {
    graph.push(root === null || weight.external === null ? weight : await relocated(source, weight, root));
  }
  const head = joinBytes([varintBytes(MODEL.graph * 8 + 2), varintBytes(countBytes(graph))]);
  return { bytes: await assembled(source, [...model.preamble, head, ...graph]), externalRoot: root };
}

/** Bytes in memory, or still in the file. */
type Part = Uint8Array | Span;

function countBytes(parts: readonly Part[]): number {
  return parts.reduce(
    (total, part) => total + (part instanceof Uint8Array ? part.length : part.end - part.start),
    0,
  );
}

/** All parts in one array; neighbors in the file are read at once. */
async function assembled(source: ByteSource, parts: readonly Part[]): Promise<Uint8Array> {
  const whole = new Uint8Array(countBytes(parts));
  let at = 0;
  for (let i = 0; i < parts.length; ) {
    const part = parts[i++]!;
    if (part instanceof Uint8Array) {
      whole.set(part, at);
      at += part.length;
      continue;
    }
    let { end } = part;
    for (let next = parts[i]; next !== undefined && !(next instanceof Uint8Array); next = parts[++i]) {
      if (next.start !== end || next.end - part.start > MAX_PIECE_BYTES) break;
      end = next.end;
    }
    whole.set(await source.slice(part.start, end), at);
    at += end - part.start;
  }
  return whole;
}

/** The same weight with its values at an absolute location, with symbolic links resolved. */
async function relocated(source: ByteSource, weight: StoredWeight, root: string): Promise<Uint8Array> {
  const target = await realpath(join(dirname(source.name), weight.external?.location ?? ""));
  const location = relative(root, target).split(sep).join("/");
  const tensor = await source.slice(weight.from, weight.end);
  const parts: Uint8Array[] = [];
  for (const field of iterateFields(tensor, source.name)) {
    const entry = tensor.subarray(field.from, field.to);
    const moved = field.number === TENSOR_EXTERNAL_FIELD && readEntry(entry, source.name)[0] === "location";
    const path = joinBytes([lengthDelimited(1, "location"), lengthDelimited(2, location)]);
    parts.push(moved ? lengthDelimited(TENSOR_EXTERNAL_FIELD, path) : tensor.subarray(field.start, field.to));
  }
  return lengthDelimited(GRAPH.initializer, joinBytes(parts));
}
