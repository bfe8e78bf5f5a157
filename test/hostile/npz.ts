/**
 * NumPy arrays and archives that declare much in few bytes, or state one thing twice in different ways.
 *
 * @module
 */
import { deflateRawSync, gzipSync } from "node:zlib";
import { writeZip } from "../../src/input/io/zip-writer.test-data.ts";
import type { HostileFile } from "./hostile-file.ts";
import { gzipPieces } from "./json.ts";

function npyHeader(descr: string, shape: readonly number[]): Buffer {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  const padded = `${text.padEnd(64 * Math.ceil((text.length + 11) / 64) - 11)}\n`;
  const head = Buffer.from("\x93NUMPY\x01\x00\0\0", "latin1");
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(padded)]);
}

/** An array of zeros. */
export function npy(descr: string, shape: readonly number[]): Buffer {
  const width = Number(/\d+$/.exec(descr)![0]) * (descr.includes("U") ? 4 : 1);
  const bytes = shape.reduce((a, b) => a * b, width);
  return Buffer.concat([npyHeader(descr, shape), Buffer.alloc(bytes)]);
}

function pair(shape: readonly number[]): Uint8Array {
  const member = (name: string) => ({ name: `${name}.npy`, bytes: npy("<f4", shape), deflate: true });
  return writeZip([member("rollout_log_probs"), member("old_log_probs")]);
}

const SMALL = npy("<f4", [2, 3]);
const SOUND = [
  { name: "rollout_log_probs.npy", bytes: SMALL },
  { name: "old_log_probs.npy", bytes: SMALL },
] as const;

/** A valid archive with some bytes of the second member's own header changed. */
function changedHeader(at: number, value: number): () => Uint8Array {
  return () => {
    const bytes = Buffer.from(writeZip(SOUND));
    bytes[bytes.indexOf("PK\x03\x04", 4, "latin1") + at] = value;
    return bytes;
  };
}

export const HOSTILE_NPZ: readonly HostileFile[] = [
  {
    name: "zeros.npy.gz",
    make: () =>
      gzipPieces(
        (function* () {
          yield npyHeader("<f4", [32, 1_048_576]);
          const zeros = Buffer.alloc(2 ** 20);
          for (let i = 0; i < 128; i++) yield zeros;
        })(),
      ),
    expect: { exit: 3, says: /takes more than the limit of 64 MiB decoded/ },
  },
  {
    name: "rows.npz",
    make: () => pair([2_200_000, 1]),
    expect: { exit: 3, says: /have 2200000 rows; at most/ },
  },
  {
    name: "columns.npz",
    make: () => pair([1, 3_000_000]),
    expect: { exit: 3, says: /the limit is 64 MiB/ },
  },
  {
    name: "empty-rows.npz",
    make: () => pair([1_000_000_000, 0]),
    expect: { exit: 3, says: /have 1000000000 rows; at most/ },
  },
  { name: "no-rows.npz", make: () => pair([0, 1_000_000_000]), expect: { exit: 3, says: /no sequences/ } },
  {
    name: "members.npz",
    make: () => writeZip(Array.from({ length: 5_000 }, (_, i) => ({ name: `a${i}.npy`, bytes: SMALL }))),
    expect: { exit: 3, says: /no (rollout and trainer )?log-probs|members/ },
  },
  {
    name: "beside-arrays.npz",
    make: () => {
      const zeros = Buffer.alloc(2 ** 23);
      const names = Array.from({ length: 20 }, (_, i) => `note${i}.txt`);
      return writeZip([...SOUND, ...names.map((name) => ({ name, bytes: zeros, deflate: true }))]);
    },
    expect: { exit: 3, says: /besides arrays would take .* the limit is 64 MiB/s },
  },
  {
    name: "no-width.npz",
    make: () => writeZip([...SOUND, { name: "uid.npy", bytes: npyHeader("<U0", [2 ** 40]) }]),
    expect: { exit: 0, says: /^/ },
  },
  {
    name: "another-name.npz",
    make: changedHeader(30, 0x6e),
    expect: { exit: 3, says: /contradicts the archive's directory: the name is "nld_log_probs.npy"/ },
  },
  {
    name: "another-method.npz",
    make: changedHeader(8, 8),
    expect: { exit: 3, says: /contradicts the archive's directory: the compression method is 8/ },
  },
  {
    name: "another-size.npz",
    make: changedHeader(22, 1),
    expect: { exit: 3, says: /contradicts the archive's directory: the size is 1 in/ },
  },
  {
    name: "encrypted.npz",
    make: changedHeader(6, 1),
    expect: { exit: 3, says: /contradicts the archive's directory: the encryption flag/ },
  },
  {
    name: "cut-off.npz.gz",
    make: () => gzipSync(writeZip(SOUND)).subarray(0, -20),
    expect: { exit: 3, says: /gzip data is cut off/ },
  },
  {
    name: "overlapping.npz",
    make: () => {
      const bytes = Buffer.from(writeZip(SOUND));
      // The second entry of the directory points at the first member.
      const entry = bytes.lastIndexOf("PK\x01\x02", undefined, "latin1");
      bytes.writeUInt32LE(0, entry + 42);
      return bytes;
    },
    expect: { exit: 3, says: /zip members overlap/ },
  },
  {
    name: "more-than-declared.npz",
    make: () => {
      const bytes = Buffer.from(writeZip([{ name: "a.npy", bytes: SMALL, deflate: true }]));
      const long = deflateRawSync(Buffer.alloc(1_000_000));
      long.copy(bytes, 35, 0, 20);
      return bytes;
    },
    expect: { exit: 3, says: /inflate/ },
  },
];
