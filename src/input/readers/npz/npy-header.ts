import { FormatError, LimitError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import { MAX_NPY_HEADER_BYTES } from "../../io/limits.ts";
import { type NumpyType, parseNumpyType } from "../shared/numpy-type.ts";
import { type Literal, parsePythonLiteral } from "./python-literal.ts";

/** The header of an npy file. */
export interface NpyHeader {
  readonly type: NumpyType;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  /** Byte offset of the first element. */
  readonly dataStart: number;
}

/** What the dict of a header says. */
type ArrayKind = Omit<NpyHeader, "dataStart">;

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Magic, version, and the header's length in versions 2 and 3; version 1 needs two bytes less. */
const PREFIX_BYTES = 12;

/** `\x93NUMPY`. */
export function isNpy(head: Uint8Array): boolean {
  return MAGIC.every((byte, i) => head[i] === byte);
}

/**
 * Reads the header of an npy file, version 1 to 3 (NumPy's `numpy.lib.format` describes it): magic, version, the
 * header's length, and a Python dict of `descr`, `fortran_order` and `shape`.
 */
export async function readNpyHeader(source: ByteSource, at: Place): Promise<NpyHeader> {
  const prefix = await source.slice(0, Math.min(PREFIX_BYTES, source.byteLength));
  if (!isNpy(prefix)) {
    throw new FormatError("not an npy array: it does not begin with NumPy's signature", {
      at: { ...at, offset: 0 },
      likely: "the file has another format, or was cut off before its header was written",
    });
  }
  const major = prefix[6] ?? 0;
  if (major < 1 || major > 3) {
    throw new UnsupportedError(`npy version ${major} is not read; 1 to 3 are`, { at: { ...at, offset: 6 } });
  }
  const lengthBytes = major === 1 ? 2 : 4;
  const start = 8 + lengthBytes;
  if (source.byteLength < start) throw cutOff(start, source.byteLength, at);
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefix.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > MAX_NPY_HEADER_BYTES) {
    throw new LimitError(`npy header declares ${length} bytes; at most ${MAX_NPY_HEADER_BYTES} are read`, {
      needed: length,
      limit: MAX_NPY_HEADER_BYTES,
      at: { ...at, offset: 8 },
      likely: LIKELY_CRAFTED,
    });
  }
  const dataStart = start + length;
  if (source.byteLength < dataStart) throw cutOff(dataStart, source.byteLength, at);
  // In order and without overlap, so that the checksum of a zip member can be computed.
  const rest = await source.slice(prefix.length, Math.max(prefix.length, dataStart));
  const bytes = Buffer.concat([prefix.subarray(start), rest]).subarray(0, length);
  const text = bytes.toString(major === 3 ? "utf8" : "latin1");
  return { ...readDict(text, { ...at, offset: start }), dataStart };
}

/** Parsed headers by their text: the files of a run have few different ones, and each file is opened twice. */
const known = new Map<string, ArrayKind>();
const MOST_KNOWN = 64;
/** Usual headers have 64 to 128 characters. */
const LONGEST_KNOWN = 256;

function readDict(text: string, at: Place): ArrayKind {
  const before = known.get(text);
  if (before !== undefined) return before;
  const kind = interpret(parsePythonLiteral(text, at), at);
  if (known.size === MOST_KNOWN) known.clear();
  if (text.length <= LONGEST_KNOWN) known.set(text, kind);
  return kind;
}

function interpret(literal: Literal, at: Place): ArrayKind {
  if (!(literal instanceof Map)) {
    throw new FormatError("npy header is not a dict", { at, likely: LIKELY_DAMAGED });
  }
  const descr = literal.get("descr");
  const fortran = literal.get("fortran_order");
  const shape = literal.get("shape");
  if (descr === undefined || typeof fortran !== "boolean" || !Array.isArray(shape)) {
    const names = [...literal.keys()].join(", ");
    throw new FormatError(`npy header holds ${names || "nothing"}; it needs descr, fortran_order and shape`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  if (typeof descr !== "string") {
    throw new UnsupportedError("NumPy record types are not read", {
      at,
      hint: "save each field as an array of its own",
    });
  }
  if (!shape.every((size) => typeof size === "number")) {
    throw new FormatError("npy header has a shape that is not a tuple of numbers", {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  return { type: parseNumpyType(descr, at), fortran, shape };
}

function cutOff(needed: number, found: number, at: Place): FormatError {
  return new FormatError(`npy header is cut off: it ends at byte ${needed}, found ${found}`, {
    at: { ...at, offset: found },
    likely: LIKELY_CUT_OFF,
  });
}
