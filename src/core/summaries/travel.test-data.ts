import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";

interface Encoded {
  encode(to: ByteWriter): void;
}

export function toBytes(state: Encoded): Uint8Array {
  const to = new ByteWriter();
  state.encode(to);
  return to.finish();
}

/** What another process reads of what this one writes, into sums that are there. */
export function travelInto<T extends Encoded & { mergeFrom(from: ByteReader): void }>(state: T, into: T): T {
  const from = new ByteReader(toBytes(state), "test");
  into.mergeFrom(from);
  from.end();
  return into;
}
