/**
 * Saved logits as a policy.
 *
 * @module
 */
import { SchemaError, TextRefusedError, UsageError } from "../../../core/base/index.ts";
import type { LogitBlock } from "../../../core/kernels/index.ts";
import { closeQuietly, containFileError } from "../../../ingest/index.ts";
import { openZip } from "../../../input/io/index.ts";
import type { ForcedText, LogitsPolicy } from "../policy.ts";
import { BLOCKS, createBlockReader } from "./block-reader.ts";
import { makeMatcher } from "./match-text.ts";
import { type OpenTensors, openTensors } from "./open-tensors.ts";
import { type Layout, readLayout } from "./read-layout.ts";
import { blockItemBytes, checkLogits, createRowOpener } from "./saved-rows.ts";
import type { SavedText } from "./saved-text.ts";

const DEFAULT_BLOCK_BYTES = 2 ** 25;

export interface LogitsOptions {
  /** The policy's name in a file of several; default its own name. */
  readonly policy?: string;
  /**
   * Bytes of two blocks of logits, one of which is read while the other is used; default 32 MiB. Each has at least one
   * row.
   */
  readonly maxBlockBytes?: number;
}

/** A text in a file of saved logits. */
export interface LogitsText {
  /** Its name in the file (`0` of `0.input_ids`), or `row 3`. */
  readonly key: string;
  readonly ids: Int32Array;
  /** Undefined if the file does not give it. */
  readonly promptLength: number | undefined;
  /** `[ids.length − promptLength]`, 0 = tool output; undefined if the file does not give it. */
  readonly mask: Uint8Array | undefined;
}

/**
 * A policy whose logits were saved: `.npz`, `.safetensors`, `.npy` or `.pt`, in float32, float16, bfloat16 or float64.
 * Blocks have the type that was saved; doubles are rounded to float32. Rows are read on demand; in a compressed `.npz`,
 * texts are read fastest in the file's own order.
 *
 * Layouts: `K.NAME` `[T, V]` for each text K and policy NAME beside `K.input_ids` `[T]`; or `logits` `[N, T, V]` (or
 * `[T, V]`) beside `input_ids` `[N, T]` (or `[T]`), with `attention_mask` where it is padded. Row t is the model's
 * output at position t, which predicts token t + 1. A text is found by its token ids.
 *
 * @throws UsageError when the file has no logits of that policy
 * @throws SchemaError, LengthMismatchError, UnsupportedError when arrays are missing or do not fit each other
 */
export async function openLogitsPolicy(
  name: string,
  path: string,
  options: LogitsOptions = {},
): Promise<LogitsPolicy> {
  const file = await openTensors(path);
  try {
    return await openPolicy(name, path, file, options);
  } catch (error) {
    await closeQuietly(file.document);
    throw containFileError(error, path);
  }
}

/** The texts of a file of saved logits, in its order. @throws as {@link openLogitsPolicy} */
export async function readLogitsTexts(path: string): Promise<LogitsText[]> {
  const { texts } = await openLayout(path);
  return texts.map(({ key, ids, promptLength, mask }) => ({ key, ids, promptLength, mask }));
}

/** Names of the policies in a file of several; empty if it holds one policy's logits without a name. */
export async function logitsPolicyNames(path: string): Promise<string[]> {
  return [...((await openLayout(path)).policies ?? [])];
}

async function openLayout(path: string): Promise<Layout> {
  const { document } = await openTensors(path);
  try {
    return await readLayout(document);
  } catch (error) {
    throw containFileError(error, path);
  } finally {
    await closeQuietly(document);
  }
}

