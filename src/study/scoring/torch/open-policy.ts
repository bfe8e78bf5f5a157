import { UsageError } from "../../../core/base/index.ts";
import type { LogitBlock } from "../../../core/kernels/index.ts";
import type {
  AttentionFacts,
  AttentionRequest,
  AttentionToSpan,
  BatchOptions,
  BatchScoring,
  ForcedText,
  LogitsPolicy,
  PolicyFacts,
  Sampled,
  SampleOptions,
  TokenSpan,
} from "../policy.ts";
import { findCheckpoint } from "./find-checkpoint.ts";
import type { Frame, FrameArray } from "./frames.ts";
import { refusal, refusedBy, tooLong } from "./refuse-text.ts";
import { SharedWorker } from "./shared-worker.ts";
import { cutGradients, readFigures } from "./text-figures.ts";
import type { WorkerOptions, WorkerProcess } from "./worker-process.ts";

export interface TorchOptions extends WorkerOptions {
  /** `auto` (the checkpoint's own), `float32`, `bfloat16` or `float16`; default float32 on a CPU, else `auto`. */
  readonly dtype?: string | undefined;
  /** How one model is spread over several GPUs: accelerate's `auto`, `balanced`, `sequential`. */
  readonly deviceMap?: string | undefined;
  /** Tokens of a batch, padding included; default 16384. */
  readonly batchTokens?: number | undefined;
  /** Bytes of logits held at once, including what is computed from them; default 2 GiB on a GPU, 64 MiB on a CPU. */
  readonly maxBlockBytes?: number | undefined;
  /** Bytes of cached last hidden states, so that a reference runs once; default 1 GiB. */
  readonly cacheBytes?: number | undefined;
  /** Whether to make attention readable as well: the model then computes it explicitly (`eager`). */
  readonly attention?: boolean | undefined;
}

const DEFAULT_BATCH_TOKENS = 16384;
/** Bytes of a block of logits, if they are sent for comparison with another back end's. */
const SENT_BLOCK_BYTES = 2 ** 24;

/** The worker's description of a model. */
interface ModelFacts {
  readonly vocabulary: number;
  readonly context: number | null;
  readonly stop_ids: readonly number[];
  readonly architecture: string;
  readonly notes: readonly string[];
  /** Null if it was not requested, or cannot be read for a reason in `notes`. */
  readonly attention_layers?: {
    readonly layers: number;
    readonly heads: number;
    readonly can_hide: boolean;
  } | null;
}

/** Policies of this back end; requests about two of them need both models. */
const MODELS = new WeakMap<LogitsPolicy, TorchModel>();

/**
 * A Hugging Face directory run by PyTorch, in a Python process shared by all policies with the same options. Figures
 * are computed there, including those of two policies; logits are sent only if the other policy has a different back
 * end.
 *
 * @param where a directory, or `DIR@REVISION`
 * @throws NotFoundError, FormatError for directories that hold no model
 * @throws UnsupportedError without a Python that has PyTorch and transformers, and for models that do not fit or are not
 *   decoders
 */
export async function openTorchPolicy(
  name: string,
  where: string,
  options: TorchOptions = {},
): Promise<LogitsPolicy> {
  const model = new TorchModel(name, await findCheckpoint(where), options);
  let found: ModelFacts;
  try {
    found = await model.open();
  } catch (error) {
    await model.close();
    throw error;
  }
  const facts: PolicyFacts = {
    backend: "hf",
    location: where,
    model: found.architecture,
    vocabularySize: found.vocabulary,
    contextLength: found.context,
    logprobs: "raw",
    temperature: 1,
    ...(options.attention && { attention: readAttentionFacts(found) }),
    notes: found.notes,
  };
  const policy: LogitsPolicy = {
    name,
    gives: "logits",
    facts,
    logits: (text, signal) => model.logits(text, facts, signal),
    batches: model.batches(facts),
    klGradients: (text, reference, positions, signal) =>
      model.klGradients(text, reference, positions, facts, signal),
    sample: (promptIds, sampling, signal) => model.sample(promptIds, sampling, found.stop_ids, facts, signal),
    ...(facts.attention && {
      attention: (text, request, signal) => model.attention(text, request, facts, signal),
    }),
    ...(facts.attention?.canHide && {
      logitsWithout: (text, hidden, signal) => model.logits(text, facts, signal, hidden),
    }),
    close: () => model.close(),
  };
  MODELS.set(policy, model);
  return policy;
}

