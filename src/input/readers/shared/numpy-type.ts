import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import type { FixedDType } from "./dtypes.ts";
import type { StringLayout } from "./strings.ts";

/** A NumPy element type that can be read. */
export type NumpyType =
  | { readonly kind: "fixed"; readonly dtype: FixedDType; readonly littleEndian: boolean }
  | { readonly kind: "string"; readonly layout: StringLayout }
  | { readonly kind: "object" };

const FIXED: Readonly<Record<string, FixedDType>> = {
  f2: "float16",
  f4: "float32",
  f8: "float64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  b1: "bool",
  "?": "bool",
};

/** Hints for known but unsupported types, by letter. */
const INSTEAD: Readonly<Record<string, string>> = {
  c: "save its .real and .imag as two arrays",
  M: "save it as .astype('int64') or as strings",
  m: "save it as .astype('int64')",
  V: "save bfloat16 arrays as .astype('float32'), and the fields of a record array one by one",
  f: "save it as .astype('float64')",
};

/**
 * Reads NumPy's type code: byte order (`<`, `>`, `|`, `=` or none), letter, and width.
 *
 * @throws UnsupportedError if it is a type without a counterpart here (complex, dates, records)
 * @throws FormatError if it is not a type code
 */
export function parseNumpyType(text: string, at: Place): NumpyType {
  const parts = /^([<>|=]?)([a-zA-Z?])([0-9]{0,10})/.exec(text);
  if (parts === null) throw new FormatError(`"${text}" is not a NumPy type`, { at });
  const [whole, order, letter, width] = parts as unknown as [string, string, string, string];
  const littleEndian = order !== ">";
  const dtype = whole === text ? FIXED[letter + width] : undefined;
  if (dtype !== undefined) return { kind: "fixed", dtype, littleEndian };
  if (letter === "O") return { kind: "object" };
  if ((letter === "U" || letter === "S" || letter === "a") && whole === text) {
    const unit = letter === "U" ? "ucs4" : "byte";
    const itemBytes = Number(width) * (unit === "ucs4" ? 4 : 1);
    return { kind: "string", layout: { unit, itemBytes, littleEndian } };
  }
  const hint = INSTEAD[letter];
  throw new UnsupportedError(`arrays of NumPy type "${text}" are not read`, {
    at,
    ...(hint === undefined ? {} : { hint }),
  });
}
