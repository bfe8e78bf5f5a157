/**
 * Importance weights and modified masks as arrays, one file per source: in the layout of the source's own arrays if it
 * has any (`[B, T]`, or `[N]` per pack), else packed with row offsets.
 *
 * @module
 */

import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileSystemError, isSystemError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { createScratch, createTemporaryFile, makeDirectory, writeAll } from "../../input/io/index.ts";
import { writeNpz } from "../../input/readers/npz/index.ts";
import { writeSafetensors } from "../../input/readers/safetensors/index.ts";
import { WRITTEN_BYTES, type WrittenArray } from "../../input/readers/shared/index.ts";

export const WEIGHTS_NAME = "importance_weights";
export const MASK_NAME = "modified_response_mask";

export type ArrayFormat = "npz" | "safetensors";

/** Packed columns that belong to a batch, `[tokens]` each. */
export interface CorrectedColumns {
  /** Absent when the correction has no weights. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly mask: ArrayLike<number>;
}

export interface CorrectedArrays {
  /** Batches of one source must be consecutive. */
  add(batch: RecordBatch, columns: CorrectedColumns): Promise<void>;
  /** The complete files. */
  readonly files: readonly string[];
  /** Completes the last file. */
  finish(): Promise<void>;
  /** Removes incomplete files. */
  discard(): Promise<void>;
}

/** @param pathOf path of the arrays of a source; a file appears under its name when its source is complete */
export function createCorrectedArrays(
  pathOf: (file: string) => string,
  format: ArrayFormat,
): CorrectedArrays {
  const files: string[] = [];
  let source: string | undefined;
  let spools: SourceSpools | undefined;

  const complete = async (): Promise<void> => {
    if (spools === undefined || source === undefined) return;
    const path = pathOf(source);
    await spools.write(path, format);
    files.push(path);
    spools = undefined;
  };
  return {
    async add(batch, columns) {
      const { file } = batch.provenance;
      if (file !== source) {
        await complete();
        source = file;
        spools = await openSpools(dirname(pathOf(file)));
      }
      await spools!.add(batch, columns);
    },
    files,
    finish: complete,
    async discard() {
      await spools?.close();
      spools = undefined;
    },
  };
}

interface SourceSpools {
  add(batch: RecordBatch, columns: CorrectedColumns): Promise<void>;
  write(path: string, format: ArrayFormat): Promise<void>;
  close(): Promise<void>;
}

/** One array that grows on disk: elements are written at their place, and the rest is 0. */
interface Spool {
  readonly file: FileHandle;
  readonly path: string;
  readonly dtype: "float32" | "uint8";
  shape: readonly number[];
}

async function openSpools(directory: string): Promise<SourceSpools> {
  makeDirectory(directory);
  const scratch = await createScratch(directory);
  const spools = new Map<string, Spool>();
  const offsets: number[] = [0];
  let perSequence = false;

  const openSpool = async (name: string, dtype: Spool["dtype"]): Promise<Spool> => {
    const known = spools.get(name);
    if (known !== undefined) return known;
    const path = join(scratch.path, String(spools.size));
    const spool = { file: await open(path, "wx+"), path, dtype, shape: [0] };
    spools.set(name, spool);
    return spool;
  };
  const close = async (): Promise<void> => {
    // These files were given up: an error while closing them would hide the one that ended the work.
    for (const { file } of spools.values()) await file.close().catch(() => {});
    await scratch.remove();
  };

  return {
    close,
    add: (batch, { weights, mask }) =>
      writing(directory, async () => {
        perSequence ||= batch.arrays === undefined;
        for (const part of splitParts(batch, offsets)) {
          if (weights !== undefined) {
            await put(await openSpool(WEIGHTS_NAME + part.suffix, "float32"), part, batch, weights);
          }
          await put(await openSpool(MASK_NAME + part.suffix, "uint8"), part, batch, mask);
        }
      }),
    async write(path, format) {
      await writing(path, async () => {
        const single = new Set([...spools.keys()].map((name) => name.split(".")[1])).size === 1;
        const arrays: WrittenArray[] = [...spools].map(([name, { dtype, shape, path: spool }]) => ({
          name: single ? name.replace(/\.\d+$/, "") : name,
          dtype,
          shape,
          pieces: () => createReadStream(spool),
        }));
        for (const { file, dtype, shape } of spools.values()) {
          await file.truncate(shape.reduce((product, size) => product * size, WRITTEN_BYTES[dtype]));
          // Some file systems (NFS, quotas) report a failed write only on close, so close before reading it back.
          await file.close();
        }
        if (perSequence) arrays.push(offsetsArray(offsets));
        const temporary = await createTemporaryFile(path);
        try {
          await (format === "npz" ? writeNpz : writeSafetensors)(temporary.file, arrays);
          await temporary.commit();
        } finally {
          await temporary.discard();
        }
      });
      await close();
    },
  };
}

