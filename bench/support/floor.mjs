// node floor.mjs KIND FILE…: the least that a report must do with the bytes; one thread, 1 MiB at a time if possible.
// KIND is
//   checksum  reading and CRC-32
//   inflate   reading, inflating the members of a zip archive, and CRC-32 of what comes out
//   gunzip, unzstd  reading and decompressing (gzip has its own CRC-32)
//   parse     reading and JSON.parse of each line
//   duckdb    DuckDB decoding every column and keeping nothing
import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import * as zlib from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { Decompress } from "fzstd";
import { columnScan } from "./column-scan.mjs";

const CHUNK = 1 << 20;

function checksum(path) {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const file = openSync(path);
  let crc = 0;
  for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
    crc = zlib.crc32(buffer.subarray(0, length), crc);
  closeSync(file);
  return crc;
}

/** Local headers follow each other and give the lengths of their members, as `zip` in containers.mjs writes them. */
function inflate(path) {
  const bytes = readFileSync(path);
  const crcs = [];
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const start = at + 30 + bytes.readUInt16LE(at + 26);
    at = start + bytes.readUInt32LE(at + 18);
    crcs.push(zlib.crc32(zlib.inflateRawSync(bytes.subarray(start, at))));
  }
  return crcs;
}

async function drain(stream) {
  let length = 0;
  for await (const chunk of stream) length += chunk.length;
  return length;
}

const gunzip = (path) => drain(createReadStream(path, { highWaterMark: CHUNK }).pipe(zlib.createGunzip()));

async function unzstd(path) {
  if (zlib.createZstdDecompress !== undefined)
    return drain(createReadStream(path, { highWaterMark: CHUNK }).pipe(zlib.createZstdDecompress()));
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
  });
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) stream.push(chunk);
  return length;
}

async function parse(path) {
  let rest = Buffer.alloc(0);
  let last;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      last = JSON.parse(bytes.toString("latin1", start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  return last;
}

async function duckdb(path) {
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  return connection.runAndReadAll(await columnScan(path, connection));
}

const [kind, ...paths] = process.argv.slice(2);
const floors = { checksum, inflate, gunzip, unzstd, parse, duckdb };
for (const path of paths) await floors[kind](path);
