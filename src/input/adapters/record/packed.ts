/**
 * The record with its lists laid end to end, in safetensors (docs/formats/record.md, "Packed"): what the Python recorder
 * writes.
 *
 *     response_offsets [B + 1] ─► rows of rollout_logprobs, trainer_logprobs, … [tokens] (top-k [tokens, k])
 *     prompt_offsets   [B + 1] ─► rows of prompt_token_ids
 *     group_id.offsets [B + 1] ─► UTF-8 texts in group_id
 *
 * @module
 */
import { dictionary, LengthMismatchError, type NumericArray, SchemaError } from "../../../core/base/index.ts";
import type { Origin, SequenceDraft, TopKDraft } from "../../../core/schema/index.ts";
import { LIST_COLUMNS, POLICY_PREFIXES, SCALAR_COLUMNS } from "../../../core/schema/index.ts";
import type { Tensor, TreeDocument } from "../../io/columns.ts";
import type { AdapterContext } from "../adapter.ts";
import { describeValue, isTensor } from "../shared/tree-values.ts";
import { readSampling, readSides } from "./origin.ts";

const RESPONSE_OFFSETS = "response_offsets";
/** Prompts of either side: their offsets and their ids. */
const PROMPTS = {
  promptTokenIds: "prompt_offsets",
  trainerPromptTokenIds: "trainer_prompt_offsets",
} as const;
type Prompt = keyof typeof PROMPTS;

/** Whether a tree has the packed layout. */
export function isPacked({ root }: TreeDocument): boolean {
  return isTensor(root[RESPONSE_OFFSETS]);
}

const TEXTS = [
  "sampleId",
  "groupId",
  "environment",
  "finishReason",
  "engineId",
  "recorder",
  "promptText",
  "responseText",
] as const;
const NUMBERS = [
  "step",
  "rank",
  "row",
  "pack",
  "reward",
  "correctness",
  "cachedTokens",
  "sourceOffset",
] as const;
type Texts = Partial<Record<(typeof TEXTS)[number], readonly (string | undefined)[]>>;
type Numbers = Partial<Record<(typeof NUMBERS)[number], NumericArray>>;

/** @throws SchemaError when a column is not a one-dimensional array of numbers */
function findVector({ root, file }: TreeDocument, name: string): Tensor | undefined {
  const value = root[name];
  if (value === undefined) return undefined;
  if (isTensor(value) && value.shape.length === 1 && value.dtype !== "string") return value;
  throw new SchemaError(`${name} is ${describeValue(value)}, not one flat array`, {
    at: { file, entry: name },
  });
}

/** @throws LengthMismatchError when there are not `expected` elements */
function checkLength(name: string, found: number, expected: number, file: string): void {
  if (found === expected) return;
  throw new LengthMismatchError(`${name} has ${found} values, expected ${expected}`, {
    found,
    expected,
    at: { file, entry: name },
  });
}

/** Offsets ascend from 0; the last one is the length of their column. */
async function readOffsets(document: TreeDocument, name: string): Promise<NumericArray | undefined> {
  const tensor = findVector(document, name);
  const offsets = await tensor?.readRows(0, tensor.shape[0]!);
  if (offsets === undefined) return undefined;
  const isAscending = offsets.every((at, i) => Number.isInteger(at) && at >= (i === 0 ? 0 : offsets[i - 1]!));
  if (offsets.length === 0 || offsets[0] !== 0 || !isAscending) {
    throw new SchemaError(`${name} does not ascend from 0`, {
      at: { file: document.file, entry: name },
      hint: "write the running sum of the lengths, with a 0 before the first",
    });
  }
  return offsets;
}

/** Texts of all rows by field, decoded when they are read. */
type TextReader = () => Promise<Texts>;

/** @throws LengthMismatchError when texts and offsets disagree */
async function openTexts(document: TreeDocument, rows: number): Promise<TextReader> {
  const opened: { field: (typeof TEXTS)[number]; tensor: Tensor; offsets: NumericArray }[] = [];
  for (const field of TEXTS) {
    const name = SCALAR_COLUMNS[field];
    const offsets = await readOffsets(document, `${name}.offsets`);
    const tensor = findVector(document, name);
    if (offsets === undefined || tensor === undefined) continue;
    checkLength(`${name}.offsets`, offsets.length, rows + 1, document.file);
    checkLength(name, tensor.shape[0]!, offsets[rows]!, document.file);
    opened.push({ field, tensor, offsets });
  }
  return async () => {
    const texts: Texts = {};
    const decoder = new TextDecoder();
    for (const { field, tensor, offsets } of opened) {
      const bytes = Uint8Array.from(await tensor.readRows(0, tensor.shape[0]!));
      texts[field] = Array.from({ length: rows }, (_, i) => {
        const text = decoder.decode(bytes.subarray(offsets[i]!, offsets[i + 1]!));
        // A text may be empty; an empty name means unknown.
        return text === "" && !field.endsWith("Text") ? undefined : text;
      });
    }
    return texts;
  };
}

