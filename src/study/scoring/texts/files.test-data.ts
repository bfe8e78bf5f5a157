/**
 * Test files, and a tokenizer to read them with.
 *
 * @module
 */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BYTE_LEVEL = fileURLToPath(
  new URL("../../../../test/fixtures/tokenizer/byte-level/tokenizer.json", import.meta.url),
);

export interface Folder {
  /** Directory of a byte-level tokenizer that puts nothing before a text and ends it with `<|end|>`. */
  readonly tokenizer: string;
  /** Writes a file, with objects as JSON, and returns its path. */
  write(name: string, content: unknown): Promise<string>;
  remove(): Promise<void>;
}

export async function createFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "logratio-texts-"));
  await copyFile(BYTE_LEVEL, join(path, "tokenizer.json"));
  await writeFile(join(path, "tokenizer_config.json"), '{"eos_token": "<|end|>"}');
  return {
    tokenizer: path,
    write: async (name, content) => {
      const file = join(path, name);
      const plain = typeof content === "string" || content instanceof Uint8Array;
      await writeFile(file, plain ? content : JSON.stringify(content));
      return file;
    },
    remove: () => rm(path, { recursive: true }),
  };
}
