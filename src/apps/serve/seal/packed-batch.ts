/**
 * A batch's columns as raw bytes: the packed record in safetensors (docs/formats/record.md, "Packed").
 *
 * @module
 */
import type { FrameHead } from "../../../input/batch-log/index.ts";

export interface PackedColumn {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Buffer;
}

export interface PackedBatch {
  readonly head: FrameHead;
  /** The body as received. */
  readonly body: Buffer;
  readonly columns: ReadonlyMap<string, PackedColumn>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly sequences: number;
}

const LENGTH_BYTES = 8;
const RESPONSE_OFFSETS = "response_offsets";

/** Whether a column holds where each sequence begins in another one. */
export function isOffsets(name: string): boolean {
  return (
    name === RESPONSE_OFFSETS ||
    name === "prompt_offsets" ||
    name === "trainer_prompt_offsets" ||
    name.endsWith(".offsets")
  );
}

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] };

/** Splits a body whose header was checked on receipt. @throws SyntaxError, TypeError or RangeError otherwise */
export function splitBatch(head: FrameHead, body: Buffer): PackedBatch {
  const dataStart = LENGTH_BYTES + Number(body.readBigUInt64LE());
  const header = JSON.parse(body.toString("utf8", LENGTH_BYTES, dataStart)) as Record<string, unknown>;
  const { __metadata__: metadata = {}, ...entries } = header;
  const columns = new Map<string, PackedColumn>();
  for (const [name, entry] of Object.entries(entries) as [string, Entry][]) {
    const [start, end] = entry.data_offsets;
    columns.set(name, {
      dtype: entry.dtype,
      shape: entry.shape,
      bytes: body.subarray(dataStart + start, dataStart + end),
    });
  }
  const offsets = columns.get(RESPONSE_OFFSETS)?.shape[0];
  if (offsets === undefined || offsets < 1) throw new TypeError(`there is no ${RESPONSE_OFFSETS}`);
  return { head, body, columns, metadata: metadata as Record<string, string>, sequences: offsets - 1 };
}
