import { fileSystemError } from "../../core/base/index.ts";
import { createTemporaryFile } from "./scratch.ts";

/**
 * Writes a file under a temporary name next to it, then renames: readers never see half of it.
 *
 * @throws FileSystemError or NotFoundError where the system refuses; an existing file is then unchanged
 */
export async function writeWholeFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = await createTemporaryFile(path);
  try {
    await temporary.file.writeFile(content);
  } catch (cause) {
    await temporary.discard();
    throw fileSystemError(cause, "write", { file: path });
  }
  await temporary.commit();
}
