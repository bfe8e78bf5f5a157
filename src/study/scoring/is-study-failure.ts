import { resolve, sep } from "node:path";
import { isLogratioError, isSystemError } from "../../core/base/index.ts";

/**
 * Whether the system failed to read or write the study's own files, which concerns every policy; other failures concern
 * only the current one.
 *
 * @param directory the study's directory
 */
export function isStudyFailure(error: unknown, directory: string): boolean {
  if (isSystemError(error)) return true;
  if (!isLogratioError(error, "FileSystemError")) return false;
  const { file } = error.at;
  return file !== undefined && `${resolve(file)}${sep}`.startsWith(`${resolve(directory)}${sep}`);
}
