import { dirname, join } from "node:path";
import {
  FormatError,
  fileSystemError,
  isObject,
  LimitError,
  NotFoundError,
  UnsupportedError,
} from "../../core/base/index.ts";
import { leadsInside } from "../io/confinement.ts";
import { openFile } from "../io/file-source.ts";
import { statIfPresent } from "../io/if-present.ts";
import { refuseRemote } from "../remote/index.ts";
import { byteFallbackBytes, byteLevelBytes, joinByteFallback, joinByteLevel } from "./byte-decoders.ts";
import { checkVocabulary } from "./check-vocabulary.ts";
import { buildTokenizer, type LibraryDecoder, type LibraryTokenizer } from "./library.ts";
import type { TokenDecoder } from "./token-decoder.ts";

const FILE = "tokenizer.json";
const CONFIG_FILE = "tokenizer_config.json";
/** The largest tokenizers in use have about 35 MB. */
const MOST_BYTES = 256 * 2 ** 20;
/** A text for which every vocabulary has tokens, at least the unknown one. */
const PROBE = "a";
const HINT =
  "give the model's directory (or its tokenizer.json); in Python: AutoTokenizer.from_pretrained(MODEL).save_pretrained(DIR)";

/** Files of tokenizers in other formats, and their names. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  "tokenizer.model": "a SentencePiece or tiktoken model",
  "vocab.json": "a vocabulary without its tokenizer.json",
  "vocab.txt": "a WordPiece vocabulary without its tokenizer.json",
  "tekken.json": "a Mistral tekken tokenizer",
};

/**
 * Opens a Hugging Face tokenizer: a directory with `tokenizer.json`, or that file. A `tokenizer_config.json` next to
 * it is also read.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { openTokenizer } from "logratio/node";
 *
 * const tokenizer = await openTokenizer("examples/demo/tokenizer");
 * assert.equal(tokenizer.decode([55]), "0");
 * ```
 *
 * @param dir the model's directory, or its `tokenizer.json`
 * @returns ids to text and back
 * @throws NotFoundError when there is no such file
 * @throws UnsupportedError when the directory has a tokenizer in another format, or of a kind that the library does
 * not support
 * @throws FormatError when the file is not a tokenizer
 */
export async function openTokenizer(dir: string): Promise<TokenDecoder> {
  const { file, tokenizer, config } = await loadTokenizer(dir);
  return wrap(dir, file, tokenizer, config);
}

