/**
 * Reads one pack into drafts, a group of sequences at a time.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { LengthMismatchError, SchemaError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { TreeValue } from "../../io/columns.ts";
import type { AdapterContext } from "../adapter.ts";
import { FIELD_LABELS } from "./fields.ts";
import { combineMasks, MASK_FIELDS } from "./masks.ts";
import { cutPack, isFilling, type PackSpan } from "./packed.ts";
import {
  describeValue,
  isTensor,
  readNumbers,
  readScalar,
  readTexts,
  readVector,
  vectorLength,
} from "./tree-values.ts";

export type PackField =
  | TokenField
  /** Tokens per sequence. */
  | "lengths"
  /** Running sum of the lengths, from 0. */
  | "bounds"
  | "reward"
  | "group"
  | "step"
  | "rank";

/** Looks up a field of one pack. */
export type PackSource = (field: PackField) => TreeValue | undefined;

export interface PackContext extends AdapterContext {
  readonly file: string;
  readonly pack: number;
}

const TOKEN_FIELDS = [
  "rollout",
  "trainer",
  "reference",
  "rescore",
  "float32",
  "labels",
  "mask",
  "lossMask",
  "actionMask",
  "assistantMask",
  "toolMask",
  "envMask",
  "inputIds",
  "positions",
  "advantages",
  "rolloutEntropy",
  "trainerEntropy",
] as const;
type TokenField = (typeof TOKEN_FIELDS)[number];

function labelField(field: TokenField): string {
  return field === "labels" ? "labels of the next token" : FIELD_LABELS[field];
}

/** Tokens per sequence, from lengths or their running sum. */
async function readLengths(get: PackSource): Promise<NumericArray | undefined> {
  const lengths = await readVector(get("lengths"));
  if (lengths !== undefined) return lengths;
  const bounds = await readVector(get("bounds"));
  return (
    bounds &&
    Float64Array.from({ length: Math.max(0, bounds.length - 1) }, (_, i) => bounds[i + 1]! - bounds[i]!)
  );
}

/** Reads elements `[start, end)`; spans must come in ascending order. */
type SpanReader = (start: number, end: number) => Promise<NumericArray>;

async function spanReader(value: TreeValue): Promise<SpanReader> {
  if (isTensor(value) && value.shape.length === 1) return (start, end) => value.readRows(start, end);
  const whole = (await readVector(value))!;
  return async (start, end) => whole.subarray(start, end);
}

async function openColumns(
  source: PackSource,
  tokens: number,
  context: PackContext,
): Promise<Map<TokenField, SpanReader>> {
  const readers = new Map<TokenField, SpanReader>();
  for (const field of TOKEN_FIELDS) {
    const value = source(field);
    if (value === undefined || value === null) continue;
    const length = vectorLength(value);
    const at = { file: context.file, row: context.pack };
    const optional = field === "advantages" || field === "positions";
    if (length === tokens) readers.set(field, await spanReader(value));
    else if (length !== undefined && !optional) {
      throw new LengthMismatchError(
        `${labelField(field)}: ${length} tokens, the lengths of the pack's sequences add up to ${tokens}`,
        {
          found: length,
          expected: tokens,
          at,
          likely:
            "padding at the end of the pack is not counted in num_tokens, or the arrays come from different packs",
        },
      );
    } else if (field === "rollout" || field === "trainer") {
      throw new SchemaError(`${labelField(field)}: ${describeValue(value)}, not one flat array`, { at });
    }
  }
  return readers;
}

/** Groups consecutive sequences of at most `blockTokens` tokens in total; a longer one stands alone. */
function* groups(
  lengths: NumericArray,
  blockTokens: number,
): Generator<{ first: number; last: number; start: number; end: number }> {
  let first = 0;
  let start = 0;
  let end = 0;
  for (let i = 0; i < lengths.length; i++) {
    if (i > first && end + lengths[i]! - start > blockTokens) {
      yield { first, last: i, start, end };
      first = i;
      start = end;
    }
    end += lengths[i]!;
  }
  if (first < lengths.length) yield { first, last: lengths.length, start, end };
}