function readAttentionFacts({ attention_layers: found }: ModelFacts): AttentionFacts | null {
  if (found === undefined || found === null) return null;
  return { layers: found.layers, heads: found.heads, canHide: found.can_hide };
}

/** One model in the shared worker; reopened there after the worker died. */
class TorchModel {
  readonly #name: string;
  readonly #path: string;
  readonly #options: TorchOptions;
  readonly #worker: SharedWorker;
  #opened: { readonly process: WorkerProcess; readonly number: number } | undefined;
  #closed = false;

  constructor(name: string, path: string, options: TorchOptions) {
    this.#name = name;
    this.#path = path;
    this.#options = options;
    this.#worker = SharedWorker.acquire(options);
  }

  async open(): Promise<ModelFacts> {
    const process = await this.#worker.process();
    const { dtype, deviceMap, gpu, maxBlockBytes, cacheBytes, attention } = this.#options;
    const { header } = await process.ask({
      op: "open",
      header: {
        path: this.#path,
        dtype,
        device: gpu === undefined ? undefined : gpu === "none" ? "cpu" : "cuda",
        device_map: deviceMap,
        attention: attention ? "eager" : undefined,
        block_bytes: maxBlockBytes,
        cache_bytes: cacheBytes,
      },
      doing: `opening ${this.#path}`,
    });
    this.#opened = { process, number: header.model as number };
    return header.facts as ModelFacts;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const opened = this.#opened;
    if (opened?.process.isAlive)
      await opened.process
        .ask({ op: "close", header: { model: opened.number }, doing: `closing ${this.#path}` })
        .catch(() => undefined);
    await this.#worker.release();
  }

