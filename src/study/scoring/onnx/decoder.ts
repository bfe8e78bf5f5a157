/**
 * What the three ways of running a decoder share: with a KV cache, on the whole text at once, or head and body
 * separately.
 *
 * @module
 */
import type { LogitBlock } from "../../../core/kernels/index.ts";
import type { Runtime, Tensor, Tensors } from "./runtime.ts";
import type { Signature } from "./signature.ts";

/** A decoder. Ids are those of its vocabulary; lengths fit its context. */
export interface Decoder {
  /** Logits at the positions `first … ids.length − 1`, in blocks. */
  logits(ids: Int32Array, first: number, signal?: AbortSignal): AsyncGenerator<LogitBlock>;
  /** Reads a prompt; it can then be continued in several ways from there. */
  begin(ids: Int32Array, signal?: AbortSignal): Promise<Cursor>;
  /** The fewest bytes of logits in one block, for a text of this many tokens. */
  leastBytes(tokens: number): number;
  /** How it runs, in sentences. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** A text that has been read up to here. */
export interface Cursor {
  /** One row: the logits of the next token. */
  readonly row: LogitBlock;
  advance(id: number, signal?: AbortSignal): Promise<Cursor>;
}

/** What every way of running needs. */
export interface DecoderSetup {
  readonly runtime: Runtime;
  readonly signature: Signature;
  readonly maxBlockBytes: number;
}

export function bytesPerLogit({ logits }: Signature): number {
  return logits === "float32" ? 4 : 2;
}

/** Rows of logits that fit the bound, at least one. */
export function rowsWithin(maxBlockBytes: number, vocabulary: number, signature: Signature): number {
  return Math.max(1, Math.floor(maxBlockBytes / (vocabulary * bytesPerLogit(signature))));
}

/** Inputs for tokens that follow `past` others, without the cache. */
export function textFeeds(
  { runtime, signature }: DecoderSetup,
  ids: Int32Array,
  past: number,
): Record<string, Tensor> {
  const { ids: name, mask, positions } = signature;
  const here = [1, ids.length];
  const total = past + ids.length;
  return {
    [name.name]: runtime.integers(name.type, ids, here),
    ...(mask !== null && {
      [mask.name]: runtime.integers(mask.type, new Int32Array(total).fill(1), [1, total]),
    }),
    ...(positions !== null && {
      [positions.name]: runtime.integers(
        positions.type,
        ids.map((_, i) => past + i),
        here,
      ),
    }),
  };
}

/** A copy of a row, which outlives the block it was in. */
export function keepRow(block: LogitBlock): LogitBlock {
  return { ...block, values: block.values.slice() };
}

export function only(tensors: Tensors, name: string): Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new TypeError(`onnxruntime returned no ${name}`);
  return tensor;
}
