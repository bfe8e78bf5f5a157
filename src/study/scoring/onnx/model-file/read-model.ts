import { EmptyInputError, FormatError, joinBytes } from "../../../../core/base/index.ts";
import type { ByteSource } from "../../../../input/io/index.ts";
import {
  decodeNode,
  decodeTensor,
  decodeValue,
  GRAPH,
  MODEL,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
  TENSOR_HEAD_FIELDS,
} from "./messages.ts";
import { type Field, fieldAt, MAX_HEAD_BYTES, notAModel } from "./wire.ts";

/** Bytes `[start, end)` of the file: a whole field, tag included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type StoredNode = OnnxNode & Span;
/** `from` is where the TensorProto itself begins. */
export type StoredWeight = OnnxTensor & Span & { readonly from: number };

/** The structure of a model file, without weights and attributes; the spans locate those in the file. */
export interface OnnxModel {
  readonly file: string;
  /** Fields of the model other than its graph: versions, operator sets, functions, metadata. */
  readonly preamble: readonly Span[];
  readonly nodes: readonly StoredNode[];
  readonly weights: ReadonlyMap<string, StoredWeight>;
  /** Without inputs that only name a weight. */
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Whether some weights are sparse, which is not supported here. */
  readonly hasSparseWeights: boolean;
}

const LFS_POINTER = "version https://git-lfs";
/** A model's first byte is the tag of one of these fields. */
const MODEL_FIELDS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26]);

/**
 * Reads the structure of an ONNX model; weights are skipped, so this costs the size of the graph.
 *
 * @throws EmptyInputError for an empty file
 * @throws FormatError for a Git LFS pointer, a file that is cut off, anything that is not an ONNX model
 */
export async function readModel(source: ByteSource): Promise<OnnxModel> {
  await checkBeginning(source);
  const file = source.name;
  const window = readAhead(source);
  const preamble: Span[] = [];
  const nodes: StoredNode[] = [];
  const weights = new Map<string, StoredWeight>();
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  let graphs = 0;
  let hasSparseWeights = false;
  for await (const part of fieldsIn(window, 0, source.byteLength, file)) {
    if (!MODEL_FIELDS.has(part.number)) throw notAModel(file, part.start);
    if (part.number !== MODEL.graph) {
      if (part.number !== MODEL.training) preamble.push({ start: part.start, end: part.to });
      continue;
    }
    graphs++;
    for await (const field of fieldsIn(window, part.from, part.to, file)) {
      const { start, from, to: end } = field;
      if (field.number === GRAPH.node)
        nodes.push({ ...decodeNode(await window(from, end), file), start, end });
      else if (field.number === GRAPH.input) inputs.push(decodeValue(await window(from, end), file));
      else if (field.number === GRAPH.output) outputs.push(decodeValue(await window(from, end), file));
      else if (field.number === GRAPH.sparse) hasSparseWeights = true;
      else if (field.number === GRAPH.initializer) {
        const tensor = decodeTensor(await readHead(window, field, file), file);
        weights.set(tensor.name, { ...tensor, start, from, end });
      }
    }
  }
  if (graphs === 0) {
    throw new FormatError(`${file} holds no graph in its ${source.byteLength} bytes`, {
      at: { file },
      likely: "it is a different kind of file with this name",
      hint: "export or download the model again",
    });
  }
  return {
    file,
    preamble,
    nodes,
    weights,
    inputs: inputs.filter(({ name }) => !weights.has(name)),
    outputs,
    hasSparseWeights,
  };
}

async function checkBeginning(source: ByteSource): Promise<void> {
  const at = { file: source.name };
  if (source.byteLength === 0) {
    throw new EmptyInputError(`${source.name} is empty`, {
      at,
      likely: "the export or the download never started",
      hint: "export or download the model again",
    });
  }
  const start = await source.slice(0, Math.min(LFS_POINTER.length, source.byteLength));
  if (new TextDecoder().decode(start) === LFS_POINTER) {
    throw new FormatError(
      `${source.name} is a Git LFS pointer of ${source.byteLength} bytes, not the model`,
      {
        at,
        likely: "the repository was cloned without Git LFS, which left out the large files",
        hint: "git lfs install && git lfs pull, in that repository",
      },
    );
  }
}

type Window = (start: number, end: number) => Promise<Uint8Array>;

const WINDOW_BYTES = 2 ** 18;

/** Bytes of the file, read ahead so that many small fields in a row cost one read. */
function readAhead(source: ByteSource): Window {
  let held = new Uint8Array();
  let heldFrom = 0;
  return async (start, end) => {
    if (start < heldFrom || end > heldFrom + held.length) {
      held = new Uint8Array(
        await source.slice(start, Math.min(source.byteLength, Math.max(end, start + WINDOW_BYTES))),
      );
      heldFrom = start;
    }
    return held.subarray(start - heldFrom, end - heldFrom);
  };
}

async function* fieldsIn(window: Window, from: number, end: number, file: string): AsyncGenerator<Field> {
  for (let at = from; at < end; ) {
    const head = await window(at, Math.min(end, at + MAX_HEAD_BYTES));
    const field = fieldAt(head, 0, end - at, file, at);
    const placed = { ...field, start: at, from: at + field.from, to: at + field.to };
    yield placed;
    at = placed.to;
  }
}

/** The fields of a weight that describe and locate it. */
async function readHead(window: Window, weight: Field, file: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const field of fieldsIn(window, weight.from, weight.to, file)) {
    if (TENSOR_HEAD_FIELDS.has(field.number)) parts.push(await window(field.start, field.to));
  }
  return joinBytes(parts);
}
