// Writes one seeded batch in each container, so that readers are compared on the same data.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { uniforms } from "./token-data.mjs";

/** A padded verl batch: `rows` sequences of up to `width` response tokens, seeded. */
export function seededBatch(rows, width, seed = 1) {
  const uniform = uniforms(seed);
  const size = rows * width;
  const batch = {
    responses: new Int32Array(size),
    response_mask: new Int32Array(size),
    rollout_log_probs: new Float32Array(size),
    old_log_probs: new Float32Array(size),
  };
  for (let row = 0; row < rows; row++) {
    const length = Math.floor(width * (0.6 + 0.4 * uniform()));
    for (let t = 0; t < length; t++) {
      const at = row * width + t;
      batch.responses[at] = 1 + Math.floor(uniform() * 150_000);
      // Tool output: a fifth of the tokens, in runs; never at the end, where it could not be told from padding.
      batch.response_mask[at] = Math.floor(t / 100) % 5 === 4 && t < length - 1 ? 0 : 1;
      batch.rollout_log_probs[at] = Math.log(uniform());
      batch.old_log_probs[at] = batch.rollout_log_probs[at] + 0.02 * (uniform() - 0.5);
    }
  }
  return {
    rows,
    width,
    step: 1,
    lengthOf: (row) => lastOne(batch.responses, row * width, width),
    columns: batch,
  };
}

function lastOne(ids, start, width) {
  let length = width;
  while (length > 0 && ids[start + length - 1] === 0) length--;
  return length;
}

export const viewBytes = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const isFloat = (array) => array instanceof Float32Array;

function nameType(array, [float, int, long]) {
  if (isFloat(array)) return float;
  return array instanceof BigInt64Array ? long : int;
}

export function npy(array, shape) {
  const text = `{'descr': '${nameType(array, ["<f4", "<i4", "<i8"])}', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const padded = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length);
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    length,
    Buffer.from(padded),
    viewBytes(array),
  ]);
}

/** An archive, and where the data of its members are in it. */
export function zip(members, deflate) {
  const parts = [];
  const directory = [];
  const spans = [];
  let offset = 0;
  for (const [name, bytes] of members) {
    const data = deflate ? deflateRawSync(bytes, { level: 6 }) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(deflate ? 8 : 0, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04"), fields, Buffer.from(name), data);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, where, Buffer.from(name));
    const start = offset + 30 + name.length;
    offset = start + data.length;
    spans.push({ start, end: offset });
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return { bytes: Buffer.concat([...parts, entries, end]), spans };
}

export function safetensors({ columns, rows, width }) {
  const tensors = Object.entries(columns).map(([name, array]) => ({
    name,
    dtype: nameType(array, ["F32", "I32", "I64"]),
    shape: [rows, width],
    byteLength: array.byteLength,
  }));
  return Buffer.concat([safetensorsHead(tensors), ...Object.values(columns).map(viewBytes)]);
}

/** The header for tensors whose data follow one another. */
export function safetensorsHead(tensors) {
  let offset = 0;
  const header = {};
  for (const { name, dtype, shape, byteLength } of tensors) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + byteLength] };
    offset += byteLength;
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, padded]);
}

export function jsonl({ columns, rows, width, step, lengthOf }) {
  const lines = [];
  for (let row = 0; row < rows; row++) {
    const [start, end] = [row * width, row * width + lengthOf(row)];
    const part = (name) => [...columns[name].subarray(start, end)];
    lines.push(
      JSON.stringify({
        step,
        response_ids: part("responses"),
        response_mask: part("response_mask"),
        rollout_log_probs: part("rollout_log_probs"),
        old_log_probs: part("old_log_probs"),
      }),
    );
  }
  return Buffer.from(`${lines.join("\n")}\n`);
}

/**
 * Writes the batch in every container that needs no other program.
 *
 * @returns per file `label`, `path`, `compression` (`none`, `gzip`, or `members` with their `spans` in the archive)
 */
export function writeContainers(batch, directory) {
  const members = Object.entries(batch.columns).map(([name, array]) => [
    `${name}.npy`,
    npy(array, [batch.rows, batch.width]),
  ]);
  const text = jsonl(batch);
  const stored = zip(members, false);
  const deflated = zip(members, true);
  const files = [
    { label: "npz", name: "stored.npz", bytes: stored.bytes, compression: "none" },
    {
      label: "npz, deflated",
      name: "deflated.npz",
      bytes: deflated.bytes,
      compression: "members",
      spans: deflated.spans,
    },
    { label: "safetensors", name: "batch.safetensors", bytes: safetensors(batch), compression: "none" },
    { label: "JSONL", name: "batch.jsonl", bytes: text, compression: "none" },
    { label: "JSONL, gzip", name: "batch.jsonl.gz", bytes: gzipSync(text), compression: "gzip" },
  ];
  return files.map(({ name, bytes, ...file }) => {
    const path = join(directory, name);
    writeFileSync(path, bytes);
    return { ...file, path };
  });
}

/** Lets PyTorch save the batch. */
export function writeTorch(batch, directory, python) {
  const names = Object.entries(batch.columns).map(([name, array]) => {
    const file = `${name}.${isFloat(array) ? "f32" : "i32"}`;
    writeFileSync(join(directory, file), viewBytes(array));
    return file;
  });
  const script = fileURLToPath(new URL("../torch_save.py", import.meta.url));
  const path = join(directory, "batch.pt");
  const { status, stderr } = spawnSync(python, [script, directory, path, String(batch.width), ...names], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`torch_save.py failed: ${stderr.trim()}`);
  return { label: "torch", path, compression: "none" };
}