async function readNumbers(document: TreeDocument, rows: number): Promise<Numbers> {
  const numbers: Numbers = {};
  for (const field of NUMBERS) {
    const name = SCALAR_COLUMNS[field];
    const tensor = findVector(document, name);
    if (tensor === undefined) continue;
    checkLength(name, tensor.shape[0]!, rows, document.file);
    numbers[field] = await tensor.readRows(0, rows);
  }
  return numbers;
}

/** A number in the file's metadata, which safetensors stores as text. */
export function readMetadataNumber({ metadata }: TreeDocument, name: string): number | undefined {
  const text = metadata[name];
  const value = text === undefined || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function makeOrigin(document: TreeDocument): Origin {
  const { file, format, metadata } = document;
  const lookup = {
    number: (name: string) => readMetadataNumber(document, name),
    text: (name: string) => metadata[name],
  };
  const sides = readSides(lookup);
  return {
    provenance: { file, format, trainer: metadata.trainer ?? "record", alignment: "token" },
    sampling: readSampling(lookup),
    ...(sides && { sides }),
  };
}

/** The columns with an entry per response token, opened and checked. */
class TokenColumns {
  readonly #columns = new Map<string, Tensor>();

  constructor({ root, file }: TreeDocument, tokens: number) {
    const prefixes = Object.values(POLICY_PREFIXES);
    const { promptTokenIds: _rollout, trainerPromptTokenIds: _trainer, ...perToken } = LIST_COLUMNS;
    const lists: readonly string[] = Object.values(perToken);
    for (const [name, value] of Object.entries(root)) {
      if (!lists.includes(name) && !prefixes.some((prefix) => name.startsWith(prefix))) continue;
      if (!isTensor(value) || value.dtype === "string")
        throw new SchemaError(`${name} is ${describeValue(value)}, not numbers`, {
          at: { file, entry: name },
        });
      checkLength(name, value.shape[0] ?? 0, tokens, file);
      this.#columns.set(name, value);
    }
  }

  /** Tokens `[start, end)` of every column. */
  async read(start: number, end: number): Promise<Map<string, NumericArray>> {
    const found = new Map<string, NumericArray>();
    for (const [name, tensor] of this.#columns) found.set(name, await tensor.readRows(start, end));
    return found;
  }

  /** Entries per token. */
  width(name: string): number {
    return this.#columns
      .get(name)!
      .shape.slice(1)
      .reduce((a, b) => a * b, 1);
  }
}

interface Cut {
  readonly list: (name: string) => NumericArray | undefined;
  readonly named: (prefix: string) => Record<string, NumericArray> | undefined;
}

/** A sequence's part of a block of columns. */
function cutSequence(
  block: ReadonlyMap<string, NumericArray>,
  columns: TokenColumns,
  start: number,
  end: number,
): Cut {
  const list = (name: string): NumericArray | undefined => {
    const width = block.has(name) ? columns.width(name) : 0;
    return block.get(name)?.subarray(start * width, end * width);
  };
  return {
    list,
    named(prefix) {
      const found = dictionary<NumericArray>();
      for (const name of block.keys()) {
        if (name.startsWith(prefix)) found[name.slice(prefix.length)] = list(name)!;
      }
      return Object.keys(found).length === 0 ? undefined : found;
    },
  };
}

function pairTopK({ named }: Cut, columns: TokenColumns): Record<string, TopKDraft> | undefined {
  const ids = named(POLICY_PREFIXES.topKIds);
  const logprobs = named(POLICY_PREFIXES.topKLogprobs);
  if (ids === undefined || logprobs === undefined) return undefined;
  const found = dictionary<TopKDraft>();
  for (const [policy, values] of Object.entries(ids)) {
    const alternatives = logprobs[policy];
    const k = columns.width(POLICY_PREFIXES.topKIds + policy);
    if (alternatives?.length === values.length) found[policy] = { k, ids: values, logprobs: alternatives };
  }
  return found;
}

/** Reads the prompts of a block of rows, and then returns those of single rows. */
type PromptReader = (first: number, last: number) => Promise<(row: number) => NumericArray | undefined>;

/**
 * @throws LengthMismatchError when ids and offsets disagree
 */
async function openPrompts(document: TreeDocument, prompt: Prompt, rows: number): Promise<PromptReader> {
  const [name, offsetsName] = [LIST_COLUMNS[prompt], PROMPTS[prompt]];
  const ids = findVector(document, name);
  const offsets = await readOffsets(document, offsetsName);
  if (offsets === undefined) return async () => () => undefined;
  checkLength(offsetsName, offsets.length, rows + 1, document.file);
  checkLength(name, ids?.shape[0] ?? 0, offsets[rows]!, document.file);
  return async (first, last) => {
    const base = offsets[first]!;
    const block = await ids?.readRows(base, offsets[last]!);
    return (row) => block?.subarray(offsets[row]! - base, offsets[row + 1]! - base);
  };
}

/** The end of the sequences from `first` that fit into a block of `most` tokens; at least one sequence. */
function endOfBlock(offsets: NumericArray, first: number, most: number): number {
  let last = first + 1;
  while (last < offsets.length - 1 && offsets[last + 1]! - offsets[first]! <= most) last++;
  return last;
}

/** A packed record whose columns fit each other. */
interface OpenedRecord {
  readonly offsets: NumericArray;
  readonly rows: number;
  readonly columns: TokenColumns;
  readonly readPrompt: PromptReader;
  readonly readTrainerPrompt: PromptReader;
  readonly readTexts: TextReader;
  readonly numbers: Numbers;
}

async function openPackedRecord(document: TreeDocument): Promise<OpenedRecord> {
  const offsets = await readOffsets(document, RESPONSE_OFFSETS);
  if (offsets === undefined) {
    throw new SchemaError(`there is no ${RESPONSE_OFFSETS}: this is not the packed record`, {
      at: { file: document.file },
      hint: "send the files that logratio.Recorder writes",
    });
  }
  const rows = offsets.length - 1;
  return {
    offsets,
    rows,
    columns: new TokenColumns(document, offsets[rows]!),
    readPrompt: await openPrompts(document, "promptTokenIds", rows),
    readTrainerPrompt: await openPrompts(document, "trainerPromptTokenIds", rows),
    readTexts: await openTexts(document, rows),
    numbers: await readNumbers(document, rows),
  };
}

/**
 * Checks that {@link readPackedRecord} can read a document, without reading its values.
 *
 * @throws SchemaError when a column is not an array of numbers, offsets do not ascend, or there are no log-probs
 * @throws LengthMismatchError when a column and its offsets disagree
 */
export async function checkPackedRecord(document: TreeDocument): Promise<void> {
  await openPackedRecord(document);
  const { rolloutLogprobs, trainerLogprobs } = LIST_COLUMNS;
  if (document.root[rolloutLogprobs] === undefined && document.root[trainerLogprobs] === undefined)
    throw new SchemaError(`there is neither ${rolloutLogprobs} nor ${trainerLogprobs}`, {
      at: { file: document.file },
      hint: "send one log-prob per response token, of either side or of both",
    });
}

/**
 * Drafts of a packed record, about `blockTokens` tokens at a time.
 *
 * @throws SchemaError when a column is not an array of numbers, or offsets do not ascend
 * @throws LengthMismatchError when a column and its offsets disagree
 */
export async function* readPackedRecord(
  document: TreeDocument,
  { blockTokens }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { offsets, rows, columns, readPrompt, readTrainerPrompt, readTexts, numbers } =
    await openPackedRecord(document);
  const texts = await readTexts();
  const origin = makeOrigin(document);
  const step = readMetadataNumber(document, "step");
  const rank = readMetadataNumber(document, "rank");
  const recorder = document.metadata[SCALAR_COLUMNS.recorder] || undefined;
  for (let first = 0; first < rows; ) {
    const last = endOfBlock(offsets, first, blockTokens);
    const base = offsets[first]!;
    const block = await columns.read(base, offsets[last]!);
    const prompt = await readPrompt(first, last);
    const trainerPrompt = await readTrainerPrompt(first, last);
    const drafts: SequenceDraft[] = [];
    for (let i = first; i < last; i++) {
      const length = offsets[i + 1]! - offsets[i]!;
      const cut = cutSequence(block, columns, offsets[i]! - base, offsets[i + 1]! - base);
      drafts.push({
        length,
        responseMask: cut.list(LIST_COLUMNS.responseMask) ?? new Uint8Array(length).fill(1),
        rolloutLogprobs: cut.list(LIST_COLUMNS.rolloutLogprobs),
        trainerLogprobs: cut.list(LIST_COLUMNS.trainerLogprobs),
        responseTokenIds: cut.list(LIST_COLUMNS.responseTokenIds),
        policyLogprobs: cut.named(POLICY_PREFIXES.policyLogprobs),
        entropies: cut.named(POLICY_PREFIXES.entropies),
        topK: pairTopK(cut, columns),
        advantages: cut.list(LIST_COLUMNS.advantages),
        digitLogprobs: cut.list(LIST_COLUMNS.digitLogprobs),
        positionIds: cut.list(LIST_COLUMNS.positionIds),
        weightVersions: cut.list(LIST_COLUMNS.weightVersions),
        keptMass: cut.list(LIST_COLUMNS.keptMass),
        routeAgreement: cut.list(LIST_COLUMNS.routeAgreement),
        promptTokenIds: prompt(i),
        trainerPromptTokenIds: trainerPrompt(i),
        ...Object.fromEntries(Object.entries(numbers).map(([name, values]) => [name, values[i]])),
        ...Object.fromEntries(Object.entries(texts).map(([name, values]) => [name, values[i]])),
        step: numbers.step?.[i] ?? step,
        rank: numbers.rank?.[i] ?? rank,
        row: numbers.row?.[i] ?? i,
        recorder: texts.recorder?.[i] ?? recorder,
        origin,
      });
    }
    yield drafts;
    first = last;
  }
}
