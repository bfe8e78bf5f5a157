import {
  checkMemory,
  EmptyInputError,
  FormatError,
  isObject,
  LimitError,
  type Place,
  UnsupportedError,
} from "../../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeDocument, TreeValue } from "../../io/columns.ts";
import { MAX_SAFETENSORS_HEADER_BYTES } from "../../io/limits.ts";
import { type FixedDType, ITEM_BYTES } from "../shared/dtypes.ts";
import { countElements, formatShape } from "../shared/shape.ts";
import { rowMajorStrides } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";

const LENGTH_BYTES = 8;
/** Bytes of memory per byte of header, for the smallest possible entries as objects and as tensors. */
const HEADER_COST = 32;

const DTYPES: Readonly<Record<string, FixedDType>> = {
  F64: "float64",
  F32: "float32",
  F16: "float16",
  BF16: "bfloat16",
  I64: "int64",
  I32: "int32",
  I16: "int16",
  I8: "int8",
  U64: "uint64",
  U32: "uint32",
  U16: "uint16",
  U8: "uint8",
  BOOL: "bool",
};

/** A header length that fits the file, and the opening brace of the header after it. */
export function isSafetensors(head: Uint8Array, byteLength: number): boolean {
  if (head.length <= LENGTH_BYTES || head[LENGTH_BYTES] !== 0x7b) return false;
  return headerLength(head) <= byteLength - LENGTH_BYTES;
}

/**
 * Opens a safetensors file. All tensors stay in the file until their rows are read; `__metadata__` becomes the
 * document's metadata. The document owns `source` and closes it; when this throws, the caller still owns it.
 *
 * @throws FormatError if the file is cut off, or its header contradicts itself or the file's size
 * @throws LimitError if the header declares more than any real file has
 * @throws UnsupportedError for 8-bit floats, complex numbers and other types without a counterpart
 */
export async function openSafetensors(source: ByteSource): Promise<TreeDocument> {
  const at = { file: source.name };
  const { header, dataStart } = await readHeader(source, at);
  const entries: Entry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === "__metadata__") metadata = readMetadata(value, at);
    else entries.push(readEntry(name, value, { ...at, entry: name }));
  }
  checkLayout(entries, source.byteLength - dataStart, dataStart, at);
  const root: Record<string, TreeValue> = Object.create(null);
  for (const { name, dtype, shape, start } of entries) {
    root[name] = tensorOver(source, {
      dtype,
      littleEndian: true,
      shape,
      strides: rowMajorStrides(shape),
      offset: dataStart + start,
      at: { ...at, entry: name },
    });
  }
  return {
    kind: "tree",
    format: "safetensors",
    file: source.name,
    root,
    metadata,
    close: () => source.close(),
  };
}

interface Entry {
  readonly name: string;
  readonly dtype: FixedDType;
  readonly shape: readonly number[];
  /** Bytes of the data part. */
  readonly start: number;
  readonly end: number;
}

async function readHeader(
  source: ByteSource,
  at: Place,
): Promise<{ header: Readonly<Record<string, unknown>>; dataStart: number }> {
  const there = source.byteLength;
  if (there === 0) throw new EmptyInputError("the file is empty (0 bytes)", { at, likely: LIKELY_CUT_OFF });
  if (there < LENGTH_BYTES) {
    throw new FormatError(
      `safetensors header is cut off: its length takes ${LENGTH_BYTES} bytes, found ${there}`,
      {
        at: { ...at, offset: there },
        likely: LIKELY_CUT_OFF,
        hint: HINT_WRITE_AGAIN,
      },
    );
  }
  const length = headerLength(await source.slice(0, LENGTH_BYTES));
  if (length > MAX_SAFETENSORS_HEADER_BYTES) {
    throw new LimitError(
      `safetensors header declares ${length} bytes; at most ${MAX_SAFETENSORS_HEADER_BYTES} are read`,
      {
        needed: length,
        limit: MAX_SAFETENSORS_HEADER_BYTES,
        at: { ...at, offset: 0 },
        likely: "the file has another format, or its header is damaged",
      },
    );
  }
  checkMemory(length * HEADER_COST, `a safetensors header of ${length} bytes`, { ...at, offset: 0 });
  const dataStart = LENGTH_BYTES + length;
  if (dataStart > there) {
    throw new FormatError(`safetensors header is cut off: it ends at byte ${dataStart}, found ${there}`, {
      at: { ...at, offset: there },
      likely: LIKELY_CUT_OFF,
      hint: HINT_WRITE_AGAIN,
    });
  }
  const text = Buffer.from(await source.slice(LENGTH_BYTES, dataStart)).toString("utf8");
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch (cause) {
    throw new FormatError(
      `safetensors header is not JSON: ${cause instanceof Error ? cause.message : cause}`,
      {
        at: { ...at, offset: LENGTH_BYTES },
        likely: "the file has another format, or its header is damaged",
        cause,
      },
    );
  }
  if (!isObject(header)) {
    throw new FormatError("safetensors header is not a JSON object", { at: { ...at, offset: LENGTH_BYTES } });
  }
  return { header, dataStart };
}

