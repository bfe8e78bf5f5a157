/**
 * A second session of a decoder, whose attention can be read and changed.
 *
 * @module
 */

import { isLogratioError, type LogratioError, Unavailable } from "../../../../core/base/index.ts";
import type { LogitBlock } from "../../../../core/kernels/index.ts";
import { formatNumber } from "../../../../core/text/index.ts";
import type { AttentionFacts, AttentionRequest, AttentionToSpan, TokenSpan } from "../../policy.ts";
import type { DecoderSetup } from "../decoder.ts";
import { only } from "../decoder.ts";
import type { OnnxModel, StoredNode } from "../model-file/read-model.ts";
import type { DecoderFile, OpenedDecoder } from "../open-decoder.ts";
import type { Session, SessionOptions, Tensor } from "../runtime.ts";
import { findRange, furthest, ROUNDING, testIds } from "../self-check.ts";
import type { LogitType } from "../signature.ts";
import { widened } from "../widen.ts";
import { attentionModel, BIAS, nameShares, SELECTOR } from "./attention-model.ts";
import { findAttention } from "./find-attention.ts";

export interface AttentionProbe {
  readonly facts: AttentionFacts;
  readonly notes: readonly string[];
  attention(ids: Int32Array, request: AttentionRequest, signal?: AbortSignal): Promise<AttentionToSpan[]>;
  /** Logits at the positions `first … ids.length − 1`, with a span hidden from later positions. */
  logitsWithout(
    ids: Int32Array,
    first: number,
    hidden: TokenSpan,
    signal?: AbortSignal,
  ): AsyncGenerator<LogitBlock>;
  close(): Promise<void>;
}

/** Tokens of the text that tests a probe. */
const TEST_TOKENS = 6;
/** How far the sum of the shares of all keys may be from 1. */
const WHOLE = { float32: 1e-4, float16: 5e-3 } as const;

/** The probe of an opened decoder. It costs a second copy of the weights. */
export async function openProbe(
  setup: DecoderSetup,
  file: DecoderFile,
  opened: OpenedDecoder,
  options: SessionOptions,
): Promise<AttentionProbe | Unavailable> {
  const { model } = file;
  const layers = findAttention(model);
  if (layers instanceof Unavailable) return layers;
  if (model.hasSparseWeights) return new Unavailable("some of its weights are sparse");
  const loaded = await load(setup, file, layers, opened.fetched, options);
  if ("error" in loaded)
    return new Unavailable(`its graph does not load with more outputs (${loaded.error.message})`);
  const { session, type } = loaded;
  const run: Run = { setup, session, type, opened, layers: layers.length };
  try {
    const checked = await check(run, file);
    if (checked instanceof Unavailable) {
      await session.close();
      return checked;
    }
    const { heads, canHide, notes } = checked;
    return {
      facts: { layers: layers.length, heads, canHide },
      notes: [
        `Attention is read from ${layers.length} layers with ${heads} heads, in a second session.`,
        ...notes,
      ],
      attention: (ids, request, signal) => measureAttention(run, ids, request, signal),
      logitsWithout: (ids, first, hidden, signal) => runLogits(run, ids, first, { hidden }, signal),
      close: () => session.close(),
    };
  } catch (error) {
    await session.close();
    // The graph runs, but not with the added inputs: its attention cannot be read.
    if (isLogratioError(error, "UnsupportedError")) return new Unavailable(error.message);
    throw error;
  }
}

/**
 * Scores are in the precision of the logits, or widened (or narrowed) before the Softmax: the graph does not tell
 * which.
 */
