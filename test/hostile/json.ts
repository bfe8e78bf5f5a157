/**
 * JSON that decodes to more than its size suggests.
 *
 * @module
 */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import type { HostileFile } from "./hostile-file.ts";

/** One good row. */
export const GOOD_ROW = '{"rollout_log_probs":[-1,-2],"old_log_probs":[-1.1,-2]}\n';

/** Compresses pieces of text as they come: a gigabyte never exists in one piece. */
export function gzipPieces(pieces: Iterable<Uint8Array | string>): Promise<Buffer> {
  return buffer(Readable.from(pieces, { objectMode: true }).pipe(createGzip({ level: 1 })));
}

function* repeated(
  before: string,
  text: string,
  times: number,
  after: string,
): Generator<Uint8Array | string> {
  const block = Buffer.from(text.repeat(Math.ceil(2 ** 20 / text.length)));
  yield before;
  for (let done = 0; done < times; done += 2 ** 20 / text.length) yield block;
  yield after;
}

function many(text: string, times: number, before: string, after: string): () => Uint8Array {
  return () => Buffer.from(before + text.repeat(times) + after);
}

const LIMIT = /at most|the limit/;
const ONE_ROW = /1 row cannot be read.*the limit/s;

export const HOSTILE_JSON: readonly HostileFile[] = [
  {
    name: "one-line-of-numbers.jsonl.gz",
    make: () => gzipPieces(repeated('{"rollout_log_probs":[', "-1,", 2 ** 24, "-1]}\n")),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "a-huge-row-among-good-ones.jsonl.gz",
    make: () =>
      gzipPieces(repeated(`${GOOD_ROW}{"rollout_log_probs":[`, "-1,", 2 ** 24, `-1]}\n${GOOD_ROW}`)),
    expect: { exit: 4, says: ONE_ROW },
  },
  {
    name: "a-line-that-does-not-end.jsonl.gz",
    make: () => gzipPieces(repeated(`${GOOD_ROW}{"x":"`, "x", 2 ** 26, "")),
    expect: { exit: 4, says: ONE_ROW },
  },
  {
    name: "numbers.json.gz",
    make: () => gzipPieces(repeated('{"rollout_log_probs":[[', "1,", 10_000_000, "1]]}")),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "lists.json",
    make: many("[[]],", 500_000, '{"rollout_log_probs":[[-1]],"old_log_probs":[[-1]],"x":[', "[]]}"),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "objects.json",
    make: many("{},", 800_000, '{"rollout_log_probs":[[-1]],"old_log_probs":[[-1]],"x":[', "1]}"),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "a-string.json.gz",
    make: () => gzipPieces(repeated('{"rollout_log_probs":"', "x", 2 ** 26, '"}')),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "empty-lists.json.gz",
    make: () =>
      gzipPieces(
        repeated('{"rollout_log_probs":[[-1]],"old_log_probs":[[-1]],"x":[', "[],", 5_000_000, "1]}"),
      ),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "a-gigabyte-of-numbers.json.gz",
    long: true,
    memory: 1024,
    make: () => gzipPieces(repeated('{"rollout_log_probs":[[', "1,", 300_000_000, "1]]}")),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "a-gigabyte-of-lists.json",
    long: true,
    memory: 1024,
    make: many("[[]],", 8_000_000, '{"rollout_log_probs":[[-1]],"old_log_probs":[[-1]],"x":[', "[]]}"),
    expect: { exit: 3, says: LIMIT },
  },
  {
    name: "names.json",
    memory: 1024,
    make: () => Buffer.from(`{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join()}}`),
    expect: { exit: 3, says: /more than 262144 names/ },
  },
  {
    name: "deep.json",
    make: () => Buffer.from(`{"x":${"[".repeat(400_000)}${"]".repeat(400_000)}}`),
    expect: { exit: 3, says: /nested more than 256 deep/ },
  },
  {
    name: "zeros-behind-the-rows.jsonl",
    make: () => Buffer.concat([Buffer.from(GOOD_ROW.repeat(3)), Buffer.alloc(5_000_000)]),
    expect: {
      exit: 4,
      says: /1 row cannot be read.*is\s+cut\s+off:\s+[\d,]+\s+zero\s+bytes\s+in\s+place\s+of\s+the\s+rest/s,
    },
  },
  {
    name: "cut-off.jsonl.gz",
    make: async () => (await gzipPieces([GOOD_ROW.repeat(20_000)])).subarray(0, -100),
    expect: {
      exit: 4,
      says: /cannot\s+be\s+read\s+to\s+the\s+end;\s+the\s+\d+\s+sequences\s+before\s+that\s+are\s+kept:\s+gzip\s+data\s+is\s+cut\s+off/,
    },
  },
];
