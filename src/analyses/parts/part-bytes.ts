/**
 * Parts to bytes and back.
 *
 * @module
 */
import { ByteReader, ByteWriter, FormatError } from "../../core/base/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import { RunSummary } from "../report/index.ts";
import { packBlocks, unpackBlocks } from "./container.ts";
import type { Part, PartInfo } from "./part.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A part as the bytes of a `.lrs` file. */
export async function encodePart({ info, summary, prompts }: Part): Promise<Uint8Array> {
  const body = new ByteWriter();
  summary.encode(body);
  body.whole(prompts === undefined ? 0 : 1);
  prompts?.encode(body);
  return packBlocks({ info: encoder.encode(JSON.stringify(info)), body: body.finishApart() });
}

/** A part whose summary is still as it was read: to be added to another one, or left alone. */
export interface OpenedPart {
  readonly info: PartInfo;
  /** Adds the summary; `openPrompts` is called where there is one of prompts. */
  mergeInto(summary: RunSummary, openPrompts: () => MismatchSummary): void;
}

/**
 * @param file names it in errors
 * @throws FormatError when it is not a part, was cut off or damaged
 * @throws VersionError when another version of logratio wrote it
 * @throws LimitError when it would take more than the memory limit
 */
export function openPart(bytes: Uint8Array, file: string): OpenedPart {
  const { info, readBody } = unpackBlocks(bytes, file);
  return {
    info: readInfo(info, file),
    mergeInto(summary, openPrompts) {
      const from = new ByteReader(readBody(), file);
      summary.mergeFrom(from);
      if (from.whole() !== 0) openPrompts().mergeFrom(from);
      from.end();
    },
  };
}

/** As {@link openPart}, and reads the summary too. */
export function decodePart(bytes: Uint8Array, file: string): Part {
  const { info, mergeInto } = openPart(bytes, file);
  const summary = new RunSummary();
  let prompts: MismatchSummary | undefined;
  mergeInto(summary, () => {
    prompts = new MismatchSummary();
    return prompts;
  });
  return { info, summary, prompts };
}

function readInfo(bytes: Uint8Array, file: string): PartInfo {
  try {
    const info = JSON.parse(decoder.decode(bytes)) as PartInfo;
    const lists = [info.settings, info.calls, info.shards, info.notes];
    if (lists.every(Array.isArray)) return info;
  } catch (cause) {
    throw new FormatError(`${file} does not say what is in it`, { at: { file }, cause });
  }
  throw new FormatError(`${file} does not say what is in it`, { at: { file } });
}
