import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** What the script of an answer sets. */
async function readText(folder: string, path: string): Promise<string> {
  const script = await readFile(join(folder, "api", `${path}.js`), "utf8");
  return JSON.parse(script.slice("bundled=".length)) as string;
}

export async function readBundledJson<T>(folder: string, path: string): Promise<T> {
  return JSON.parse(await readText(folder, path)) as T;
}

export async function readBundledBytes(folder: string, path: string): Promise<Uint8Array> {
  return Buffer.from(await readText(folder, path), "base64");
}
