/**
 * Valid containers around changed contents: lengths, offsets and checksums are right, so that the faults get as far as
 * they can.
 *
 * @module
 */
import { gzipSync, inflateRawSync } from "node:zlib";
import { writeZip, type ZipFixtureMember } from "../../src/input/io/zip-writer.test-data.ts";
import {
  readThriftFrom,
  type ThriftStruct,
  type ThriftValue,
  writeThrift,
} from "../../src/input/readers/parquet/thrift.ts";
import { mutate, print, toNode } from "./json.ts";
import { mutatePickle } from "./pickle.ts";
import { damage, NAMES, NUMBERS, type Random } from "./random.ts";

interface Member {
  name: string;
  bytes: Uint8Array;
}

/** Members of a valid archive. */
function listMembers(archive: Buffer): Member[] {
  const members: Member[] = [];
  const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = archive.readUInt32LE(end + 16);
  for (let i = archive.readUInt16LE(end + 10); i > 0; i--) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const data = archive.subarray(start, start + size);
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    members.push({ name, bytes: method === 8 ? inflateRawSync(data) : Buffer.from(data) });
    at += 46 + nameLength + extraLength + archive.readUInt16LE(at + 32);
  }
  return members;
}

export function mutateZip(random: Random, archive: Uint8Array): Uint8Array {
  const members = listMembers(Buffer.from(archive));
  for (let i = 1 + random.below(3); i > 0; i--) {
    const at = random.below(members.length);
    const member = members[at]!;
    const kind = random.below(10);
    if (kind === 0) members.splice(at, 1);
    else if (kind === 1)
      members.push({ ...member, name: random.chance(0.5) ? member.name : `${random.pick(NAMES)}.npy` });
    else if (kind === 2)
      member.name = random.pick([`${random.pick(NAMES)}.npy`, "archive/data.pkl", "../x.npy", "\0"]);
    else if (kind === 3) member.bytes = damage(random, member.bytes);
    else if (member.name.endsWith(".npy")) member.bytes = mutateNpy(random, member.bytes);
    else {
      const pickled = members.find(({ name }) => name.endsWith("data.pkl")) ?? member;
      pickled.bytes = mutatePickle(random, pickled.bytes);
    }
    if (members.length === 0) break;
  }
  return writeZip(
    members.map((member): ZipFixtureMember => {
      const deflate = random.chance(0.3);
      const lies = random.chance(0.03);
      return { ...member, deflate, ...(lies && { declared: { byteLength: random.below(2 ** 32) } }) };
    }),
  );
}

const DESCRS = [
  "<f4",
  "<f8",
  ">f4",
  "<f2",
  "<i8",
  "<u8",
  "|b1",
  "|u1",
  "<U5",
  "<U0",
  "|S3",
  "|O",
  "<c8",
  "<M8[ns]",
  "V4",
  "<f4;",
  "[('a','<f4')]",
];

export function mutateNpy(random: Random, bytes: Uint8Array): Uint8Array {
  const source = Buffer.from(bytes);
  const start = source[6] === 1 ? 10 : 12;
  const length = source[6] === 1 ? source.readUInt16LE(8) : source.readUInt32LE(8);
  let header = source.toString("latin1", start, start + length).trimEnd();
  let data: Uint8Array = source.subarray(start + length);
  const shape = () => {
    const sizes = Array.from({ length: random.below(4) }, () =>
      random.pick([
        "0",
        "1",
        "2",
        "3",
        "4",
        "65536",
        "-1",
        "1e3",
        "4294967296",
        "9223372036854775807",
        "True",
      ]),
    );
    return `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})`;
  };
  switch (random.below(6)) {
    case 0:
      header = header.replace(/'descr': '[^']*'/, `'descr': '${random.pick(DESCRS)}'`);
      break;
    case 1:
      header = header.replace(/'shape': \([^)]*\)/, `'shape': ${shape()}`);
      break;
    case 2:
      header = header.replace("False", "True");
      break;
    case 3:
      header = Buffer.from(damage(random, Buffer.from(header), 2)).toString("latin1");
      break;
    case 4:
      data = damage(random, data);
      break;
    default: {
      // Values of the dictionary in place of the array's own.
      const view = Buffer.from(data);
      if (view.length >= 8)
        view.writeDoubleLE(random.pick(NUMBERS), 8 * random.below(Math.floor(view.length / 8)));
      if (view.length >= 4)
        view.writeFloatLE(random.pick(NUMBERS), 4 * random.below(Math.floor(view.length / 4)));
      data = view;
    }
  }
  const padded = Buffer.from(`${header.padEnd(64 * Math.ceil((header.length + 11) / 64) - 11)}\n`, "latin1");
  const head = Buffer.from("\x93NUMPY\x01\0\0\0", "latin1");
  head.writeUInt16LE(Math.min(65_535, padded.length), 8);
  return Buffer.concat([head, padded, data]);
}

