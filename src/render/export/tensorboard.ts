/**
 * TensorBoard's event files: TFRecord frames (tensorflow/core/lib/io/record_writer.h), each an `Event` of
 * tensorboard/compat/proto/event.proto in protocol buffers' wire format.
 *
 * @module
 */
import { crc32c, joinBytes, lengthDelimited, varintBytes, varintField } from "../../core/base/index.ts";
import type { StepScalars } from "./scalars.ts";

/** The writer named in a file's first event. */
const EVENT_WRITER = "logratio";

const FILE_VERSION = "brain.Event:2";
const HEADER = 12;
const FOOTER = 4;
const MASK_DELTA = 0xa282ead8;

/**
 * The bytes of an event file.
 *
 * @param wallTime the time given to all events, in seconds since 1970; when a step was trained is unknown
 * @returns the bytes; values are float32, as TensorBoard's scalars are
 */
export function renderEvents(steps: readonly StepScalars[], wallTime: number): Uint8Array {
  const time = double(1, wallTime);
  const events = [
    // event.proto: file_version 3, source_metadata 10 with the writer 1.
    joinBytes([
      time,
      lengthDelimited(3, FILE_VERSION),
      lengthDelimited(10, lengthDelimited(1, EVENT_WRITER)),
    ]),
    // step 2, summary 5; summary.proto: value 1 with tag 1 and simple_value 2.
    ...steps.map(({ step, values }) => {
      const summary = joinBytes(
        values.map(([name, value]) =>
          lengthDelimited(1, joinBytes([lengthDelimited(1, name), float(2, value)])),
        ),
      );
      return joinBytes([time, varintField(2, step), lengthDelimited(5, summary)]);
    }),
  ];
  return joinBytes(events.map(frame));
}

/** Length, its checksum, the data, their checksum; all little-endian. */
function frame(data: Uint8Array): Uint8Array {
  const framed = new Uint8Array(HEADER + data.length + FOOTER);
  const view = new DataView(framed.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, mask(crc32c(framed.subarray(0, 8))), true);
  framed.set(data, HEADER);
  view.setUint32(HEADER + data.length, mask(crc32c(data)), true);
  return framed;
}

/** A checksum in TFRecord's form: rotated right by 15 bits, plus a constant. */
function mask(checksum: number): number {
  return (((checksum >>> 15) | (checksum << 17)) + MASK_DELTA) >>> 0;
}

function double(field: number, value: number): Uint8Array {
  const data = new Uint8Array(8);
  new DataView(data.buffer).setFloat64(0, value, true);
  return joinBytes([varintBytes((field << 3) | 1), data]);
}

function float(field: number, value: number): Uint8Array {
  const data = new Uint8Array(4);
  new DataView(data.buffer).setFloat32(0, value, true);
  return joinBytes([varintBytes((field << 3) | 5), data]);
}
