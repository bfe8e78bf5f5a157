import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A separate folder for files that a test writes. */
export interface RowFolder {
  readonly path: string;
  /** Writes one JSON row per line, and returns the file's path. */
  write(name: string, rows: readonly object[]): Promise<string>;
  writeText(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export async function makeRowFolder(): Promise<RowFolder> {
  const path = await mkdtemp(join(tmpdir(), "logratio-rows-"));
  const writeText = async (name: string, text: string): Promise<string> => {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  return {
    path,
    writeText,
    write: (name, rows) => writeText(name, rows.map((row) => `${JSON.stringify(row)}\n`).join("")),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