async function load(
  { runtime, signature }: DecoderSetup,
  { source, model }: DecoderFile,
  layers: readonly StoredNode[],
  fetched: readonly string[],
  options: SessionOptions,
): Promise<{ readonly session: Session; readonly type: LogitType } | { readonly error: LogratioError }> {
  const other = signature.logits === "float32" ? "float16" : "float32";
  let first: LogratioError | undefined;
  for (const type of [signature.logits, other] as const) {
    const made = await attentionModel(source, model, layers, fetched, type);
    try {
      return { session: await runtime.open(model.file, made, options), type };
    } catch (error) {
      if (!isLogratioError(error)) throw error;
      first ??= error;
    }
  }
  return { error: first as LogratioError };
}

interface Run {
  readonly setup: DecoderSetup;
  readonly session: Session;
  readonly type: LogitType;
  readonly opened: OpenedDecoder;
  readonly layers: number;
}

interface Probing {
  readonly hidden?: TokenSpan;
  readonly spans?: readonly TokenSpan[];
  /** A layer's shares for the positions from `past` on. */
  readonly onShares?: (layer: number, past: number, shares: Tensor) => void;
}

/** The decoder's logits, from the session with access to its attention. */
function runLogits(
  { setup, session, type, opened, layers }: Run,
  ids: Int32Array,
  first: number,
  { hidden, spans = [{ from: 0, to: 1 }], onShares }: Probing,
  signal?: AbortSignal,
): AsyncGenerator<LogitBlock> {
  const { runtime, signature } = setup;
  const shares =
    onShares === undefined ? [] : Array.from({ length: layers }, (_, layer) => nameShares(layer));
  const numbers =
    type === "float32"
      ? { zeros: (n: number) => new Float32Array(n), one: 1, minusInfinity: Number.NEGATIVE_INFINITY }
      : // The bits of IEEE 754's binary16.
        { zeros: (n: number) => new Uint16Array(n), one: 0x3c00, minusInfinity: 0xfc00 };
  const [cache] = signature.cache;
  const decoder = opened.over({
    ...session,
    async run(feeds, outputs) {
      const queries = only(feeds, signature.ids.name).dims[1] ?? 0;
      const past = cache === undefined ? 0 : (only(feeds, cache.past).dims[2] ?? 0);
      const keys = past + queries;
      const bias = numbers.zeros(hidden === undefined ? 1 : queries * keys);
      if (hidden !== undefined)
        for (let q = Math.max(0, hidden.to - past); q < queries; q++)
          bias.fill(numbers.minusInfinity, q * keys + hidden.from, q * keys + hidden.to);
      const selector = numbers.zeros(keys * spans.length);
      spans.forEach(({ from, to }, s) => {
        for (let key = from; key < Math.min(to, keys); key++) selector[key * spans.length + s] = numbers.one;
      });
      const more = {
        [BIAS]: runtime.floats(type, bias, hidden === undefined ? [1, 1] : [queries, keys]),
        [SELECTOR]: runtime.floats(type, selector, [keys, spans.length]),
      };
      const given = await session.run({ ...feeds, ...more }, [...outputs, ...shares]);
      shares.forEach((name, layer) => {
        onShares?.(layer, past, only(given, name));
      });
      return given;
    },
  });
  return decoder.logits(ids, first, signal);
}

async function measureAttention(
  run: Run,
  ids: Int32Array,
  { spans, tokens }: AttentionRequest,
  signal?: AbortSignal,
): Promise<AttentionToSpan[]> {
  const rows = new Map(tokens.map((token, row) => [token - 1, row]));
  const sums = spans.map(() => ({ shares: new Float64Array(tokens.length), heads: new Float64Array(0) }));
  const onShares = (layer: number, past: number, given: Tensor): void => {
    const { values, heads, queries } = layerShares(given, spans.length);
    if (layer === 0 && past === 0) for (const sum of sums) sum.heads = new Float64Array(heads * run.layers);
    for (let q = 0; q < queries; q++) {
      const row = rows.get(past + q);
      if (row === undefined) continue;
      for (let head = 0; head < heads; head++) {
        const at = (head * queries + q) * spans.length;
        sums.forEach((sum, s) => {
          const share = values[at + s]!;
          sum.shares[row] = sum.shares[row]! + share;
          sum.heads[layer * heads + head] = sum.heads[layer * heads + head]! + share;
        });
      }
    }
  };
  // Only the last position's logits are requested; the attention of all positions comes with them.
  for await (const _ of runLogits(run, ids, ids.length - 1, { spans, onShares }, signal));
  return sums.map(({ shares, heads }) => ({
    shares: Float32Array.from(shares, (sum) => sum / heads.length),
    heads: Float32Array.from(heads, (sum) => sum / tokens.length),
  }));
}