async function openPolicy(
  name: string,
  path: string,
  file: OpenTensors,
  options: LogitsOptions,
): Promise<LogitsPolicy> {
  const layout = await readLayout(file.document);
  const { policies, texts } = layout;
  const wanted = wantedName(name, path, layout, options.policy);
  const saved = texts.filter(({ logits }) => logits.has(wanted));
  const vocabulary = commonVocabulary(path, wanted, saved, policies === undefined ? texts.length : 1);
  const match = makeMatcher(path, saved);
  const opener = createRowOpener(file);
  const reader = createBlockReader();
  const dtypes = [...new Set(saved.map(({ logits }) => logits.get(wanted)!.tensor.dtype))];
  const rowBytes = vocabulary * Math.max(...dtypes.map(blockItemBytes));
  const maxBytes = options.maxBlockBytes ?? DEFAULT_BLOCK_BYTES;
  const rowsPerBlock = Math.max(1, Math.floor(maxBytes / (BLOCKS * rowBytes)));
  return {
    name,
    gives: "logits",
    stored: await isUncompressed(file, saved, wanted),
    facts: {
      backend: "logits",
      location: path,
      model: wanted === "" ? null : wanted,
      vocabularySize: vocabulary,
      contextLength: null,
      logprobs: "raw",
      temperature: 1,
      notes: [
        `logits of ${saved.length} ${saved.length === 1 ? "text" : "texts"}, saved as ${dtypes.join(" and ")}`,
      ],
    },
    logits: (text, signal) => blocks(text, signal),
    close: async () => {
      await opener.close();
      await file.document.close();
    },
  };

  async function* blocks(text: ForcedText, signal: AbortSignal | undefined): AsyncGenerator<LogitBlock> {
    if (text.promptLength < 1) {
      throw new TextRefusedError("the text has no prompt, so nothing predicts its first token", {
        at: { file: path, entry: text.id },
        hint: "begin it with the tokenizer's <bos>",
      });
    }
    const found = match(text);
    const unknown = text.ids.find((id) => id < 0 || id >= vocabulary);
    if (unknown !== undefined) {
      throw new TextRefusedError(`token id ${unknown} is outside the ${vocabulary} saved columns`, {
        at: { file: path, entry: text.id },
        reason: "unknown-token",
      });
    }
    const rows = await opener.open(found.logits.get(wanted)!, found);
    yield* reader.blocks(rows, spans(found, text, rowsPerBlock), vocabulary, signal);
  }
}

/** Whether a policy's logits are stored uncompressed; of the formats, only npz compresses. */
async function isUncompressed(
  { document, source }: OpenTensors,
  saved: readonly SavedText[],
  policy: string,
): Promise<boolean> {
  if (document.format !== "npz") return true;
  const { members } = await openZip(source);
  return saved.every(({ logits }) => members.get(`${logits.get(policy)!.entry}.npy`)?.method === "stored");
}

/** Runs of consecutive rows among those at positions `promptLength − 1 … ids.length − 1`. */
function spans(
  { positions }: SavedText,
  { promptLength, ids }: ForcedText,
  most: number,
): [number, number][] {
  const found: [number, number][] = [];
  for (let token = promptLength - 1; token < ids.length; token++) {
    const row = positions?.[token] ?? token;
    const last = found.at(-1);
    if (last !== undefined && last[1] === row && row - last[0] < most) last[1] = row + 1;
    else found.push([row, row + 1]);
  }
  return found;
}

function wantedName(
  name: string,
  path: string,
  { policies, texts }: Layout,
  asked: string | undefined,
): string {
  if (policies === undefined) {
    if (asked === undefined) return "";
    throw new UsageError(`${path} holds a single unnamed policy's logits, but ${asked} was requested`, {
      at: { file: path },
      hint: `leave out #${asked}`,
    });
  }
  const wanted = asked ?? name;
  if (policies.includes(wanted) || texts.some(({ logits }) => logits.has(wanted))) return wanted;
  throw new UsageError(
    `${path} has no logits of ${wanted}; it has those of ${policies.join(", ") || "no policy"}`,
    {
      at: { file: path },
      hint: `name one of them: NAME=logits:${path}#${policies[0] ?? "POLICY"}`,
    },
  );
}

function commonVocabulary(path: string, wanted: string, saved: readonly SavedText[], texts: number): number {
  let first: { readonly entry: string; readonly vocabulary: number } | undefined;
  for (const text of saved) {
    const logits = text.logits.get(wanted)!;
    const vocabulary = checkLogits(logits, text, texts);
    first ??= { entry: logits.entry, vocabulary };
    if (vocabulary !== first.vocabulary) {
      throw new SchemaError(
        `logits have ${vocabulary} columns, those of ${first.entry} have ${first.vocabulary}`,
        { at: { file: path, entry: logits.entry }, likely: "they come from different models" },
      );
    }
  }
  return first!.vocabulary;
}
