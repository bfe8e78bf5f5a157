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
import { cutBlock, type Session, type Tensor, type Tensors } from "./runtime.ts";

/** Attention in a run takes memory proportional to its length times the text's. */
const MAX_RUN_TOKENS = 512;

/** Keys and values of the tokens so far. */
interface Memory {
  readonly tokens: number;
  readonly past: Tensors;
}

/** One run of a cached decoder. */
interface Step {
  readonly logits: Tensor;
  readonly memory: Memory;
}

export interface CachedDecoder extends Decoder {
  /** Logits of a text fed in runs of these lengths, to test the cache. */
  inRuns(ids: Int32Array, lengths: readonly number[]): Promise<Tensor[]>;
}

/**
 * A KV cache: a text is fed in runs whose logits fit the bound, each continuing the last.
 *
 * @param oneByOne whether the graph is right for only one token at a time once it has a cache
 */
export function cachedDecoder(
  setup: DecoderSetup,
  session: Session,
  vocabulary: number,
  oneByOne: boolean,
): CachedDecoder {
  const { runtime, signature, maxBlockBytes } = setup;
  const { cache, cacheSwitch } = signature;
  const rowsAtOnce = Math.min(MAX_RUN_TOKENS, rowsWithin(maxBlockBytes, vocabulary, signature));
  const fetched = ["logits", ...cache.map(({ present }) => present)];
  const nothing: Memory = {
    tokens: 0,
    past: Object.fromEntries(
      cache.map(({ past, type, shape }) => {
        const none = type === "float32" ? new Float32Array(0) : new Uint16Array(0);
        return [past, runtime.floats(type, none, shape)];
      }),
    ),
  };
  const step = async ({ tokens, past }: Memory, ids: Int32Array, signal?: AbortSignal): Promise<Step> => {
    signal?.throwIfAborted();
    const feeds = {
      ...textFeeds(setup, ids, tokens),
      ...past,
      ...(cacheSwitch !== null && { [cacheSwitch]: runtime.integers("bool", [tokens > 0 ? 1 : 0], [1]) }),
    };
    const given = await session.run(feeds, fetched);
    const kept = cache.map((entry) => [entry.past, only(given, entry.present)] as const);
    return {
      logits: only(given, "logits"),
      memory: { tokens: tokens + ids.length, past: Object.fromEntries(kept) },
    };
  };
  const runLength = (from: number, all: number): number =>
    Math.min(oneByOne && from > 0 ? 1 : rowsAtOnce, all - from);
  const cursorAt = ({ logits, memory }: Step): Cursor => {
    const rows = logits.dims[1]!;
    return {
      row: keepRow(cutBlock(logits, rows - 1, rows)),
      advance: async (id, signal) => cursorAt(await step(memory, Int32Array.of(id), signal)),
    };
  };
  return {
    async *logits(ids, first, signal) {
      let memory = nothing;
      while (memory.tokens < ids.length) {
        const from = memory.tokens;
        const to = from + runLength(from, ids.length);
        const done = await step(memory, ids.subarray(from, to), signal);
        memory = done.memory;
        if (to > first) yield cutBlock(done.logits, Math.max(0, first - from), to - from);
      }
    },
    async begin(ids, signal) {
      const to = runLength(0, ids.length);
      let last = await step(nothing, ids.subarray(0, to), signal);
      while (last.memory.tokens < ids.length) {
        const from = last.memory.tokens;
        last = await step(last.memory, ids.subarray(from, from + runLength(from, ids.length)), signal);
      }
      return cursorAt(last);
    },
    async inRuns(ids, lengths) {
      const parts: Tensor[] = [];
      let memory = nothing;
      for (const length of lengths) {
        const done = await step(memory, ids.subarray(memory.tokens, memory.tokens + length));
        parts.push(done.logits);
        memory = done.memory;
      }
      return parts;
    },
    leastBytes: () => vocabulary * bytesPerLogit(signature),
    notes: [
      oneByOne
        ? `KV cache: the first ${rowsAtOnce} tokens of a text are one run; the others follow one by one, because its graph cannot take several.`
        : `KV cache: a text is fed in runs of up to ${rowsAtOnce} tokens.`,
    ],
    close: () => session.close(),
  };
}
