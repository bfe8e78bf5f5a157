/**
 * Checks that a body is a batch that sealing can merge and read: at the door, so that the recorder learns of a refusal at
 * once, and again before merging, where a column of the wrong length would shift the columns of other batches.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";
import { readVersion, VERSION_KEY } from "../../../core/schema/index.ts";
import { checkPackedRecord } from "../../../input/adapters/record/index.ts";
import type { BatchKey } from "../../../input/batch-log/index.ts";
import { type ByteSource, isTensor } from "../../../input/io/index.ts";
import { openSafetensors } from "../../../input/readers/index.ts";
import { isOffsets } from "./packed-batch.ts";

type Document = Awaited<ReturnType<typeof openSafetensors>>;

const SEND = "send the files that logratio.Recorder writes";
/** Repeated for every sequence. */
const MOST_RECORDER = 64;
/** As merging reads them. */
const OFFSET_TYPES = ["int64", "int32"];

/** @throws LogratioError where it is not a packed record, is one of another step or rank, or cannot be read */
export async function checkPackedBatch(source: ByteSource, key: BatchKey): Promise<void> {
  const document = await openSafetensors(source);
  for (const [name, value] of Object.entries(document.root)) {
    if (!isOffsets(name) || !isTensor(value)) continue;
    if (value.shape.length !== 1 || !OFFSET_TYPES.includes(value.dtype))
      throw new SchemaError(
        `${name} is ${value.dtype} [${value.shape.join(", ")}], expected int64 [sequences + 1]`,
        {
          hint: SEND,
        },
      );
  }
  await checkPackedRecord(document);
  if (document.metadata[VERSION_KEY] === undefined)
    throw new SchemaError(`there is no ${VERSION_KEY} in the metadata`, {
      hint: `${SEND}, or add it: {"${VERSION_KEY}": "1", "step": "3", "rank": "0"}`,
    });
  readVersion(document.metadata, source.name);
  const { recorder = "" } = document.metadata;
  if (recorder.length > MOST_RECORDER)
    throw new SchemaError(
      `recorder in the metadata has ${recorder.length} characters, expected at most ${MOST_RECORDER}`,
      { hint: SEND },
    );
  await checkKey(document, key);
}

/** The address and the batch must name one step and rank. */
async function checkKey({ root, metadata }: Document, key: BatchKey): Promise<void> {
  for (const part of ["step", "rank"] as const) {
    const column = root[part];
    const values = isTensor(column) ? await column.readRows(0, column.shape[0] ?? 0) : [];
    const inside = metadata[part];
    const other =
      inside !== undefined && Number(inside) !== key[part]
        ? inside
        : values.find((value) => value !== key[part]);
    if (other !== undefined)
      throw new SchemaError(`the batch says ${part} ${other}, the request ${part} ${key[part]}`);
  }
}
