/**
 * Reads at any offset of the decompressed bytes: of a plain file, or of zstd in seekable frames
 * (`contrib/seekable_format/zstd_seekable_compression_format.md` of facebook/zstd), whose last frame is a table of all
 * others.
 *
 * @module
 */
import { FormatError } from "../../core/base/index.ts";
import type { ByteSource, Compression } from "./byte-source.ts";

const TABLE_MAGIC = 0x184d2a5e;
const FOOTER_MAGIC = 0x8f92eab1;
const FOOTER_BYTES = 9;
const HEADER_BYTES = 8;
const HAS_CHECKSUMS = 0x80;
/** Writers choose 4 MiB and less; a larger frame is better read from front to back. */
const MOST_FRAME_BYTES = 2 ** 26;
/** Decoded frames that are kept: reads mostly go forwards, in a few places at a time. */
const KEPT_FRAMES = 4;

interface Frame {
  /** In the compressed file. */
  readonly start: number;
  readonly end: number;
  /** In the decompressed bytes. */
  readonly from: number;
  readonly to: number;
}

/**
 * Random access to the decompressed bytes of a source; undefined if its compression allows none. Closing it leaves the
 * source open.
 *
 * @throws FormatError from `slice`, when a frame is damaged or has another length than the table says
 */
export async function openSeekable(
  source: ByteSource,
  compression: Compression,
): Promise<ByteSource | undefined> {
  if (compression === "none") {
    const { name, byteLength } = source;
    const slice: ByteSource["slice"] = (start, end, allocate) => source.slice(start, end, allocate);
    return { name, byteLength, slice, close: async () => {} };
  }
  const frames = compression === "zstd" ? await readTable(source) : undefined;
  return frames && new FrameSource(source, frames);
}

/** The frames that the table at the end of the file lists; undefined if it has no table that fits the file. */
async function readTable(source: ByteSource): Promise<readonly Frame[] | undefined> {
  const { byteLength } = source;
  if (byteLength < FOOTER_BYTES + HEADER_BYTES) return undefined;
  const footer = view(await source.slice(byteLength - FOOTER_BYTES, byteLength));
  if (footer.getUint32(5, true) !== FOOTER_MAGIC) return undefined;
  const count = footer.getUint32(0, true);
  const entryBytes = (footer.getUint8(4) & HAS_CHECKSUMS) === 0 ? 8 : 12;
  const tableBytes = HEADER_BYTES + count * entryBytes + FOOTER_BYTES;
  if (tableBytes > byteLength) return undefined;
  const table = view(await source.slice(byteLength - tableBytes, byteLength));
  const isTable =
    table.getUint32(0, true) === TABLE_MAGIC && table.getUint32(4, true) === tableBytes - HEADER_BYTES;
  if (!isTable) return undefined;
  const frames: Frame[] = [];
  let [start, from] = [0, 0];
  for (let i = 0; i < count; i++) {
    const end = start + table.getUint32(HEADER_BYTES + i * entryBytes, true);
    const to = from + table.getUint32(HEADER_BYTES + i * entryBytes + 4, true);
    if (to - from > MOST_FRAME_BYTES) return undefined;
    frames.push({ start, end, from, to });
    [start, from] = [end, to];
  }
  return start + tableBytes === byteLength ? frames : undefined;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

class FrameSource implements ByteSource {
  readonly name: string;
  readonly byteLength: number;
  readonly #source: ByteSource;
  readonly #frames: readonly Frame[];
  /** The most recently used last. */
  readonly #kept = new Map<number, Promise<Uint8Array>>();

  constructor(source: ByteSource, frames: readonly Frame[]) {
    this.name = source.name;
    this.byteLength = frames.at(-1)?.to ?? 0;
    this.#source = source;
    this.#frames = frames;
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    for (let at = start; at < end; ) {
      const place = this.#find(at);
      const { from, to } = this.#frames[place]!;
      const frame = await this.#decode(place);
      const piece = frame.subarray(at - from, Math.min(to, end) - from);
      bytes.set(piece, at - start);
      at += piece.length;
    }
    return bytes;
  }

  async close(): Promise<void> {
    this.#kept.clear();
  }

  /** The frame that holds the byte at an offset. */
  #find(offset: number): number {
    let [low, high] = [0, this.#frames.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#frames[middle]!.to > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #decode(place: number): Promise<Uint8Array> {
    const frame = this.#kept.get(place) ?? this.#unpack(this.#frames[place]!);
    this.#kept.delete(place);
    this.#kept.set(place, frame);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_FRAMES) this.#kept.delete(oldest!);
    return frame;
  }

  async #unpack({ start, end, from, to }: Frame): Promise<Uint8Array> {
    const { unzstd } = await import("./decompress-zstd.ts");
    const packed = await this.#source.slice(start, end);
    const plain = new Uint8Array(to - from);
    let length = 0;
    for await (const chunk of unzstd(once(packed), this.name)) {
      if (length + chunk.length > plain.length) throw this.#misfit(start, plain.length);
      plain.set(chunk, length);
      length += chunk.length;
    }
    if (length < plain.length) throw this.#misfit(start, plain.length);
    return plain;
  }

  #misfit(offset: number, length: number): FormatError {
    return new FormatError(`a zstd frame does not hold the ${length} bytes that the file's table says`, {
      at: { file: this.name, offset },
      likely: "the file was damaged in a copy, or changed while it was read",
      hint: "copy the file again; zstd -t says whether it is intact",
    });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