function readEntry(name: string, value: unknown, at: Place): Entry {
  const { dtype: label, shape, data_offsets: offsets } = isObject(value) ? value : {};
  if (typeof label !== "string" || !isNumbers(shape) || !isNumbers(offsets) || offsets.length !== 2) {
    throw new FormatError(`safetensors entry "${name}" lacks dtype, shape or data_offsets`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  const dtype = Object.hasOwn(DTYPES, label) ? DTYPES[label] : undefined;
  if (dtype === undefined) {
    throw new UnsupportedError(`safetensors dtype ${label} is not read`, { at, hint: "save it as float32" });
  }
  const count = countElements(`safetensors entry "${name}"`, shape, at);
  const [start, end] = offsets as [number, number];
  if (!(Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end)) {
    throw new FormatError(`safetensors entry "${name}" has the data offsets ${start} to ${end}`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  const needed = count * ITEM_BYTES[dtype];
  if (end - start !== needed) {
    throw new FormatError(
      `safetensors entry "${name}" contradicts itself: ${label} of shape ${formatShape(shape)} takes ${needed} bytes, its offsets span ${end - start}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  return { name, dtype, shape, start, end };
}

/** The format requires tensors to cover the data part exactly: no overlap, no gap, nothing after the last tensor. */
function checkLayout(entries: readonly Entry[], there: number, dataStart: number, at: Place): void {
  let covered = 0;
  let before = "the header";
  for (const entry of [...entries].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const place = { ...at, entry: entry.name, offset: dataStart + entry.start };
    if (entry.end > there) {
      throw new FormatError(
        `safetensors data is cut off: "${entry.name}" ends at byte ${entry.end} of the data, but there are only ${there} bytes`,
        { at: place, likely: LIKELY_CUT_OFF, hint: HINT_WRITE_AGAIN },
      );
    }
    if (entry.start !== covered) {
      const what = entry.start < covered ? "overlaps" : "leaves a gap after";
      throw new FormatError(
        `safetensors entry "${entry.name}" ${what} ${before}: it starts at byte ${entry.start} of the data, expected ${covered}`,
        { at: place, likely: LIKELY_CRAFTED },
      );
    }
    covered = entry.end;
    before = `"${entry.name}"`;
  }
  if (covered < there) {
    throw new FormatError(
      `safetensors data is longer than its header says: ${covered} bytes declared, ${there} are there`,
      {
        at: { ...at, offset: dataStart + covered },
        likely: "something was appended to the file, or its header lists a name twice",
      },
    );
  }
}

function readMetadata(value: unknown, at: Place): Record<string, string> {
  const pairs = isObject(value) ? Object.entries(value) : [];
  if (!isObject(value) || !pairs.every((pair): pair is [string, string] => typeof pair[1] === "string")) {
    throw new FormatError("safetensors __metadata__ is not a map of strings", { at, likely: LIKELY_DAMAGED });
  }
  return Object.fromEntries(pairs);
}

/** Little-endian, 64 bits. Values above 2^53 are rounded, and exceed every limit anyway. */
function headerLength(head: Uint8Array): number {
  const view = new DataView(head.buffer, head.byteOffset, LENGTH_BYTES);
  return view.getUint32(0, true) + view.getUint32(4, true) * 4294967296;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}
