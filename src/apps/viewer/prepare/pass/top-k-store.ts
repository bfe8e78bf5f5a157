/**
 * Alternatives on disk, laid out so that those of a few tokens can be read alone. A sequence's block: its tokens and
 * the number of policies as Uint32, for each policy its place in the run's list and its k, then for each policy the ids
 * `[n, k]` (Int32) and log-probs `[n, k]` (Float32). Little-endian.
 *
 * @module
 */
import { dictionary } from "../../../../core/base/index.ts";
import type { TopK } from "../../../../core/schema/index.ts";
import type { WireTopK } from "../../../../results/wire/sequence.ts";

const HEAD_BYTES = 8;
const ENTRY_BYTES = 8;

/** Alternatives of tokens `[start, end)` of a batch; `policies` are the run's names so far, and grow. */
export function encodeAlternatives(
  topK: Readonly<Record<string, TopK>>,
  policies: string[],
  start: number,
  end: number,
): Uint8Array | undefined {
  const entries = Object.entries(topK);
  if (entries.length === 0) return undefined;
  const head = Uint32Array.from([
    end - start,
    entries.length,
    ...entries.flatMap(([name, { k }]) => [findPlace(name, policies), k]),
  ]);
  const columns = entries.flatMap(([, { k, ids, logprobs }]) => [
    ids.subarray(start * k, end * k),
    logprobs.subarray(start * k, end * k),
  ]);
  return Buffer.concat(
    [head, ...columns].map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)),
  );
}

/** A part of a file. @throws when the file ends before it */
export type ReadBytes = (from: number, length: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Response tokens `[from, from + count)` of a block, as far as there are any; texts are the caller's to add. */
export async function readAlternatives(
  read: ReadBytes,
  policies: readonly string[],
  from: number,
  count: number,
): Promise<Omit<WireTopK, "texts">> {
  const [tokens = 0, entries = 0] = new Uint32Array((await read(0, HEAD_BYTES)).buffer);
  const first = Math.min(from, tokens);
  const wanted = Math.min(count, tokens - first);
  const list = new Uint32Array((await read(HEAD_BYTES, entries * ENTRY_BYTES)).buffer);
  const found = dictionary<{ k: number; ids: Int32Array; logprobs: Float32Array }>();
  let at = HEAD_BYTES + entries * ENTRY_BYTES;
  for (let entry = 0; entry < entries; entry++) {
    const [place, k] = [list[2 * entry]!, list[2 * entry + 1]!];
    const column = tokens * k * 4;
    const part = (start: number): Promise<Uint8Array<ArrayBuffer>> =>
      read(start + first * k * 4, wanted * k * 4);
    found[policies[place]!] = {
      k,
      ids: new Int32Array((await part(at)).buffer),
      logprobs: new Float32Array((await part(at + column)).buffer),
    };
    at += 2 * column;
  }
  return { from: first, count: wanted, policies: found };
}

function findPlace(name: string, policies: string[]): number {
  const place = policies.indexOf(name);
  return place >= 0 ? place : policies.push(name) - 1;
}
