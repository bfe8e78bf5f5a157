/**
 * Values of every token under every checkpoint, in one file: a study is analyzed checkpoint by checkpoint and viewed
 * text by text, so each text has a reserved place, filled if a checkpoint has scores for it.
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import { readPart } from "../prepare/cache/read-part.ts";

/** What each checkpoint has of a token; the reference has a log-prob and an entropy. */
export const VALUE_ROWS = ["kl", "delta", "entropy"] as const;
const REFERENCE_ROWS = 2;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Where a text's values are. */
export interface ValuesLayout {
  /** Checkpoints to reserve room for. */
  readonly slots: number;
  /** `[texts + 1]`: sums of the texts' tokens. */
  readonly tokenOffsets: Float64Array;
}

function countRows({ slots }: ValuesLayout): number {
  return slots * VALUE_ROWS.length + REFERENCE_ROWS;
}

function findPlace(layout: ValuesLayout, text: number, row: number): number {
  const { tokenOffsets } = layout;
  const [from, to] = [tokenOffsets[text]!, tokenOffsets[text + 1]!];
  return (from * countRows(layout) + (to - from) * row) * BYTES;
}

export class ValuesWriter {
  readonly #file: FileHandle;
  readonly #layout: ValuesLayout;
  readonly #referenced: Uint8Array;

  private constructor(file: FileHandle, layout: ValuesLayout) {
    this.#file = file;
    this.#layout = layout;
    this.#referenced = new Uint8Array(layout.tokenOffsets.length - 1);
  }

  static async create(path: string, layout: ValuesLayout): Promise<ValuesWriter> {
    return new ValuesWriter(await open(path, "wx"), layout);
  }

  /** `[tokens]` each. The reference's values are written once. */
  async write(
    text: number,
    slot: number,
    rows: readonly Float32Array[],
    reference: readonly Float32Array[],
  ): Promise<void> {
    await this.#at(text, slot * VALUE_ROWS.length, rows);
    if (this.#referenced[text] === 1) return;
    this.#referenced[text] = 1;
    await this.#at(text, this.#layout.slots * VALUE_ROWS.length, reference);
  }

  async #at(text: number, row: number, rows: readonly Float32Array[]): Promise<void> {
    const bytes = Buffer.concat(
      rows.map((values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
    );
    const place = findPlace(this.#layout, text, row);
    for (let at = 0; at < bytes.length; )
      at += (await this.#file.write(bytes, at, bytes.length - at, place + at)).bytesWritten;
  }

  /** Extends the file to its full size if the end was not filled. */
  async close(): Promise<void> {
    const texts = this.#layout.tokenOffsets.length - 1;
    await this.#file.truncate(this.#layout.tokenOffsets[texts]! * countRows(this.#layout) * BYTES);
    await this.#file.close();
  }
}

export interface TextValues {
  /** By slot, then by {@link VALUE_ROWS}: `[tokens]`. */
  row(slot: number, name: (typeof VALUE_ROWS)[number]): Float32Array;
  readonly referenceLogprob: Float32Array;
  readonly referenceEntropy: Float32Array;
}

/** Values that were not written are 0: callers know which checkpoints have scores for the text. */
export async function readValues(file: FileHandle, layout: ValuesLayout, text: number): Promise<TextValues> {
  const tokens = layout.tokenOffsets[text + 1]! - layout.tokenOffsets[text]!;
  const bytes = await readPart(file, findPlace(layout, text, 0), tokens * countRows(layout) * BYTES);
  const values = new Float32Array(bytes.buffer);
  const rowAt = (row: number): Float32Array => values.subarray(row * tokens, (row + 1) * tokens);
  const reference = layout.slots * VALUE_ROWS.length;
  return {
    row: (slot, name) => rowAt(slot * VALUE_ROWS.length + VALUE_ROWS.indexOf(name)),
    referenceLogprob: rowAt(reference),
    referenceEntropy: rowAt(reference + 1),
  };
}
