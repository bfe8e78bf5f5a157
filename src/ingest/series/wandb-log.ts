/**
 * W&B's own log of a run (`run-*.wandb`), which it writes online and offline: LevelDB's log format in blocks of 32 KiB,
 * with plain CRC-32 checksums, each record a `Record` of protocol buffers (wandb/proto/wandb_internal.proto, 0.31.0).
 *
 * @module
 */
import { crc32, type PlainStream } from "../../input/io/index.ts";
import { cutOff, Frames, type LogDamage } from "./frames.ts";
import { fields, type WireField } from "./wire.ts";

/** `:W&B`, a magic number, and the version of the format. */
const MAGIC = Uint8Array.of(0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00);
const BLOCK = 32_768;
const HEADER = 7;
/** How a record lies in its block, as LevelDB numbers it. */
const FULL = 1;
const FIRST = 2;
const LAST = 4;
/** Scalars of a step take kilobytes; larger records hold something else, and are left out. */
const MAX_RECORD_BYTES = 16 << 20;

/** What a run logged at once, or its name. */
export type WandbRecord =
  | { readonly kind: "history"; readonly values: readonly (readonly [name: string, value: unknown])[] }
  | { readonly kind: "run"; readonly name: string };

export function isWandbLog(head: Uint8Array): boolean {
  return MAGIC.every((byte, at) => head[at] === byte);
}

/** The history and the name in a stream; damage is reported, and records before and behind its block are kept. */
export async function* readWandbLog(
  { bytes }: Pick<PlainStream, "bytes">,
  onDamage: (damage: LogDamage) => void,
): AsyncGenerator<WandbRecord> {
  for await (const record of readRecords(new Frames(bytes), onDamage)) {
    const parsed = parseRecord(record);
    if (parsed !== undefined) yield parsed;
  }
}

async function* readRecords(
  frames: Frames,
  onDamage: (damage: LogDamage) => void,
): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  await frames.skip(MAGIC.length);
  for (;;) {
    const left = BLOCK - (frames.offset % BLOCK);
    // A block ends with zeros where no header fits.
    if (left < HEADER) await frames.skip(left);
    const { offset } = frames;
    const header = await frames.take(HEADER);
    if (header === undefined) {
      if (frames.left > 0) onDamage(cutOff(offset));
      return;
    }
    const [sum, length, type] = readHeader(header);
    const rest = BLOCK - (frames.offset % BLOCK);
    const data = length <= rest ? await frames.take(length) : new Uint8Array(0);
    if (data === undefined) {
      onDamage(cutOff(offset));
      return;
    }
    if (length > rest || crc32(data, crc32(Uint8Array.of(type), 0)) !== sum) {
      onDamage(damaged(offset));
      pieces = [];
      // Where the next record begins is only certain at the next block.
      const ahead = (BLOCK - (frames.offset % BLOCK)) % BLOCK;
      if (ahead > 0 && !(await frames.skip(ahead))) return;
      continue;
    }
    if (type === FULL || type === FIRST) pieces = [];
    pieces.push(data.slice());
    if (type !== FULL && type !== LAST) continue;
    const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [];
    if (whole.length <= MAX_RECORD_BYTES) yield whole;
  }
}

function readHeader(header: Uint8Array): readonly [sum: number, length: number, type: number] {
  const view = new DataView(header.buffer, header.byteOffset, HEADER);
  return [view.getUint32(0, true), view.getUint16(4, true), view.getUint8(6)];
}

const damaged = (offset: number): LogDamage => ({
  offset,
  message: "a record has a wrong checksum",
  likely: "the file was damaged",
  ends: false,
});

/** `Record`: history 2, run 17. */
function parseRecord(data: Uint8Array): WandbRecord | undefined {
  for (const field of fields(data) ?? []) {
    if (field.number === 2 && field.wire === 2) return parseHistory(field.bytes);
    if (field.number === 17 && field.wire === 2) return parseRun(field.bytes);
  }
  return undefined;
}

/** `HistoryRecord`: items 1, step 2 (`HistoryStep`: num 1). */
function parseHistory(data: Uint8Array): WandbRecord {
  const all = fields(data) ?? [];
  const step = all.find(({ number }) => number === 2);
  const num = step === undefined ? undefined : fields(step.bytes)?.find(({ number }) => number === 1);
  return {
    kind: "history",
    values: [
      ...(step === undefined ? [] : [["_step", Number(num?.varint ?? 0n)] as const]),
      ...all.flatMap(({ number, bytes }) => (number === 1 ? parseItem(bytes) : [])),
    ],
  };
}

/** `HistoryItem`: key 1, nested_key 2 (several), value_json 16. */
function parseItem(data: Uint8Array): (readonly [string, unknown])[] {
  const all = fields(data) ?? [];
  const texts = (wanted: number): string[] =>
    all.filter(({ number, wire }) => number === wanted && wire === 2).map(toText);
  const name = texts(1)[0] ?? texts(2).join(".");
  const [json] = texts(16);
  return name === "" || json === undefined ? [] : [[name, parseJson(json)]];
}

/** `RunRecord`: run_id 1, display_name 8. */
function parseRun(data: Uint8Array): WandbRecord {
  const all = fields(data) ?? [];
  const named = all.find(({ number }) => number === 8) ?? all.find(({ number }) => number === 1);
  return { kind: "run", name: named === undefined ? "" : toText(named) };
}

const toText = ({ bytes }: WireField): string => Buffer.from(bytes).toString("utf8");

/** W&B spells NaN and infinities as Python's json does. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
