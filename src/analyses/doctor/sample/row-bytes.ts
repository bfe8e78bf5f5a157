/**
 * Sampled sequences as bytes, for a sample that continues elsewhere. Every column keeps the width of its values.
 *
 * @module
 */
import {
  type ByteReader,
  type ByteWriter,
  type Codec,
  type FloatArray,
  listOf,
} from "../../../core/base/index.ts";
import type { TopK } from "../../../core/schema/index.ts";
import type { SampledRow } from "./row.ts";

const FLOATS = ["rollout", "trainer", "reference", "rescore", "rolloutEntropy", "trainerEntropy"] as const;
const WHOLES = ["ids", "positions", "versions"] as const;
const TOPS = ["rolloutTop", "trainerTop"] as const;
/** How a column is written. */
const ABSENT = 0;
const FLOAT32 = 1;
const FLOAT64 = 2;
const PRESENT = 1;

export function encodeRow(row: SampledRow, to: ByteWriter): void {
  to.name(row.file);
  to.floats([row.step, row.rank, row.pack, row.row, row.group, row.reward, row.advantage]);
  to.byte(row.hasPrompt ? 1 : 0);
  to.name(row.environment === undefined ? "" : `=${row.environment}`);
  to.whole(row.mask.length);
  to.bits(row.mask);
  for (const name of FLOATS) encodeFloats(row[name], to);
  for (const name of WHOLES) encodeWholes(row[name], to);
  encodeWholes(row.prompt, to, row.prompt?.length);
  for (const name of TOPS) {
    const top = row[name];
    to.whole(top === undefined ? 0 : top.k + 1);
    if (top === undefined) continue;
    encodeWholes(top.ids, to);
    encodeFloats(top.logprobs, to);
  }
}

/** @throws FormatError if the bytes are not from `encodeRow` */
export function decodeRow(from: ByteReader): SampledRow {
  const file = from.name();
  const [step, rank, pack, row, group, reward, advantage] = from.floats(7) as unknown as [
    step: number,
    rank: number,
    pack: number,
    row: number,
    group: number,
    reward: number,
    advantage: number,
  ];
  const hasPrompt = from.byte() === 1;
  const environment = from.name();
  const tokens = from.whole();
  // The least memory that a row takes: four columns of eight bytes per token.
  from.spend(32 * tokens);
  const mask = from.bits(tokens);
  const floats = Object.fromEntries(FLOATS.map((name) => [name, decodeFloats(from, tokens)]));
  const wholes = Object.fromEntries(WHOLES.map((name) => [name, decodeWholes(from, tokens)]));
  const prompt = decodeWholes(from);
  const tops = Object.fromEntries(TOPS.map((name) => [name, decodeTop(from, tokens)]));
  if (floats.rollout === undefined || floats.trainer === undefined) from.fail("a sequence lacks a policy");
  return {
    ...{ file, step, rank, pack, row, group, hasPrompt, reward, advantage, mask, prompt },
    environment: environment === "" ? undefined : environment.slice(1),
    ...(floats as Pick<SampledRow, (typeof FLOATS)[number]>),
    ...(wholes as Pick<SampledRow, (typeof WHOLES)[number]>),
    ...(tops as Pick<SampledRow, (typeof TOPS)[number]>),
  };
}

/** By hand, since a row's columns have no lengths of their own. The text changes with what is written. */
export const ROWS: Codec<readonly SampledRow[]> = listOf({
  text: `sampled row with ${[...FLOATS, ...WHOLES, "prompt", ...TOPS]}`,
  write: encodeRow,
  read: decodeRow,
});

function encodeFloats(values: FloatArray | undefined, to: ByteWriter): void {
  const isNarrow = values instanceof Float32Array;
  to.byte(values === undefined ? ABSENT : isNarrow ? FLOAT32 : FLOAT64);
  if (values === undefined) return;
  if (isNarrow) for (const value of values) to.plainFloat32(value);
  else for (const value of values) to.plainFloat(value);
}

function decodeFloats(from: ByteReader, count: number): FloatArray | undefined {
  const kind = from.byte();
  if (kind === ABSENT) return undefined;
  if (kind !== FLOAT32 && kind !== FLOAT64) from.fail("a column is of no known width");
  from.requirePlain(count * (kind === FLOAT32 ? 4 : 8));
  const values = kind === FLOAT32 ? new Float32Array(count) : new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = kind === FLOAT32 ? from.plainFloat32() : from.plainFloat();
  return values;
}

/** @param length given if the row's token count does not determine it */
function encodeWholes(values: Int32Array | undefined, to: ByteWriter, length?: number): void {
  to.byte(values === undefined ? ABSENT : PRESENT);
  if (values === undefined) return;
  if (length !== undefined) to.whole(length);
  for (const value of values) to.signed(value);
}

function decodeWholes(from: ByteReader, length?: number): Int32Array | undefined {
  if (from.byte() === ABSENT) return undefined;
  const count = length ?? from.count();
  if (count > from.rest) from.fail(`${count} numbers are declared, ${from.rest} bytes are left`);
  return Int32Array.from({ length: count }, () => from.signed());
}

function decodeTop(from: ByteReader, tokens: number): TopK | undefined {
  const code = from.whole();
  if (code === 0) return undefined;
  const count = (code - 1) * tokens;
  const ids = decodeWholes(from, count);
  const logprobs = decodeFloats(from, count);
  if (ids === undefined || logprobs === undefined) return from.fail("alternatives are incomplete");
  return { k: code - 1, ids, logprobs: Float32Array.from(logprobs) };
}
