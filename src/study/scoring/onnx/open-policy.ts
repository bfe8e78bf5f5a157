/**
 * Local models in ONNX as policies. For Node.
 *
 * @module
 */
import { isLogratioError, TextRefusedError, Unavailable, UsageError } from "../../../core/base/index.ts";
import { openFile } from "../../../input/io/index.ts";
import type { ForcedText, LogitsPolicy, PolicyFacts, TokenSpan } from "../policy.ts";
import { type AttentionProbe, openProbe } from "./attention/probe.ts";
import { findModel } from "./find-model.ts";
import { type ModelConfig, readModelConfig } from "./model-config.ts";
import { checkExternalData } from "./model-file/external-data.ts";
import { readModel } from "./model-file/read-model.ts";
import { type OpenedDecoder, openDecoder } from "./open-decoder.ts";
import { loadRuntime } from "./runtime.ts";
import { checkSampleOptions, sampleTexts } from "./sample.ts";
import { readSignature } from "./signature.ts";

export interface OnnxOptions {
  /** Threads of one run (onnxruntime's `intraOpNumThreads`); default: onnxruntime's, the number of cores. */
  readonly threads?: number;
  /** onnxruntime's execution provider; default `cpu`. */
  readonly provider?: string;
  /** Bytes of logits in one block; default 16 MiB. */
  readonly maxBlockBytes?: number;
  /** Whether to make attention readable, which loads the weights a second time. Default false. */
  readonly attention?: boolean;
}

const DEFAULT_BLOCK_BYTES = 2 ** 24;

/**
 * A decoder in ONNX on this machine, run by `onnxruntime-node` (an optional dependency).
 *
 * The graph takes `input_ids` (int64 or int32) and, where it has them, `attention_mask`, `position_ids`,
 * `past_key_values.*`, `use_cache_branch`; it gives `logits` `[1, tokens, vocabulary]` in fp32 or fp16 and, for every
 * past, a `present.*`. Before use, a test with four tokens checks that it is a decoder and that its KV cache is
 * correct.
 *
 * Logits come in blocks of at most `maxBlockBytes`: a model with a KV cache is fed in runs; without one, its graph is
 * split before the last matrix multiplication unless the longest text fits. A run blocks the thread; signals are
 * checked between runs.
 *
 * With `attention`, a second session of the same graph sums attention to spans inside the graph, so that nothing of the
 * size tokens × tokens leaves it. A graph whose attention cannot be read (fused operators) has a note that says why.
 *
 * @param path a directory with `model.onnx` (or `onnx/model.onnx`, `model_fp16.onnx`, `decoder_model*.onnx`) and
 *   `config.json`, or the file itself
 * @throws NotFoundError, EmptyInputError, FormatError for files that are missing, cut off or something else
 * @throws UnsupportedError for models that are not decoders, and if onnxruntime-node is missing or cannot run
 * @throws UsageError for options that contradict themselves
 */
export async function openOnnxPolicy(
  name: string,
  path: string,
  options: OnnxOptions = {},
): Promise<LogitsPolicy> {
  const { maxBlockBytes = DEFAULT_BLOCK_BYTES, threads, provider = "cpu" } = options;
  checkOptions(options);
  const found = await findModel(path);
  const config = await readModelConfig(found.configDirectories);
  const source = await openFile(found.file);
  try {
    const model = await readModel(source);
    await checkExternalData(model);
    const signature = readSignature(found.file, model.inputs, model.outputs, config);
    const runtime = await loadRuntime();
    const setup = { runtime, signature, maxBlockBytes };
    const session = { provider, ...(threads !== undefined && { threads }) };
    const decoderFile = { source, model, config };
    const opened = await openDecoder(setup, decoderFile, session);
    const probe = options.attention ? await openProbe(setup, decoderFile, opened, session) : undefined;
    const facts: PolicyFacts = {
      backend: "onnx",
      location: path,
      model: found.name,
      vocabularySize: opened.vocabulary,
      contextLength: config.contextLength,
      logprobs: "raw",
      temperature: 1,
      ...(probe !== undefined && { attention: probe instanceof Unavailable ? null : probe.facts }),
      notes: [
        `Logits in ${signature.logits}, by onnxruntime on ${provider}.`,
        ...opened.decoder.notes,
        ...opened.notes,
        ...(probe instanceof Unavailable
          ? [`its attention cannot be read: ${probe.why}`]
          : (probe?.notes ?? [])),
        ...(config.contextLength === null
          ? [
              "Without a config.json the longest allowed text is unknown: texts too long for the model go unnoticed.",
            ]
          : []),
      ],
    };
    return makePolicy(
      name,
      facts,
      opened,
      config,
      maxBlockBytes,
      probe instanceof Unavailable ? undefined : probe,
    );
  } finally {
    await source.close();
  }
}

function checkOptions({ maxBlockBytes, threads }: OnnxOptions): void {
  if (maxBlockBytes !== undefined && !(maxBlockBytes >= 1))
    throw new UsageError(`maxBlockBytes is ${maxBlockBytes}, not 1 or more`);
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1))
    throw new UsageError(`threads is ${threads}, not 1 or more`);
}

