/**
 * Frames on the pipe to the worker: a JSON header and the bytes of arrays, as in docs/formats/scoring-worker.md.
 *
 * @module
 */
import { FormatError } from "../../../core/base/index.ts";

export type FrameArray = Int32Array | Float32Array | Float64Array;

export interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays: Readonly<Record<string, FrameArray>>;
}

const TYPES = { int32: Int32Array, float32: Float32Array, float64: Float64Array } as const;
type DType = keyof typeof TYPES;

const LENGTHS_BYTES = 8;
const ALIGNMENT = 8;
/** A header names texts and errors, never arrays; anything longer is not a header. */
const LONGEST_HEADER = 2 ** 26;

interface ArrayPlace {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly offset: number;
}

export function encodeFrame(
  header: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, FrameArray>> = {},
): Buffer {
  const places: Record<string, ArrayPlace> = {};
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const [name, array] of Object.entries(arrays)) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const padding = (ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT;
    places[name] = {
      dtype: array instanceof Int32Array ? "int32" : array instanceof Float32Array ? "float32" : "float64",
      shape: [array.length],
      offset,
    };
    parts.push(bytes, new Uint8Array(padding));
    offset += bytes.length + padding;
  }
  const head = Buffer.from(JSON.stringify(offset === 0 ? header : { ...header, arrays: places }));
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(offset, 4);
  return Buffer.concat([lengths, head, ...parts]);
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #held: Buffer[] = [];
  #bytes = 0;

  /**
   * Frames that these bytes complete.
   *
   * @throws FormatError when the bytes are not frames
   */
  *push(chunk: Buffer): Generator<Frame> {
    this.#held.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= LENGTHS_BYTES) {
      const lengths = this.#join(LENGTHS_BYTES);
      const headBytes = lengths.readUInt32LE(0);
      if (headBytes > LONGEST_HEADER) throw notFrames("a header of this length");
      const size = LENGTHS_BYTES + headBytes + lengths.readUInt32LE(4);
      if (this.#bytes < size) return;
      const whole = this.#join(size);
      this.#bytes -= size;
      this.#held = [whole.subarray(size)];
      yield decodeFrame(whole.subarray(LENGTHS_BYTES, size), headBytes);
    }
  }

  /** A buffer that begins with at least `length` of the bytes held; chunks are joined only when needed. */
  #join(length: number): Buffer {
    const [first] = this.#held;
    if (first !== undefined && first.length >= length) return first;
    const joined = Buffer.concat(this.#held);
    this.#held = [joined];
    return joined;
  }
}

function decodeFrame(bytes: Buffer, headBytes: number): Frame {
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(bytes.toString("utf8", 0, headBytes)) as Record<string, unknown>;
  } catch (cause) {
    throw notFrames((cause as Error).message);
  }
  const { arrays: places = {}, ...rest } = header;
  // Arrays must start at multiples of their size, and a pipe's chunks start anywhere: the body is copied once.
  const body = Uint8Array.from(bytes.subarray(headBytes));
  const arrays = Object.entries(places as Record<string, ArrayPlace>).map(
    ([name, place]) => [name, cutArray(body, name, place)] as const,
  );
  return { header: rest, arrays: Object.fromEntries(arrays) };
}

function cutArray(
  body: Uint8Array<ArrayBuffer>,
  name: string,
  { dtype, shape, offset }: ArrayPlace,
): FrameArray {
  const type = TYPES[dtype];
  const length = shape.reduce((product, size) => product * size, 1);
  if (
    type === undefined ||
    offset % ALIGNMENT !== 0 ||
    offset + length * type.BYTES_PER_ELEMENT > body.length
  )
    throw notFrames(`the array ${name} is not in its body`);
  return new type(body.buffer, offset, length);
}

function notFrames(why: string): FormatError {
  return new FormatError(`the Python worker does not speak the scoring protocol: ${why}`, {
    likely: "something else writes to its standard output, or another version of logratio answers",
    hint: "run python3 -m logratio.scoring.worker and see what it prints",
  });
}
