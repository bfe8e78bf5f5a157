import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NotFoundError } from "../base/errors.ts";

/** Writes a whole file under a temporary name beside it, then renames: readers never see half of it. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new NotFoundError(
      `Cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        at: { file: path },
        hint: "check that the directory exists and may be written to",
        cause,
      },
    );
  }
}
