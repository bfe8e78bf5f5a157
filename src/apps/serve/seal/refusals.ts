/**
 * What cannot become part of the record is kept in `.serve/refused`, byte for byte, each with a text file that says why:
 *
 *     step_3.rank_0.call_0.safetensors         a batch as it was received
 *     segment_00000012.from_4096.damaged       bytes of the log that are not a batch any more
 *     segment_00000012.from_4096.cut_off       the beginning of a batch whose write was interrupted
 *     ….reason.txt                             beside each
 *
 * @module
 */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import {
  type Damage,
  describeDamage,
  type FrameHead,
  type RunPlaces,
  segmentName,
} from "../../../input/batch-log/index.ts";
import { writeAll } from "../../../input/io/index.ts";
import { syncDirectory } from "../log/sync-directory.ts";

const REASON = ".reason.txt";
const CUT_OFF = "cut_off";

export interface Refusal {
  readonly head: FrameHead;
  readonly body: Buffer;
  readonly reason: string;
}

/** Writes all of them; they are durable when it resolves. Done again, it writes the same files. */
export async function keepRefused(
  { refused }: RunPlaces,
  segment: number,
  raw: Buffer,
  { refusals, damage }: { readonly refusals: readonly Refusal[]; readonly damage: readonly Damage[] },
): Promise<void> {
  if (refusals.length + damage.length === 0) return;
  await mkdir(refused, { recursive: true });
  for (const { head, body, reason } of refusals) {
    const { step, rank, call, sha256 } = head;
    await keep(
      join(refused, `step_${step}.rank_${rank}.call_${call}.safetensors`),
      body,
      `step ${step}, rank ${rank}, call ${call} (sha256 ${sha256}) cannot be read: ${reason}`,
    );
  }
  for (const one of damage) {
    const log = segmentName(segment);
    const kind = one.cutOffAt === undefined ? "damaged" : CUT_OFF;
    const name = `segment_${log.replace(/\.log$/, "")}.from_${one.start}.${kind}`;
    await keep(join(refused, name), raw.subarray(one.start, one.end), describeDamage(log, one));
  }
  await syncDirectory(refused);
}

/** Whether a file of the folder is a batch, or was one: not a reason, nor a write that was interrupted. */
export function isRefused(name: string): boolean {
  return !name.endsWith(REASON) && !name.endsWith(CUT_OFF);
}

async function keep(path: string, bytes: Uint8Array, reason: string): Promise<void> {
  await writeDurably(`${path}${REASON}`, Buffer.from(`${reason}\n`));
  await writeDurably(path, bytes);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await writeAll(file, bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
