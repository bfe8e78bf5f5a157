import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EmptyInputError, fileSystemError } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { reportOutside } from "../../ingest/index.ts";
import { leadsInside, refuseOutside, statIfPresent } from "../../input/io/index.ts";
import { refuseRemote } from "../../input/remote/index.ts";

/** `divergence.jsonl`, rotated `divergence.jsonl.1`, compressed `divergence.jsonl.1.gz`. */
const LOG_NAME = /\.(jsonl|ndjson)(\.\d+)?(\.(gz|zst))?$/i;

/**
 * Files as named, each once; for a directory, the logs directly inside it, in natural order of their names.
 *
 * @throws EmptyInputError if a directory holds none
 * @throws UnsupportedError for an address of a remote store
 */
export async function findLogs(paths: readonly string[], findings: FindingLog): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    refuseRemote(path, "a log");
    const isDirectory = path !== "-" && (await statIfPresent(path))?.isDirectory() === true;
    if (!isDirectory) {
      found.push(path);
      continue;
    }
    const names = (await listDirectory(path)).filter((name) => LOG_NAME.test(name));
    if (names.length === 0) {
      throw new EmptyInputError(`no log in the directory ${path}`, {
        at: { file: path },
        hint: "logs end in .jsonl or .ndjson, with .gz or .zst after it if compressed; other names are read when given in full",
      });
    }
    const natural = new Intl.Collator("en", { numeric: true });
    for (const file of names.sort(natural.compare).map((name) => join(path, name))) {
      if (await leadsInside(file)) found.push(file);
      else reportOutside(file, findings);
    }
  }
  return [...new Set(found)];
}

/** @throws FileSystemError when the system refuses, or the directory may not be read */
async function listDirectory(path: string): Promise<string[]> {
  try {
    const names = await readdir(path);
    await refuseOutside(path);
    return names;
  } catch (cause) {
    throw fileSystemError(cause, "list", { file: path });
  }
}
