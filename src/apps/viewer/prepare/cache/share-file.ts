import { copyFile, link } from "node:fs/promises";
import { join } from "node:path";
import { PASS_FILES } from "../pass/run-pass.ts";

/** Gives the files that grow with a run to a cache of a state of it: what comes later is behind what the state knows. */
export async function sharePassFiles(from: string, to: string): Promise<void> {
  for (const name of Object.values(PASS_FILES)) await shareFile(join(from, name), join(to, name));
}

/** The same file under both names; where the file system has no such thing, a copy. */
async function shareFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
