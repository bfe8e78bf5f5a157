import { isLogratioError, Unavailable, UnsupportedError, UsageError } from "../../../core/base/index.ts";
import type { ByteSource } from "../../../input/io/index.ts";
import { cachedDecoder } from "./cached-decoder.ts";
import { bytesPerLogit, type Decoder, type DecoderSetup, only, textFeeds } from "./decoder.ts";
import { findHead } from "./head.ts";
import type { ModelConfig } from "./model-config.ts";
import type { OnnxModel } from "./model-file/read-model.ts";
import type { Session, SessionOptions } from "./runtime.ts";
import { type Checked, checkDecoder, type Runs } from "./self-check.ts";
import { openSplit, type SplitSessions, splitDecoder } from "./split-decoder.ts";
import { wholeDecoder } from "./whole-decoder.ts";

export interface OpenedDecoder {
  readonly decoder: Decoder;
  readonly vocabulary: number;
  readonly notes: readonly string[];
  /** The fetched outputs, and the same decoder over another session with these outputs. */
  readonly fetched: readonly string[];
  readonly over: (session: Session) => Decoder;
}

/** A model file whose inputs and outputs are a decoder's. */
export interface DecoderFile {
  readonly source: ByteSource;
  readonly model: OnnxModel;
  readonly config: ModelConfig;
}

/**
 * Loads a decoder in the most suitable way: with its KV cache if it has one; whole if the longest text's logits fit the
 * bound; else head and body separately. Everything loaded is released when this throws.
 *
 * @throws UnsupportedError
 * @throws UsageError when the bound is below one row
 */
export async function openDecoder(
  setup: DecoderSetup,
  file: DecoderFile,
  options: SessionOptions,
): Promise<OpenedDecoder> {
  const { source, config } = file;
  const opened: { close(): Promise<void> }[] = [];
  const openWhole = async (): Promise<Session> => {
    const session = await setup.runtime.open(source.name, source.name, options);
    opened.push(session);
    return session;
  };
  const check = (vocabulary: number, runs: Runs, cached: boolean): Promise<Checked> => {
    checkVocabulary(setup, file, vocabulary);
    return checkDecoder(source.name, vocabulary, config.contextLength, runs, cached);
  };
  try {
    if (setup.signature.cache.length > 0) {
      const session = await openWhole();
      const { inRuns } = cachedDecoder(setup, session, 1, false);
      const vocabulary = setup.signature.vocabularySize ?? countColumns(await inRuns(Int32Array.of(0), [1]));
      const { oneByOne, notes } = await check(vocabulary, inRuns, true);
      const over = (one: Session): Decoder => cachedDecoder(setup, one, vocabulary, oneByOne);
      const fetched = ["logits", ...setup.signature.cache.map(({ present }) => present)];
      return { decoder: over(session), vocabulary, notes, fetched, over };
    }
    const known = setup.signature.vocabularySize;
    const session = known === null ? await openWhole() : undefined;
    const vocabulary = known ?? countColumns(await makeRuns(setup, session!)(Int32Array.of(0), [1]));
    const longest = (config.contextLength ?? Infinity) * vocabulary * bytesPerLogit(setup.signature);
    let why = "";
    if (longest > setup.maxBlockBytes) {
      const split = await trySplit(setup, file, options);
      if (split instanceof Unavailable) why = `; its head cannot run separately, because ${split.why}`;
      else {
        opened.push(split.body, split.head);
        await session?.close();
        const runs: Runs = async (ids) => {
          const states = await split.body.run(textFeeds(setup, ids, 0), [split.hidden]);
          const given = await split.head.run({ [split.hidden]: only(states, split.hidden) }, ["logits"]);
          return [only(given, "logits")];
        };
        const { notes } = await check(vocabulary, runs, false);
        const over = (body: Session): Decoder => splitDecoder(setup, { ...split, body }, vocabulary);
        return { decoder: over(split.body), vocabulary, notes, fetched: [split.hidden], over };
      }
    }
    const whole = session ?? (await openWhole());
    const { notes } = await check(vocabulary, makeRuns(setup, whole), false);
    const over = (one: Session): Decoder => wholeDecoder(setup, one, vocabulary, why);
    return { decoder: over(whole), vocabulary, notes, fetched: ["logits"], over };
  } catch (error) {
    await Promise.allSettled(opened.map((one) => one.close()));
    throw error;
  }
}

/** Sessions of body and head. */
async function trySplit(
  setup: DecoderSetup,
  { source, model }: DecoderFile,
  options: SessionOptions,
): Promise<SplitSessions | Unavailable> {
  const head = findHead(model);
  if (head instanceof Unavailable) return head;
  if (model.hasSparseWeights) return new Unavailable("some of its weights are sparse");
  try {
    return await openSplit(setup, source, model, head, options);
  } catch (error) {
    // Next the whole model is loaded, which shows whether the model or the split is at fault.
    if (isLogratioError(error)) return new Unavailable(`the parts do not load (${error.message})`);
    throw error;
  }
}

function makeRuns(setup: DecoderSetup, session: Session): Runs {
  return async (ids) => [only(await session.run(textFeeds(setup, ids, 0), ["logits"]), "logits")];
}

function countColumns([logits]: Awaited<ReturnType<Runs>>): number {
  return logits?.dims.at(-1) ?? 0;
}

function checkVocabulary(
  { signature, maxBlockBytes }: DecoderSetup,
  { source, config }: DecoderFile,
  vocabulary: number,
): void {
  const row = vocabulary * bytesPerLogit(signature);
  if (row > maxBlockBytes) {
    throw new UsageError(
      `one row of logits takes ${row} bytes (${vocabulary} columns), maxBlockBytes is ${maxBlockBytes}`,
      { hint: `set maxBlockBytes to ${row} or more (--memory ${Math.ceil(row / 2 ** 20)})` },
    );
  }
  // Heads are padded and sometimes trimmed by a few columns; a classifier has only a few labels.
  if (config.vocabularySize !== null && vocabulary < config.vocabularySize / 2) {
    throw new UnsupportedError(
      `${source.name} is not a decoder that can be scored: its logits have ${vocabulary} columns, but config.json declares a vocabulary of ${config.vocabularySize}`,
      {
        at: { file: source.name },
        likely: "it classifies tokens, or config.json belongs to another model",
        hint: "export the language model: --task text-generation-with-past",
      },
    );
  }
}
