import { FormatError, type Place } from "../../../core/base/index.ts";

/** How NumPy stores strings: `U` as UCS-4 in the array's byte order, `S` as bytes. */
export interface StringLayout {
  readonly unit: "ucs4" | "byte";
  /** Bytes per element; shorter strings are padded with NUL. */
  readonly itemBytes: number;
  readonly littleEndian: boolean;
}

/** Elements of a string array; trailing NULs belong to the padding, as in NumPy. */
export function decodeStrings(bytes: Uint8Array, layout: StringLayout, at: Place): string[] {
  const { itemBytes } = layout;
  const count = itemBytes === 0 ? 0 : bytes.length / itemBytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out: string[] = [];
  for (let i = 0; i < count; i++) {
    const start = i * itemBytes;
    if (layout.unit === "byte") out.push(decodeBytes(bytes.subarray(start, start + itemBytes)));
    else out.push(decodeUcs4(view, start, start + itemBytes, layout.littleEndian, at));
  }
  return out;
}

function decodeUcs4(view: DataView, start: number, end: number, littleEndian: boolean, at: Place): string {
  let stop = end;
  while (stop > start && view.getUint32(stop - 4, littleEndian) === 0) stop -= 4;
  let text = "";
  for (let p = start; p < stop; p += 4) {
    const code = view.getUint32(p, littleEndian);
    if (code > 0x10ffff) {
      throw new FormatError(
        `string array holds 0x${code.toString(16)}, which is not a character; the last is 0x10ffff`,
        {
          at,
          likely: "the file was damaged, or declares the wrong byte order",
        },
      );
    }
    text += String.fromCodePoint(code);
  }
  return text;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeBytes(item: Uint8Array): string {
  let stop = item.length;
  while (stop > 0 && item[stop - 1] === 0) stop--;
  return decodeText(item.subarray(0, stop));
}

/** UTF-8, and Latin-1 where the bytes are not UTF-8: a byte string of Python has no declared encoding. */
function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }
}