async function readSpan(readers: Map<TokenField, SpanReader>, start: number, end: number): Promise<PackSpan> {
  const span: Partial<Record<TokenField, NumericArray>> = {};
  for (const [field, read] of readers) span[field] = await read(start, end);
  const {
    reference,
    rescore,
    float32,
    rolloutEntropy,
    trainerEntropy,
    lossMask,
    actionMask,
    assistantMask,
    toolMask,
    envMask,
    ...rest
  } = span;
  const masks = { mask: span.mask, lossMask, actionMask, assistantMask, toolMask, envMask };
  const combined = combineMasks(masks, end - start);
  return {
    ...rest,
    ...(combined && { mask: combined.mask }),
    ...(combined?.firstCount !== undefined && {
      firstMask: MASK_FIELDS.map((field) => masks[field]).find(Boolean),
    }),
    policies: {
      ...(reference === undefined ? {} : { reference }),
      ...(rescore === undefined ? {} : { rescore }),
      ...(float32 === undefined ? {} : { float32 }),
    },
    entropies: {
      ...(rolloutEntropy === undefined ? {} : { rollout: rolloutEntropy }),
      ...(trainerEntropy === undefined ? {} : { trainer: trainerEntropy }),
    },
  };
}

async function readGroupIds(get: PackSource, rows: number): Promise<(string | undefined)[] | undefined> {
  const value = get("group");
  if (typeof value !== "string") return readTexts(value, rows);
  // safetensors metadata can only hold text, so lists are written as JSON.
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed) && parsed.length === rows) return parsed.map(String);
  } catch {
    return undefined;
  }
  return undefined;
}

/** A number, or one stored as text in metadata. */
export async function readNumber(value: TreeValue | undefined): Promise<number | undefined> {
  const number = typeof value === "string" && value !== "" ? Number(value) : await readScalar(value);
  return Number.isNaN(number) ? undefined : number;
}

/** Drafts of one pack. */
export async function* readPack(
  source: PackSource,
  context: PackContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const lengths = await readLengths(source);
  const at = { file: context.file, row: context.pack };
  if (lengths === undefined) throw new SchemaError("num_tokens is not a list of numbers", { at });
  let total = 0;
  for (const length of lengths) {
    if (!Number.isInteger(length) || length < 0) {
      throw new SchemaError(`num_tokens holds ${length}, which is not a token count`, { at });
    }
    total += length;
  }
  const readers = await openColumns(source, total, context);
  const rewards = await readNumbers(source("reward"), lengths.length);
  const advantages = await readNumbers(source("advantages"), lengths.length);
  const groupIds = await readGroupIds(source, lengths.length);
  const step = await readNumber(source("step"));
  const rank = await readNumber(source("rank"));
  for (const { first, last, start, end } of groups(lengths, context.blockTokens)) {
    const span = await readSpan(readers, start, end);
    let kept = last;
    let spanEnd = end - start;
    if (
      last === lengths.length &&
      last - first > 1 &&
      isFilling(span, spanEnd - lengths[last - 1]!, spanEnd)
    ) {
      kept = last - 1;
      spanEnd -= lengths[kept]!;
      context.findings.add({
        code: "note",
        severity: "info",
        subject: `filling ${context.file}`,
        count: lengths[kept]!,
        omits: { unit: "token", why: "no_data" },
        at,
        describe: (count) => `${count} padding ${count === 1 ? "token" : "tokens"} at the end of packs`,
      });
    }
    const drafts = cutPack(span, lengths.subarray(first, kept), { start, width: total });
    yield drafts.map((draft, i) => ({
      ...draft,
      advantages: draft.advantages ?? advantages?.[first + i],
      row: first + i,
      pack: context.pack,
      step,
      rank,
      reward: rewards?.[first + i],
      groupId: groupIds?.[first + i],
    }));
  }
}
