/**
 * What a certificate says about its files: their digests, and when they were last changed.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import type { SourceReport } from "../../ingest/index.ts";
import type { CompareInput } from "../../results/compare.ts";

/** Bytes read at a time: a stream allocates a new 64 kB buffer for each part, which takes longer than the digest. */
const READ_BYTES = 2 ** 20;

/** @param digests whether to read each file once more for its SHA-256 */
export async function describeInputs(
  sources: readonly SourceReport[],
  digests: boolean,
): Promise<CompareInput[]> {
  const inputs: CompareInput[] = [];
  for (const { file, format, trainer, bytes } of sources) {
    // Anything but a local file (an address, standard input) has no stat here, which is not an error.
    const found = await stat(file).catch(() => undefined);
    const isFile = found?.isFile() === true;
    inputs.push({
      file,
      format,
      trainer,
      bytes,
      sha256: digests && isFile ? await digestFile(file) : null,
      modified: isFile ? found.mtime.toISOString() : null,
    });
  }
  return inputs;
}

/** SHA-256 of each file; null if it is not a local file. */
export async function digestFiles(files: readonly string[]): Promise<(string | null)[]> {
  const digests: (string | null)[] = [];
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    digests.push(found?.isFile() === true ? await digestFile(file) : null);
  }
  return digests;
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  const handle = await open(file);
  try {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** The day of the newest file: a certificate has the date of what it certifies, not of when it was made. */
export function newestDay(inputs: readonly CompareInput[]): string | undefined {
  const days = inputs.flatMap(({ modified }) => modified?.slice(0, 10) ?? []).sort();
  return days.at(-1);
}