function makePolicy(
  name: string,
  facts: PolicyFacts,
  { decoder, vocabulary }: OpenedDecoder,
  config: ModelConfig,
  maxBlockBytes: number,
  probe: AttentionProbe | undefined,
): LogitsPolicy {
  let closed = false;
  const limits: Limits = { facts, vocabulary, maxBlockBytes, leastBytes: decoder.leastBytes };
  const check = (what: string, ids: Int32Array): void => {
    if (closed) throw new UsageError(`the policy ${name} is closed`);
    checkIds(limits, what, ids);
  };
  const checkText = ({ id, ids, promptLength }: ForcedText): void => {
    check(`text ${id}`, ids);
    if (promptLength >= 1 && promptLength <= ids.length) return;
    throw new TextRefusedError(
      `text ${id} has a prompt of ${promptLength} of ${ids.length} tokens; nothing predicts the first token`,
      { hint: "begin the prompt with the model's beginning-of-text token" },
    );
  };
  return {
    name,
    gives: "logits",
    facts,
    async *logits(text, signal) {
      checkText(text);
      const { id, ids, promptLength } = text;
      try {
        yield* decoder.logits(ids, promptLength - 1, signal);
      } catch (error) {
        throw refusedRun(`text ${id}`, ids.length, facts, error);
      }
    },
    ...(probe !== undefined && probing(probe, facts, checkText)),
    async sample(promptIds, options, signal) {
      checkSampleOptions(options);
      if (promptIds.length === 0)
        throw new TextRefusedError("the prompt has no tokens", {
          hint: "begin it with the model's beginning-of-text token",
        });
      const room = (facts.contextLength ?? Infinity) - promptIds.length;
      const most = promptIds.length + Math.min(options.maxTokens, room);
      check("the prompt", promptIds);
      if (room < 1)
        throw tooLong("the prompt", promptIds.length + 1, promptIds.length + room, facts.location);
      checkBytes(limits, "the prompt with its continuation", most);
      const stopIds = options.stopIds.length > 0 ? options.stopIds : config.stopIds;
      try {
        return await sampleTexts(decoder, promptIds, { ...options, stopIds }, room, signal);
      } catch (error) {
        throw refusedRun("the prompt", promptIds.length, facts, error);
      }
    },
    async close() {
      closed = true;
      await Promise.all([decoder.close(), probe?.close()]);
    },
  };
}

function probing(
  probe: AttentionProbe,
  facts: PolicyFacts,
  check: (text: ForcedText) => void,
): Pick<LogitsPolicy, "attention" | "logitsWithout"> {
  const checkSpans = (text: ForcedText, spans: readonly TokenSpan[]): void => {
    check(text);
    const wrong = spans.find(({ from, to }) => !(from >= 0 && from < to && to <= text.ids.length));
    if (wrong !== undefined)
      throw new UsageError(
        `tokens ${wrong.from} to ${wrong.to} are not a span of text ${text.id}, which has ${text.ids.length} tokens`,
      );
  };
  return {
    async attention(text, request, signal) {
      checkSpans(text, request.spans);
      try {
        return await probe.attention(text.ids, request, signal);
      } catch (error) {
        throw refusedRun(`the attention of text ${text.id}`, text.ids.length, facts, error);
      }
    },
    ...(probe.facts.canHide && {
      async *logitsWithout(text: ForcedText, hidden: TokenSpan, signal?: AbortSignal) {
        checkSpans(text, [hidden]);
        try {
          yield* probe.logitsWithout(text.ids, text.promptLength - 1, hidden, signal);
        } catch (error) {
          throw refusedRun(`text ${text.id} with tokens hidden`, text.ids.length, facts, error);
        }
      },
    }),
  };
}

/** The model ran when it was opened, so a failing run is due to the text. */
function refusedRun(
  what: string,
  tokens: number,
  { contextLength, location }: PolicyFacts,
  error: unknown,
): unknown {
  if (!isLogratioError(error, "UnsupportedError")) return error;
  return new TextRefusedError(`${what} of ${tokens} tokens was not scored: ${error.message}`, {
    at: { file: location },
    likely:
      contextLength === null ? "it is longer than the model's context, or memory ran out" : "memory ran out",
    hint: "try a shorter text",
    cause: error,
  });
}

interface Limits {
  readonly facts: PolicyFacts;
  readonly vocabulary: number;
  readonly maxBlockBytes: number;
  leastBytes(tokens: number): number;
}

function checkIds(limits: Limits, what: string, ids: Int32Array): void {
  const { facts, vocabulary } = limits;
  const { contextLength, location } = facts;
  if (contextLength !== null && ids.length > contextLength)
    throw tooLong(what, ids.length, contextLength, location);
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabulary);
  if (wrong >= 0) {
    throw new TextRefusedError(
      `${what} has token ${ids[wrong]} at position ${wrong}; the model's ids are 0 to ${vocabulary - 1}`,
      {
        reason: "unknown-token",
        at: { file: location },
        likely: "the ids come from another tokenizer",
        hint: "tokenize the text with the model's own tokenizer.json",
      },
    );
  }
  checkBytes(limits, what, ids.length);
}

function tooLong(what: string, tokens: number, contextLength: number, file: string): TextRefusedError {
  return new TextRefusedError(`${what} has ${tokens} tokens; the model's limit is ${contextLength}`, {
    reason: "context-length",
    at: { file },
    likely: "the text was written by a model with a longer context",
    hint: "shorten it or leave it out",
  });
}

function checkBytes({ facts, maxBlockBytes, leastBytes }: Limits, what: string, tokens: number): void {
  const bytes = leastBytes(tokens);
  if (bytes <= maxBlockBytes) return;
  throw new TextRefusedError(
    `${what} needs ${bytes} bytes for the logits of its ${tokens} tokens at once; the limit is ${maxBlockBytes}`,
    {
      reason: "too-large",
      at: { file: facts.location },
      likely: "the model has no KV cache, and its head cannot run separately",
      hint: `raise maxBlockBytes to ${bytes} (--memory ${Math.ceil(bytes / 2 ** 20)}), or export the model with a KV cache (--task text-generation-with-past)`,
    },
  );
}