/** In `[…, heads, queries, spans]`, all dimensions before the queries count as heads. */
function layerShares(
  { data, dims, type }: Tensor,
  spans: number,
): { readonly values: Float32Array; readonly heads: number; readonly queries: number } {
  const queries = dims.at(-2) ?? 0;
  const heads = dims.slice(0, -2).reduce((product, size) => product * size, 1);
  const format = type === "float16" ? "float16" : "float32";
  const { buffer, byteOffset, length } = data as Uint16Array;
  const raw =
    format === "float16" ? new Uint16Array(buffer, byteOffset, length) : (data as unknown as Float32Array);
  return {
    values: widened({ format, values: raw, rows: heads * queries, vocabulary: spans }),
    heads,
    queries,
  };
}

interface Checked {
  readonly heads: number;
  readonly canHide: boolean;
  readonly notes: readonly string[];
}

/**
 * Runs a few tokens: logits must not change, every head's shares over all keys must sum to 1, and if a token is hidden,
 * no later logit may depend on it.
 */
async function check(
  run: Run,
  { config }: { readonly config: DecoderFile["config"]; readonly model: OnnxModel },
): Promise<Checked | Unavailable> {
  const { opened, type, layers, setup } = run;
  const tokens = Math.min(TEST_TOKENS, config.contextLength ?? TEST_TOKENS);
  if (tokens < 3) return new Unavailable(`its context of ${tokens} tokens is too short to test it`);
  const ids = testIds(tokens, opened.vocabulary);
  const expected = await all(opened.decoder.logits(ids, 0));
  const rounding = ROUNDING[setup.signature.logits] * findRange(expected);
  const heads: number[] = [];
  let off = 0;
  const onShares = (layer: number, _: number, given: Tensor): void => {
    const shares = layerShares(given, 1);
    heads[layer] = shares.heads;
    for (const value of shares.values) off = Math.max(off, Math.abs(value - 1));
  };
  const logits = await all(runLogits(run, ids, 0, { spans: [{ from: 0, to: tokens }], onShares }));
  if (furthest(logits, expected) > rounding)
    return new Unavailable("its logits change when its attention is read");
  if (!(off <= WHOLE[type]))
    return new Unavailable(`the output of its Softmax sums to 1 only within ${formatNumber(off, 2)}`);
  const [count = 0] = heads;
  if (heads.length !== layers || heads.some((other) => other !== count))
    return new Unavailable(`its layers have different numbers of heads (${heads.join(", ")})`);
  const hidden = { from: 1, to: 2 };
  const changed = ids.slice();
  changed[1] = ids[tokens - 1]!;
  const [one, other] = [
    await all(runLogits(run, ids, 2, { hidden })),
    await all(runLogits(run, changed, 2, { hidden })),
  ];
  const seen = furthest(one, other);
  const canHide = one.every(Number.isFinite) && seen <= rounding;
  const notes = canHide
    ? []
    : [
        `Tokens cannot be hidden from later ones: a hidden token still changed their logits by ${formatNumber(seen, 2)} (layers that see the past other than through attention?).`,
      ];
  return { heads: count, canHide, notes };
}

async function all(blocks: AsyncIterable<LogitBlock>): Promise<Float32Array> {
  const values: number[] = [];
  for await (const block of blocks) values.push(...widened(block));
  return Float32Array.from(values);
}
