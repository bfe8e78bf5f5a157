import { deflateRawSync } from "node:zlib";
import { crc32Scalar } from "./crc32.ts";

export interface ZipFixtureMember {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly deflate?: boolean;
  /** Replace what the directory declares, to make a bad archive. */
  readonly declared?: {
    readonly byteLength?: number;
    readonly compressedLength?: number;
    readonly crc32?: number;
  };
  readonly method?: number;
  readonly flags?: number;
}

/** A small zip archive, as the tests need it. */
export function writeZip(members: readonly ZipFixtureMember[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, deflate = false, declared = {}, method, flags = 0x800 } of members) {
    const data = deflate ? deflateRawSync(bytes) : Buffer.from(bytes);
    const nameBytes = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method ?? (deflate ? 8 : 0), 4);
    fields.writeUInt32LE(declared.crc32 ?? crc32Scalar(bytes, 0), 10);
    fields.writeUInt32LE(declared.compressedLength ?? data.length, 14);
    fields.writeUInt32LE(declared.byteLength ?? bytes.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    parts.push(signature(0x04034b50), fields, nameBytes, data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), Buffer.from([20, 0]), fields, tail, nameBytes);
    offset += 30 + nameBytes.length + data.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return new Uint8Array(Buffer.concat([...parts, listing, signature(0x06054b50), end]));
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
