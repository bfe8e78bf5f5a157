import type { ByteSource } from "../../../input/io/index.ts";
import {
  bytesPerLogit,
  type Cursor,
  type Decoder,
  type DecoderSetup,
  keepRow,
  only,
  rowsWithin,
  textFeeds,
} from "./decoder.ts";
import type { Head } from "./head.ts";
import { extract } from "./model-file/extract.ts";
import type { OnnxModel } from "./model-file/read-model.ts";
import { cutBlock, type Session, type SessionOptions, type Tensor } from "./runtime.ts";

/** Body and head of one model, as two sessions. */
export interface SplitSessions {
  readonly body: Session;
  readonly head: Session;
  readonly hidden: string;
}

const ELEMENT_TYPES: Readonly<Record<string, number>> = { float32: 1, float16: 10 };

/** Builds and loads the two models. @throws as extraction and onnxruntime do; nothing is then left open */
export async function openSplit(
  setup: DecoderSetup,
  source: ByteSource,
  model: OnnxModel,
  { hidden }: Head,
  options: SessionOptions,
): Promise<SplitSessions> {
  const inputs = model.inputs.map(({ name, type, shape }) => ({ name, type: type ?? 0, shape: shape ?? [] }));
  const bodyModel = await extract(source, model, { inputs, outputs: [hidden] });
  const body = await setup.runtime.open(model.file, bodyModel, options);
  try {
    const type = ELEMENT_TYPES[body.outputType(hidden)] ?? 0;
    const entry = { name: hidden, type, shape: ["batch", "rows", "width"] };
    const headModel = await extract(source, model, { inputs: [entry], outputs: ["logits"] });
    return { body, head: await setup.runtime.open(model.file, headModel, options), hidden };
  } catch (error) {
    await body.close();
    throw error;
  }
}

/** Without a cache, but with a separate head, which runs over chunks of the requested rows only. */
export function splitDecoder(
  setup: DecoderSetup,
  { body, head, hidden }: SplitSessions,
  vocabulary: number,
): Decoder {
  const { runtime, signature, maxBlockBytes } = setup;
  const rowsAtOnce = rowsWithin(maxBlockBytes, vocabulary, signature);
  const states = async (ids: Int32Array, signal?: AbortSignal): Promise<Tensor> => {
    signal?.throwIfAborted();
    return only(await body.run(textFeeds(setup, ids, 0), [hidden]), hidden);
  };
  const runHead = async (all: Tensor, from: number, to: number): Promise<Tensor> => {
    const width = all.dims[2]!;
    const { buffer, byteOffset } = all.data as Float32Array;
    const start = byteOffset + from * width * (all.type === "float32" ? 4 : 2);
    const length = (to - from) * width;
    const rows =
      all.type === "float32"
        ? new Float32Array(buffer, start, length)
        : new Uint16Array(buffer, start, length);
    const feeds = { [hidden]: runtime.floats(all.type, rows, [1, to - from, width]) };
    return only(await head.run(feeds, ["logits"]), "logits");
  };
  const begin = async (ids: Int32Array, signal?: AbortSignal): Promise<Cursor> => {
    const all = await states(ids, signal);
    return {
      row: keepRow(cutBlock(await runHead(all, ids.length - 1, ids.length), 0, 1)),
      advance: (id, next) => begin(Int32Array.of(...ids, id), next),
    };
  };
  return {
    async *logits(ids, first, signal) {
      const all = await states(ids, signal);
      for (let from = first; from < ids.length; from += rowsAtOnce) {
        signal?.throwIfAborted();
        const to = Math.min(from + rowsAtOnce, ids.length);
        yield cutBlock(await runHead(all, from, to), 0, to - from);
      }
    },
    begin,
    leastBytes: () => vocabulary * bytesPerLogit(signature),
    notes: [
      `No KV cache: one run gives the hidden states of a whole text; the head runs separately, over up to ${rowsAtOnce} rows at once.`,
    ],
    async close() {
      await Promise.allSettled([body.close(), head.close()]);
    },
  };
}