/** The batch is already in memory, so a system error is about the output. */
async function writing(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw isSystemError(cause) ? fileSystemError(cause, "write", { file }) : cause;
  }
}

/** Sequences of a batch in one array: where each begins, and the smallest shape that holds them. */
interface Part {
  readonly suffix: string;
  readonly rows: readonly number[];
  readonly starts: readonly number[];
  readonly shape: readonly number[];
}

function splitParts(batch: RecordBatch, offsets: number[]): Part[] {
  const { arrays, length } = batch;
  const all = Array.from({ length }, (_, i) => i);
  if (arrays === undefined) {
    const starts = all.map((i) => {
      const start = offsets.at(-1)!;
      offsets.push(start + batch.offsets[i + 1]! - batch.offsets[i]!);
      return start;
    });
    return [{ suffix: "", rows: all, starts, shape: [offsets.at(-1)!] }];
  }
  const { layout, starts, widths } = arrays;
  const packs = [...new Set(batch.packs)];
  return packs.map((pack) => {
    const rows = all.filter((i) => batch.packs[i] === pack);
    const width = widths[rows[0]!]!;
    if (layout === "packed") {
      return { suffix: `.${pack}`, rows, starts: rows.map((i) => starts[i]!), shape: [width] };
    }
    const height = rows.reduce((most, i) => Math.max(most, batch.rows[i]! + 1), 0);
    return {
      suffix: `.${pack}`,
      rows,
      starts: rows.map((i) => batch.rows[i]! * width + starts[i]!),
      shape: [height, width],
    };
  });
}

/** Writes the part's tokens at their places: neighboring rows at once, with 0 in the gaps between them. */
async function put(spool: Spool, part: Part, batch: RecordBatch, values: ArrayLike<number>): Promise<void> {
  const { rows, starts, shape } = part;
  const [height = 0, width = 0] = shape;
  const measureLength = (at: number): number => batch.offsets[rows[at]! + 1]! - batch.offsets[rows[at]!]!;
  let first = 0;
  for (let at = 1; at <= rows.length; at++) {
    const gap = at < rows.length ? starts[at]! - (starts[at - 1]! + measureLength(at - 1)) : Number.NaN;
    // Padding of one row, or a prompt: anything longer may belong to a row of another batch.
    if (gap >= 0 && (shape.length === 1 || starts[at]! - starts[at - 1]! === width)) continue;
    const from = starts[first]!;
    const size = starts[at - 1]! + measureLength(at - 1) - from;
    const buffer = spool.dtype === "float32" ? new Float32Array(size) : new Uint8Array(size);
    for (let row = first; row < at; row++) {
      const [source, target] = [batch.offsets[rows[row]!]!, starts[row]! - from];
      for (let t = 0; t < measureLength(row); t++) buffer[target + t] = values[source + t]!;
    }
    const bytes = new Uint8Array(buffer.buffer);
    await writeAll(spool.file, bytes, from * buffer.BYTES_PER_ELEMENT);
    first = at;
  }
  spool.shape = [Math.max(spool.shape[0] ?? 0, height), ...shape.slice(1)];
}

function offsetsArray(offsets: readonly number[]): WrittenArray {
  return {
    name: "offsets",
    dtype: "int32",
    shape: [offsets.length],
    async *pieces() {
      yield new Uint8Array(Int32Array.from(offsets).buffer);
    },
  };
}
