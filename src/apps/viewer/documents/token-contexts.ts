/**
 * Tokens with the text around them, found by their handles.
 *
 * @module
 */

import { formatHandle } from "../../../core/schema/index.ts";
import { oneLine } from "../../../render/text/index.ts";
import type { PagePlace } from "../../../results/page.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { textBetween } from "../../../results/wire/sequence-text.ts";
import { decodeTable } from "../../../results/wire/table.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";

const NOWHERE: PagePlace = { move: null, context: null };
const CHARACTERS = 36;
/** Tokens to decode: enough for the characters, unless many are empty. */
const TOKENS = 48;

/**
 * Tokens by handle; handles that name no token of the run are absent. Among sequences with the same handle, the first
 * counts.
 */
export async function findTokens(
  run: Pick<PreparedRun, "answer" | "sequence">,
  handles: readonly string[],
): Promise<ReadonlyMap<string, PagePlace>> {
  const wanted = new Map<string, number>();
  for (const handle of handles) wanted.set(handle.replace(/\.t\d+$/, ""), -1);
  const { columns, length } = decodeTable(await run.answer("sequences"));
  for (let index = 0; index < length; index++) {
    const [step, rank, sequence] = [columns.step[index]!, columns.rank[index]!, columns.row[index]!];
    const handle = formatHandle({ step, rank, sequence });
    if (wanted.get(handle) === -1) wanted.set(handle, index);
  }
  const found = new Map<string, PagePlace>();
  for (const handle of handles) {
    const [, name = "", digits] = /^(.*)\.t(\d+)$/.exec(handle) ?? [];
    const sequence = wanted.get(name) ?? -1;
    const bytes = sequence < 0 ? undefined : await run.sequence(sequence);
    const token = Number(digits);
    found.set(
      handle,
      bytes === undefined
        ? NOWHERE
        : {
            move: { view: "sequence", sequence, token },
            context: buildContext(decodeSequence(bytes), token),
          },
    );
  }
  return found;
}

/** Around a response token; null where the sequence has no such token. */
export function buildContext(
  sequence: Pick<WireSequence, "meta" | "ids" | "texts" | "textOffsets" | "flags">,
  token: number,
): PagePlace["context"] {
  const { meta, ids } = sequence;
  const place = meta.promptLength + token;
  if (place >= ids.length) return null;
  const text = (from: number, to: number): string =>
    textBetween(sequence, Math.max(0, from), Math.min(ids.length, to));
  const [before, after] = [[...text(place - TOKENS, place)], [...text(place + 1, place + 1 + TOKENS)]];
  return [
    oneLine(before.slice(-CHARACTERS).join("")),
    oneLine(text(place, place + 1)),
    oneLine(after.slice(0, CHARACTERS).join("")),
  ];
}
