import { copyFile, link } from "node:fs/promises";
import { join } from "node:path";
import { PASS_FILES } from "../pass/run-pass.ts";

/**
 * Links the files that grow with a run into the cache of one state: what is appended later lies beyond that state's
 * offsets.
 */
export async function sharePassFiles(from: string, to: string): Promise<void> {
  for (const name of Object.values(PASS_FILES)) await shareFile(join(from, name), join(to, name));
}

/** A hard link, or a copy where the file system has no links. */
async function shareFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