  batches(facts: PolicyFacts): BatchScoring {
    return {
      tokens: this.#options.batchTokens ?? DEFAULT_BATCH_TOKENS,
      reaches: (partner) => MODELS.get(partner)?.shares(this.#worker) === true,
      score: (texts, partners, options) => this.#score(texts, partners, facts, options),
    };
  }

  /** Whether it is in this worker, so that two models can be compared there. */
  shares(worker: SharedWorker): boolean {
    return this.#worker === worker;
  }

  async #score(
    texts: readonly ForcedText[],
    partners: readonly LogitsPolicy[],
    facts: PolicyFacts,
    { topK, keep, signal, onText }: BatchOptions,
  ): Promise<void> {
    const others = partners.map((partner) => MODELS.get(partner)!);
    const places: number[] = [];
    texts.forEach((text, place) => {
      const why = refusal(text, [facts, ...partners.map((partner) => partner.facts)]);
      if (why === undefined) places.push(place);
      else onText(place, why);
    });
    if (places.length === 0) return;
    const process = await this.#worker.process();
    const model = await this.#numberIn(process);
    const references: number[] = [];
    for (const other of others) references.push(await other.#numberIn(process));
    const asked = places.map((place) => texts[place]!);
    await process.ask({
      op: references.length === 0 ? "score" : "compare",
      header: {
        model,
        references,
        keep,
        top_k: topK,
        texts: asked.map(({ promptLength, ids }) => [promptLength, ids.length]),
      },
      arrays: { ids: joinIds(asked) },
      doing: `scoring ${asked.length === 1 ? "1 text" : `${asked.length} texts`} of up to ${Math.max(...asked.map(({ ids }) => ids.length))} tokens`,
      signal,
      onFrame: (frame) => {
        const place = places[frame.header.text as number]!;
        const { ids, promptLength, id } = texts[place]!;
        onText(
          place,
          frame.header.error === undefined
            ? readFigures(frame, ids.length - promptLength, topK, references.length)
            : refusedBy(id, frame.header.error),
        );
      },
    });
  }

  async klGradients(
    text: ForcedText,
    reference: LogitsPolicy,
    positions: readonly number[],
    facts: PolicyFacts,
    signal?: AbortSignal,
  ): Promise<Float64Array[]> {
    const why = refusal(text, [facts, reference.facts]);
    if (why !== undefined) throw why;
    const process = await this.#worker.process();
    const { arrays } = await this.#ask("gradients", {
      header: {
        reference: await MODELS.get(reference)!.#numberIn(process),
        prompt_length: text.promptLength,
        positions,
      },
      arrays: { ids: text.ids },
      doing: `computing gradients of text ${text.id}`,
      signal,
    });
    return cutGradients(text, positions, arrays.gradient_times_input);
  }

  async attention(
    text: ForcedText,
    { spans, tokens }: AttentionRequest,
    facts: PolicyFacts,
    signal?: AbortSignal,
  ): Promise<AttentionToSpan[]> {
    const why = refusal(text, [facts]);
    if (why !== undefined) throw why;
    const { arrays } = await this.#ask("attention", {
      header: { spans: spans.map(({ from, to }) => [from, to]) },
      arrays: { ids: text.ids, tokens: Int32Array.from(tokens) },
      doing: `reading the attention of text ${text.id}`,
      signal,
    });
    const { layers, heads } = facts.attention!;
    const cut = (array: FrameArray | undefined, i: number, size: number): Float32Array =>
      (array as Float32Array).slice(i * size, (i + 1) * size);
    return spans.map((_, i) => ({
      shares: cut(arrays.shares, i, tokens.length),
      heads: cut(arrays.heads, i, layers * heads),
    }));
  }

  /** @param hidden tokens that no later token attends to */
  async *logits(
    text: ForcedText,
    facts: PolicyFacts,
    signal?: AbortSignal,
    hidden?: TokenSpan,
  ): AsyncGenerator<LogitBlock> {
    const why = refusal(text, [facts]);
    if (why !== undefined) throw why;
    const vocabulary = facts.vocabularySize!;
    const rows = text.ids.length - text.promptLength + 1;
    const most = Math.max(
      1,
      Math.floor((this.#options.maxBlockBytes ?? SENT_BLOCK_BYTES) / (4 * vocabulary)),
    );
    for (let from = 0; from < rows; from += most) {
      const to = Math.min(from + most, rows);
      const { arrays } = await this.#ask("logits", {
        header: {
          prompt_length: text.promptLength,
          from,
          to,
          ...(hidden !== undefined && { hidden: [hidden.from, hidden.to] }),
        },
        arrays: { ids: text.ids },
        doing: `sending logits of text ${text.id}`,
        signal,
      });
      yield { format: "float32", values: arrays.logits as Float32Array, rows: to - from, vocabulary };
    }
  }

  async sample(
    promptIds: Int32Array,
    options: SampleOptions,
    stopIds: readonly number[],
    facts: PolicyFacts,
    signal?: AbortSignal,
  ): Promise<Sampled[]> {
    const text = { id: "the prompt", ids: promptIds, promptLength: promptIds.length };
    const room = (facts.contextLength ?? Number.POSITIVE_INFINITY) - promptIds.length;
    const why = refusal(text, [facts]) ?? (room < 1 ? tooLong(text, promptIds.length + 1, facts) : undefined);
    if (why !== undefined) throw why;
    const { header, arrays } = await this.#ask("sample", {
      header: {
        n: options.n,
        temperature: options.temperature,
        top_p: options.topP,
        max_tokens: Math.min(options.maxTokens, room),
        seed: options.seed,
        stop_ids: options.stopIds.length > 0 ? options.stopIds : stopIds,
      },
      arrays: { ids: promptIds },
      doing: "sampling",
      signal,
    });
    const stopped = header.stopped as readonly boolean[];
    let start = 0;
    return (header.lengths as readonly number[]).map((length, i): Sampled => {
      const cut = [start, start + length] as const;
      start += length;
      return {
        ids: (arrays.ids as Int32Array).slice(...cut),
        logprobs: (arrays.logprobs as Float64Array).slice(...cut),
        finishReason: stopped[i] ? "stop" : "length",
      };
    });
  }

  async #ask(op: string, asked: Omit<Parameters<WorkerProcess["ask"]>[0], "op">): Promise<Frame> {
    const process = await this.#worker.process();
    const model = await this.#numberIn(process);
    return process.ask({ ...asked, op, header: { ...asked.header, model } });
  }

  async #numberIn(process: WorkerProcess): Promise<number> {
    if (this.#closed) throw new UsageError(`the policy ${this.#name} is closed`);
    if (this.#opened?.process !== process) await this.open();
    return this.#opened!.number;
  }
}

/** Ids of all texts, one after another. */
function joinIds(texts: readonly ForcedText[]): Int32Array {
  const ids = new Int32Array(texts.reduce((sum, text) => sum + text.ids.length, 0));
  let start = 0;
  for (const text of texts) {
    ids.set(text.ids, start);
    start += text.ids.length;
  }
  return ids;
}
