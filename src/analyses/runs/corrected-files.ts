/**
 * The weights and masks of a correction as files.
 *
 * @module
 */
import { statSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { UsageError } from "../../core/base/index.ts";
import type { LayoutColumn, RecordBatch } from "../../core/schema/index.ts";
import { walk } from "../../ingest/index.ts";
import type { Outputs } from "../../ingest/outputs/index.ts";
import {
  type ArrayFormat,
  createCorrectedArrays,
  MASK_NAME,
  WEIGHTS_NAME,
  writeRecord,
} from "../../ingest/writing/index.ts";
import { isPresent } from "../../input/io/index.ts";
import type { CorrectedColumns } from "../correct/correct-run.ts";

/** Where weights and masks are written: flags of `logratio correct`, under the same names. */
export interface CorrectedFileOptions {
  /** A `.parquet`, `.npz` or `.safetensors` file, or a directory. */
  readonly out?: string;
  /** In a directory: `npz` (default), `safetensors`, `parquet`. */
  readonly format?: string;
  /** Whether `out` may be something that logratio did not write. */
  readonly force?: boolean;
}

/** Where weights and masks go. */
export type CorrectTarget =
  | { readonly format: "parquet"; readonly path: string; readonly folder?: string }
  | { readonly format: ArrayFormat; readonly pathOf: (file: string) => string; readonly folder?: string };

/** A `.parquet` file, or arrays: one file for a single input, a directory for several. */
export function chooseTarget(
  out: string,
  format: string | undefined,
  paths: readonly string[],
): CorrectTarget {
  const extension = parse(out).ext.slice(1);
  if (format !== undefined && !["parquet", "npz", "safetensors"].includes(format))
    throw new UsageError(`--format must be parquet, npz or safetensors, not "${format}"`);
  const known = extension === "npz" || extension === "safetensors" || extension === "parquet";
  if (known && format !== undefined && format !== extension)
    throw new UsageError(`--out ${out} and --format ${format} contradict each other`);
  if (extension === "parquet") return { format: "parquet", path: out };
  if (known) {
    const single =
      paths.length === 1 && paths[0] !== "-" && isPresent(paths[0]!) && statSync(paths[0]!).isFile();
    if (!single && paths[0] !== "-") {
      throw new UsageError(`--out ${out} is one file, but arrays are written per input file`, {
        hint: `give a directory: --out ${parse(out).name}/ --format ${extension}, or one .parquet file for all`,
      });
    }
    return { format: extension as ArrayFormat, pathOf: () => out };
  }
  const chosen = (format ?? "npz") as CorrectTarget["format"];
  if (chosen === "parquet") return { format: chosen, path: join(out, "corrected.parquet"), folder: out };
  const taken = new Map<string, string>();
  return {
    format: chosen,
    folder: out,
    pathOf: (file) => {
      const name = parse(basename(file)).name || "stdin";
      let path = join(out, `${name}.${chosen}`);
      for (let n = 1; (taken.get(path) ?? file) !== file; n++) path = join(out, `${name}-${n}.${chosen}`);
      taken.set(path, file);
      return path;
    },
  };
}

/** Checks every file that the inputs require, before any of them is read. */
export async function checkTarget(
  outputs: Outputs,
  target: CorrectTarget,
  paths: readonly string[],
): Promise<void> {
  if (target.folder !== undefined) await outputs.folder("--out", target.folder);
  if (target.format === "parquet") return outputs.file("--out", target.path, "corrected record");
  for (const { path } of (await walk(paths)).files)
    await outputs.file("--out", target.pathOf(path), "corrected arrays");
}

/** Thrown into a writer, so that a file that is left incomplete is not given its name. */
class Stopped extends Error {}

async function* orStopped(
  batches: AsyncIterable<RecordBatch>,
  isStopped: () => boolean,
): AsyncGenerator<RecordBatch> {
  yield* batches;
  if (isStopped()) throw new Stopped();
}

/** What is to be written. */
export interface Corrected {
  readonly batches: AsyncIterable<RecordBatch>;
  readonly columnsOf: (batch: RecordBatch) => CorrectedColumns;
  /** Whether the batches ended before the run. */
  readonly isStopped: () => boolean;
}

/** Writes the complete results; returns the files. */
export async function writeCorrected(
  target: CorrectTarget,
  { batches, columnsOf, isStopped }: Corrected,
  outputs: Outputs,
): Promise<readonly string[]> {
  const whole = orStopped(batches, isStopped);
  const unlessStopped = (error: unknown): readonly string[] => {
    if (error instanceof Stopped) return [];
    throw error;
  };
  if (target.format === "parquet") {
    const more = (batch: RecordBatch): LayoutColumn[] => listColumns(batch, columnsOf(batch));
    const beforePart = (file: string): Promise<void> => outputs.file("--out", file, "corrected record");
    return writeRecord(target.path, whole, { more, writer: "correct", beforePart }).catch(unlessStopped);
  }
  const arrays = createCorrectedArrays(target.pathOf, target.format);
  try {
    for await (const batch of whole) await arrays.add(batch, columnsOf(batch));
    await arrays.finish();
  } catch (error) {
    unlessStopped(error);
  } finally {
    await arrays.discard();
  }
  return arrays.files;
}

function listColumns({ offsets }: RecordBatch, { weights, mask }: CorrectedColumns): LayoutColumn[] {
  const list = (name: string, values: Float32Array | Uint8Array): LayoutColumn => ({
    kind: "list",
    name,
    values,
    offsets,
    inner: undefined,
  });
  return [...(weights ? [list(WEIGHTS_NAME, Float32Array.from(weights))] : []), list(MASK_NAME, mask)];
}
