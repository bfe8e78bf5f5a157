/**
 * Pickles and torch archives assembled for the hostile corpus and the fuzzer: their containers are valid (checksums,
 * lengths), so that the faults reach the code that has to find them.
 *
 * @module
 */
import { writeZip } from "../../src/input/io/zip-writer.test-data.ts";
import {
  assemble,
  float,
  type Piece,
  pickle,
  text,
  uint32,
  writeGlobal,
} from "../../src/input/readers/shared/pickle-writer.test-data.ts";

export function torchArchive(
  pickled: Uint8Array,
  storages: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  return writeZip([
    { name: "archive/data.pkl", bytes: pickled, deflate: pickled.length > 100_000 },
    { name: "archive/version", bytes: Buffer.from("3\n") },
    { name: "archive/byteorder", bytes: Buffer.from("little") },
    ...Object.entries(storages).map(([key, bytes]) => ({ name: `archive/data/${key}`, bytes })),
  ]);
}

/** BININT */
export function int(value: number): Uint8Array {
  const bytes = Buffer.alloc(5);
  bytes[0] = 0x4a;
  bytes.writeInt32LE(value | 0, 1);
  return new Uint8Array(bytes);
}

/** LONG1 of eight bytes, for sizes too large for an int. */
export function long(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(10);
  bytes[0] = 0x8a;
  bytes[1] = 8;
  bytes.writeBigInt64LE(value, 2);
  return new Uint8Array(bytes);
}

/** Like `assemble`, for more pieces than a call can have arguments. */
export function joined(pieces: readonly Piece[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces.map((piece) => assemble(piece))));
}

/** The same bytes repeated. */
export function repeated(piece: Piece, count: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(assemble(piece).length * count, assemble(piece)));
}

export function tuple(...items: readonly Piece[]): Uint8Array {
  return joined(["(", ...items, "t"]);
}

export function list(...items: readonly Piece[]): Uint8Array {
  return joined(["](", ...items, "e"]);
}

export function dict(entries: readonly (readonly [string, Piece])[]): Uint8Array {
  return joined(["}(", ...entries.flatMap(([name, value]) => [text(name), value]), "u"]);
}

export interface TensorParts {
  readonly key: string;
  readonly storage?: string;
  readonly held: number;
  readonly offset?: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

const whole = (value: number): Uint8Array =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 31
    ? int(value)
    : Number.isSafeInteger(value)
      ? long(BigInt(value))
      : float(value);

/** The arguments of `torch._utils._rebuild_tensor_v2`. */
export function tensor({
  key,
  storage = "FloatStorage",
  held,
  offset = 0,
  shape,
  strides,
}: TensorParts): Uint8Array {
  const id = tuple(text("storage"), writeGlobal("torch", storage), text(key), text("cpu"), int(held));
  const args = tuple(
    id,
    "Q",
    int(offset),
    tuple(...shape.map(whole)),
    tuple(...strides.map(whole)),
    0x89,
    writeGlobal("collections", "OrderedDict"),
    ")R",
  );
  return assemble(writeGlobal("torch._utils", "_rebuild_tensor_v2"), args, "R");
}

/** MARK and LONG_BINGET: gets what an earlier LONG_BINPUT stored. */
export function remembered(slot: number): Uint8Array {
  return assemble("j", uint32(slot));
}

export function remember(slot: number): Uint8Array {
  return assemble("r", uint32(slot));
}

/** Lists that each hold the one before `width` times: `width ** depth` values. */
export function laughs(depth: number, width: number, innermost: Piece = list(text("lol"))): Uint8Array {
  const levels: Piece[] = [innermost, remember(0)];
  for (let level = 1; level <= depth; level++) {
    const again = repeated(remembered(level - 1), width);
    // The previous level stays on the stack below; each level removes it.
    levels.push("0", list(again), remember(level));
  }
  return assemble(...levels);
}

export { assemble, float, type Piece, pickle, text, uint32, writeGlobal };
