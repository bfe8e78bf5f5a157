/**
 * TensorBoard's event files: TFRecord frames with a masked CRC-32C, each an `Event` of protocol buffers. Scalars are
 * read (`simple_value`, and tensors of one element); images, histograms and texts are skipped.
 *
 * @module
 */

import { crc32c, unmaskChecksum } from "../../core/base/index.ts";
import type { PlainStream } from "../../input/io/index.ts";
import { cutOff, Frames, type LogDamage } from "./frames.ts";
import { fields } from "./wire.ts";

const HEADER = 12;
const FOOTER = 4;
/** A scalar takes about a hundred bytes; larger records are images and histograms, and are skipped unread. */
const MAX_RECORD_BYTES = 1 << 20;

export interface Scalar {
  readonly step: number;
  readonly tag: string;
  readonly value: number;
}

/** Whether bytes begin with a frame: its length and the length's checksum. */
export function isTfRecord(head: Uint8Array): boolean {
  if (head.length < HEADER) return false;
  const view = new DataView(head.buffer, head.byteOffset, HEADER);
  return (
    view.getUint32(4, true) < 2 ** 16 &&
    unmaskChecksum(view.getUint32(8, true)) === crc32c(head.subarray(0, 8))
  );
}

/** The scalars of a stream; damage is reported, and records before and after it are kept. */
export async function* readScalars(
  { bytes }: Pick<PlainStream, "bytes">,
  onDamage: (damage: LogDamage) => void,
): AsyncGenerator<Scalar> {
  const frames = new Frames(bytes);
  for (;;) {
    const { offset } = frames;
    const header = await frames.take(HEADER);
    if (header === undefined) {
      if (frames.left > 0) onDamage(cutOff(offset));
      return;
    }
    const view = new DataView(header.buffer, header.byteOffset, HEADER);
    if (unmaskChecksum(view.getUint32(8, true)) !== crc32c(header.subarray(0, 8))) {
      onDamage({
        offset,
        message: "a record's length has a wrong checksum",
        likely: "the file is damaged from here on",
        ends: true,
      });
      return;
    }
    const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
    if (length > MAX_RECORD_BYTES) {
      if (!(await frames.skip(length + FOOTER))) {
        onDamage(cutOff(offset));
        return;
      }
      continue;
    }
    const record = await frames.take(length + FOOTER);
    if (record === undefined) {
      onDamage(cutOff(offset));
      return;
    }
    const data = record.subarray(0, length);
    const checksum = new DataView(record.buffer, record.byteOffset + length, FOOTER).getUint32(0, true);
    const scalars = unmaskChecksum(checksum) === crc32c(data) ? parseEvent(data) : undefined;
    if (scalars === undefined) {
      onDamage({
        offset,
        message: "a record has a wrong checksum or is not an event",
        likely: "the file was damaged",
        ends: false,
      });
      continue;
    }
    yield* scalars;
  }
}

/** `Event` of tensorboard/compat/proto/event.proto: step 2, summary 5. Undefined where the bytes are not one. */
function parseEvent(data: Uint8Array): Scalar[] | undefined {
  let step = 0;
  const summaries: Uint8Array[] = [];
  for (const field of fields(data) ?? [undefined]) {
    if (field === undefined) return undefined;
    if (field.number === 2 && field.wire === 0) step = Number(BigInt.asIntN(64, field.varint));
    if (field.number === 5 && field.wire === 2) summaries.push(field.bytes);
  }
  return summaries.flatMap((summary) =>
    (fields(summary) ?? []).flatMap(({ number, wire, bytes }) => {
      const value = number === 1 && wire === 2 ? parseValue(bytes) : undefined;
      return value === undefined ? [] : [{ step, ...value }];
    }),
  );
}

/** `Summary.Value` of summary.proto: tag 1, simple_value 2, tensor 8. */
function parseValue(data: Uint8Array): { tag: string; value: number } | undefined {
  let tag = "";
  let value: number | undefined;
  for (const { number, wire, bytes } of fields(data) ?? []) {
    if (number === 1 && wire === 2) tag = Buffer.from(bytes).toString("utf8");
    if (number === 2 && wire === 5) value = toView(bytes).getFloat32(0, true);
    if (number === 8 && wire === 2) value = parseTensor(bytes);
  }
  return value === undefined || tag === "" ? undefined : { tag, value };
}

/** Scalar types of types.proto, and their size in bytes. */
const TYPES: Readonly<Record<number, readonly [bytes: number, read: (view: DataView) => number]>> = {
  1: [4, (view) => view.getFloat32(0, true)],
  2: [8, (view) => view.getFloat64(0, true)],
  3: [4, (view) => view.getInt32(0, true)],
  9: [8, (view) => Number(view.getBigInt64(0, true))],
};

/** `TensorProto`: dtype 1, tensor_content 4, float_val 5, double_val 6, int_val 7, int64_val 10. */
function parseTensor(data: Uint8Array): number | undefined {
  let type = 0;
  let content: Uint8Array | undefined;
  let written: number | undefined;
  for (const { number, wire, varint, bytes } of fields(data) ?? []) {
    if (number === 1 && wire === 0) type = Number(varint);
    if (number === 4 && wire === 2) content = bytes;
    if (number === 5 && bytes.length === 4) written = toView(bytes).getFloat32(0, true);
    if (number === 6 && bytes.length === 8) written = toView(bytes).getFloat64(0, true);
    if ((number === 7 || number === 10) && wire === 0) written = Number(BigInt.asIntN(64, varint));
  }
  const [size, read] = TYPES[type] ?? [];
  if (read === undefined) return undefined;
  return content?.length === size && content !== undefined ? read(toView(content)) : written;
}

function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
