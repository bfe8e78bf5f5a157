/**
 * Converts parts to bytes and back.
 *
 * @module
 */
import { ByteReader, ByteWriter, FormatError, isLogratioError, VersionError } from "../core/base/index.ts";
import { findMisshapenInfo } from "./check-info.ts";
import { packBlocks, unpackBlocks } from "./container.ts";
import { isPartKind, PART_KINDS } from "./kinds/index.ts";
import type { Part, PartInfo, ShardSums } from "./part.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A part as the bytes of a `.lrs` file. */
export async function encodePart({ info, sums }: Part): Promise<Uint8Array> {
  const body = new ByteWriter();
  sums.encode(body);
  return packBlocks({ info: encoder.encode(JSON.stringify(info)), body: body.finishApart() });
}

/** A part whose sums are still encoded: they can be added to others, or left alone. */
export interface OpenedPart {
  readonly info: PartInfo;
  /** Adds the sums to others of this kind. */
  mergeInto(sums: ShardSums): void;
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
    mergeInto(sums) {
      const from = new ByteReader(readBody(), file);
      try {
        sums.mergeFrom(from);
      } catch (cause) {
        // Sums that hold text check its shape; anything they do not foresee is still an error of this file.
        if (isLogratioError(cause)) throw cause;
        throw new FormatError(`${file} does not hold a summary`, { at: { file }, cause, ...FORGED });
      }
      from.end();
    },
  };
}

/** Like {@link openPart}, but also decodes the sums. */
export function decodePart(bytes: Uint8Array, file: string): Part {
  const { info, mergeInto } = openPart(bytes, file);
  const sums = PART_KINDS[info.kind].makeSums();
  mergeInto(sums);
  return { info, sums };
}

const FORGED = {
  likely: "the file was damaged or crafted",
  hint: "run logratio summarize again for its shards",
} as const;

function readInfo(bytes: Uint8Array, file: string): PartInfo {
  let info: PartInfo;
  try {
    info = JSON.parse(decoder.decode(bytes)) as PartInfo;
  } catch (cause) {
    throw new FormatError(`${file} does not state its contents`, { at: { file }, cause, ...FORGED });
  }
  // Another version may have a different description.
  if (typeof info?.kind === "string") requireKnown(info, file);
  const misshapen = findMisshapenInfo(info);
  if (misshapen === undefined) return info;
  throw new FormatError(`${file} does not state its contents: ${misshapen || "it is not an object"}`, {
    at: { file },
    ...FORGED,
  });
}

/** @throws VersionError when this program does not know the kind or version of the sums */
function requireKnown(info: PartInfo, file: string): void {
  const { kind, version = 1 } = info;
  const supported = isPartKind(kind) ? PART_KINDS[kind].version : 0;
  if (version === supported) return;
  const isNewer = version > supported;
  throw new VersionError(
    `${file} is a part for ${kind} of version ${version}; this logratio reads ${supported === 0 ? `parts for ${Object.keys(PART_KINDS).join(", ")}` : `version ${supported}`}`,
    {
      at: { file },
      found: version,
      supported,
      likely: isNewer ? "a newer logratio wrote it" : "an older logratio wrote it",
      hint: isNewer ? "npm install -g logratio@latest" : "run logratio summarize again for its shards",
    },
  );
}
