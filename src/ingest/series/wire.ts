/** A field of a message in protocol buffers' wire format. */
export interface WireField {
  readonly number: number;
  /** 0 varint, 1 eight bytes, 2 bytes with a length, 5 four bytes. */
  readonly wire: 0 | 1 | 2 | 5;
  /** Value of wire type 0, else 0. */
  readonly varint: bigint;
  /** Bytes of the other wire types, else empty. */
  readonly bytes: Uint8Array;
}

const NONE = new Uint8Array(0);

/** The fields of a message in their order; undefined where the bytes are not one. */
export function fields(data: Uint8Array): WireField[] | undefined {
  const found: WireField[] = [];
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < data.length) {
    const key = varint();
    if (key === undefined) return undefined;
    const [number, wire] = [Number(key >> 3n), Number(key & 7n)];
    if (wire === 0) {
      const value = varint();
      if (value === undefined) return undefined;
      found.push({ number, wire, varint: value, bytes: NONE });
      continue;
    }
    if (wire !== 1 && wire !== 2 && wire !== 5) return undefined;
    const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint() ?? -1n);
    if (length < 0 || at + length > data.length) return undefined;
    found.push({ number, wire, varint: 0n, bytes: data.subarray(at, at + length) });
    at += length;
  }
  return found;
}