export function mutateSafetensors(random: Random, bytes: Uint8Array): Uint8Array {
  const source = Buffer.from(bytes);
  const length = Number(source.readBigUInt64LE(0));
  let node = toNode(JSON.parse(source.toString("utf8", 8, 8 + length)));
  for (let i = 1 + random.below(3); i > 0; i--) node = mutate(random, node);
  const header = Buffer.from(print(node));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([size, header, source.subarray(8 + length)]);
}

function mutateThrift(random: Random, value: ThriftValue): ThriftValue {
  if (value.type === "struct") return { type: "struct", fields: mutateStruct(random, value.fields) };
  if ("items" in value) {
    if (value.items.length === 0) return value;
    const at = random.below(value.items.length);
    const items = random.chance(0.1)
      ? value.items.toSpliced(at, 1)
      : random.chance(0.1)
        ? [...value.items, value.items[at]!]
        : value.items.with(at, mutateThrift(random, value.items[at]!));
    return { ...value, items };
  }
  if (value.type === "binary") {
    return {
      type: "binary",
      value: random.chance(0.5) ? Buffer.from(random.pick(NAMES)) : damage(random, value.value),
    };
  }
  if (typeof value.value === "number" || typeof value.value === "bigint") {
    const near = Number(value.value) + random.pick([-1, 1, 2, 100]);
    const far = random.pick([0, 1, -1, 7, 1000, 2 ** 20, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53]);
    const made = random.chance(0.5) ? near : far;
    return { ...value, value: value.type === "i64" ? made : made | 0 } as ThriftValue;
  }
  return typeof value.value === "boolean" ? { type: "bool", value: !value.value } : value;
}

function mutateStruct(random: Random, fields: ThriftStruct): ThriftStruct {
  const ids = [...fields.keys()];
  if (ids.length === 0) return fields;
  const id = random.pick(ids);
  const made = new Map(fields);
  if (random.chance(0.08)) made.delete(id);
  else made.set(id, mutateThrift(random, fields.get(id)!));
  return made;
}

export function mutateParquet(random: Random, bytes: Uint8Array): Uint8Array {
  const source = Buffer.from(bytes);
  const length = source.readUInt32LE(source.length - 8);
  const start = source.length - 8 - length;
  let body = source.subarray(0, start);
  let { fields } = readThriftFrom(source.subarray(start, start + length));
  if (random.chance(0.5)) body = Buffer.from(mutatePage(random, body, fields));
  else for (let i = 1 + random.below(2); i > 0; i--) fields = mutateStruct(random, fields);
  const footer = writeThrift(fields);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(footer.length);
  return Buffer.concat([body, footer, size, Buffer.from("PAR1")]);
}

/**
 * Changes the header of the first page, or the bytes after it: if both keep their length, everything else still fits.
 */
function mutatePage(random: Random, body: Buffer, footer: ThriftStruct): Uint8Array {
  const offsets = integersNamed(footer, 9).filter((at) => at >= 4 && at < body.length);
  if (offsets.length === 0) return damage(random, body);
  const at = random.pick(offsets);
  const page = body.subarray(at);
  try {
    const { fields, length } = readThriftFrom(page);
    if (random.chance(0.3)) {
      const data = damage(random, page.subarray(length, length + 64), 2);
      return Buffer.concat([body.subarray(0, at + length), data, body.subarray(at + length + 64)]);
    }
    const header = writeThrift(mutateStruct(random, fields));
    return Buffer.concat([body.subarray(0, at), header, body.subarray(at + length)]);
  } catch {
    return damage(random, body);
  }
}

/** Every integer in a field of this number, at any depth; field 9 is where a column's first data page starts. */
function integersNamed(fields: ThriftStruct, id: number): number[] {
  return [...fields].flatMap(([field, value]) => {
    if (value.type === "struct") return integersNamed(value.fields, id);
    if ("items" in value) {
      return value.items.flatMap((item) => (item.type === "struct" ? integersNamed(item.fields, id) : []));
    }
    return field === id && value.type === "i64" ? [Number(value.value)] : [];
  });
}

/** A zstd frame of raw and run-length blocks (RFC 8878, 3.1.1): no compressor is needed. */
export function zstdFrame(random: Random, bytes: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
  const header = (last: boolean, type: number, size: number): Buffer => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(Number(last) | (type << 1) | (size << 3));
    return word.subarray(0, 3);
  };
  for (let at = 0; at < bytes.length; at += 60_000) {
    const part = bytes.subarray(at, at + 60_000);
    blocks.push(header(at + 60_000 >= bytes.length, 0, part.length), part);
    if (random.chance(0.05)) blocks.push(header(false, 1, 1 + random.below(100_000)), Buffer.of(0x20));
  }
  return Buffer.concat(blocks);
}

/** Compresses the content, usually correctly. */
export function compress(
  random: Random,
  bytes: Uint8Array,
): { readonly bytes: Uint8Array; readonly ending: string } {
  const zipped = random.chance(0.5) ? gzipSync(bytes) : zstdFrame(random, bytes);
  const ending = zipped[0] === 0x1f ? ".gz" : ".zst";
  return { bytes: random.chance(0.15) ? damage(random, zipped, 1) : zipped, ending };
}
