import { open } from "node:fs/promises";

/**
 * Makes names that were added, changed or removed in a directory durable. Windows cannot sync directories and does not
 * need to.
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