interface Loaded {
  /** Its `tokenizer.json`. */
  readonly file: string;
  readonly tokenizer: LibraryTokenizer;
  /** `tokenizer_config.json`; empty when there is none. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The library's tokenizer for a directory or file. @throws as {@link openTokenizer} */
export async function loadTokenizer(dir: string): Promise<Loaded> {
  const file = await tokenizerFile(dir);
  const definition = await readObject(file);
  if (typeof definition.model !== "object" || definition.model === null) {
    throw new FormatError(`${file} is not a tokenizer: it has no "model"`, { at: { file }, hint: HINT });
  }
  checkVocabulary(file, definition);
  const config = await readObject(join(dirname(file), CONFIG_FILE)).catch((error: unknown) => {
    if (error instanceof NotFoundError) return {};
    throw error;
  });
  return { file, tokenizer: build(file, withDefaults(definition), config), config };
}

/** Adds what the library requires and older files omit. */
function withDefaults(definition: Readonly<Record<string, unknown>>): object {
  return {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    ...definition,
    added_tokens: definition.added_tokens ?? [],
  };
}

function build(file: string, definition: object, config: object): LibraryTokenizer {
  let tokenizer: LibraryTokenizer;
  try {
    tokenizer = buildTokenizer(definition, config);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const unknown = /^Unknown .+ type/.test(why);
    const detail = { at: { file }, cause, hint: HINT };
    if (unknown) throw new UnsupportedError(`the tokenizer cannot be built: ${why}`, detail);
    throw new FormatError(`the tokenizer cannot be built: ${why}`, {
      ...detail,
      likely: "the file is damaged, or not the tokenizer.json of the tokenizers library",
    });
  }
  correctByteDecoders(tokenizer.decoder);
  return tokenizer;
}

function correctByteDecoders(decoder: LibraryDecoder | null): void {
  if (decoder?.config.type === "ByteLevel") decoder.decode_chain = joinByteLevel;
  else if (decoder?.config.type === "ByteFallback") decoder.decode_chain = joinByteFallback;
  else for (const part of decoder?.decoders ?? []) correctByteDecoders(part);
}

/** How tokens are read as bytes; undefined when none are. */
function bytesReader(
  decoder: LibraryDecoder | null,
): ((token: string) => Uint8Array | undefined) | undefined {
  if (decoder?.config.type === "ByteLevel") return byteLevelBytes;
  if (decoder?.config.type === "ByteFallback") return byteFallbackBytes;
  for (const part of decoder?.decoders ?? []) {
    const reader = bytesReader(part);
    if (reader !== undefined) return reader;
  }
  return undefined;
}

function wrap(
  name: string,
  file: string,
  tokenizer: LibraryTokenizer,
  config: Readonly<Record<string, unknown>>,
): TokenDecoder {
  const added = [...tokenizer.get_added_tokens_decoder().values()];
  const vocabulary = tokenizer.get_vocab();
  if (vocabulary.size === 0) throw new FormatError(`${file} has an empty vocabulary`, { at: { file } });
  let vocabularySize = 0;
  for (const id of vocabulary.values()) vocabularySize = Math.max(vocabularySize, id + 1);
  const decode = (ids: readonly number[]): string => {
    const known = ids.filter((id) => tokenizer.id_to_token(id) !== undefined);
    if (known.length === 0) return "";
    return tokenizer.decode(known, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  };
  // Without an unknown token, characters that the vocabulary lacks have no id.
  const encode = (text: string, add_special_tokens = false): number[] =>
    tokenizer.encode(text, { add_special_tokens }).ids.filter((id) => id !== undefined);
  let before: readonly number[] | undefined;
  const readBytes = bytesReader(tokenizer.decoder);
  return {
    name,
    vocabularySize,
    specialIds: new Set(added.filter(({ special }) => special).map(({ id }) => id)),
    decode,
    textOf: (id) => decode([id]),
    bytesOf: (id) => {
      const token = tokenizer.id_to_token(id);
      return token === undefined ? undefined : readBytes?.(token);
    },
    encode: (text) => encode(text),
    encodeStart: (text) => {
      before ??= idsBefore(encode);
      const ids = encode(text);
      return before.every((id, i) => ids[i] === id) ? ids : [...before, ...ids];
    },
    eosId: endOfText(config, vocabulary),
  };
}

/** The tokens that the post-processor puts before a text, found by encoding a sample text. */
function idsBefore(encode: (text: string, specials: boolean) => number[]): number[] {
  const [plain, whole] = [encode(PROBE, false), encode(PROBE, true)];
  const start = whole.findIndex((_, i) => plain.every((id, j) => whole[i + j] === id));
  return start > 0 ? whole.slice(0, start) : [];
}

/** Configs write a token as its text, or as an object with its text and matching rules. */
function endOfText(
  { eos_token: token }: Readonly<Record<string, unknown>>,
  vocabulary: ReadonlyMap<string, number>,
): number | undefined {
  const text = typeof token === "object" && token !== null && "content" in token ? token.content : token;
  return typeof text === "string" ? vocabulary.get(text) : undefined;
}

async function tokenizerFile(path: string): Promise<string> {
  refuseRemote(path, "a tokenizer");
  const found = await statIfPresent(path);
  if (found === undefined)
    throw new NotFoundError(`there is no tokenizer at ${path}`, { at: { file: path }, hint: HINT });
  if (!found.isDirectory()) return path;
  const file = join(path, FILE);
  if (await exists(file)) return file;
  for (const [other, what] of Object.entries(OTHER_FORMS)) {
    if (await exists(join(path, other))) {
      throw new UnsupportedError(`${path} has no ${FILE}, only ${other}: ${what}`, {
        at: { file: join(path, other) },
        hint: "save it in the fast form: AutoTokenizer.from_pretrained(MODEL, use_fast=True).save_pretrained(DIR)",
      });
    }
  }
  throw new NotFoundError(`the directory ${path} has no ${FILE}`, { at: { file }, hint: HINT });
}

async function exists(path: string): Promise<boolean> {
  return (await leadsInside(path)) && (await statIfPresent(path)) !== undefined;
}

async function readText(file: string): Promise<string> {
  const source = await openFile(file);
  try {
    return new TextDecoder().decode(await source.slice(0, source.byteLength));
  } finally {
    await source.close();
  }
}

async function readObject(file: string): Promise<Readonly<Record<string, unknown>>> {
  const found = await statIfPresent(file);
  if (found === undefined) throw new NotFoundError(`there is no ${file}`, { at: { file }, hint: HINT });
  if (found.size > MOST_BYTES) {
    throw new LimitError(
      `${file} has ${found.size} bytes, more than any tokenizer (the limit is ${MOST_BYTES})`,
      { needed: found.size, limit: MOST_BYTES, at: { file } },
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(await readText(file)) as unknown;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw fileSystemError(cause, "read", { file });
    throw new FormatError(`${file} is not JSON: ${cause.message}`, {
      at: { file },
      cause,
      likely: "the file is cut off, or a Git LFS pointer instead of the file",
      hint: "copy or download it again",
    });
  }
  if (!isObject(value)) {
    throw new FormatError(`${file} does not hold a JSON object`, { at: { file }, hint: HINT });
  }
  return value;
}
