import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import {
  FormatError,
  fileSystemError,
  type LogratioError,
  NotFoundError,
  UnsupportedError,
} from "../../core/base/index.ts";
import type { Allocate, ByteSource } from "./byte-source.ts";
import { checkOpened } from "./confinement.ts";
import { type QuickCalls, quickCalls } from "./quick-calls.ts";

/** By default, opening a pipe waits for its writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;
/** Node rejects single reads of 2 GiB and more. */
const MAX_PREAD_BYTES = 2 ** 30;
/**
 * Files of up to this size are read completely when they are opened: a system call costs more than these bytes, and formats
 * need a dozen calls to find their arrays.
 */
const SMALL_BYTES = 2 ** 18;

/**
 * Opens a regular file for reads at any offset (pread). A small file is read at once, a larger one not yet. Each slice
 * is a new buffer that starts at offset 0 of its memory, so that typed arrays can view it without a copy.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { openFile } from "logratio/node";
 *
 * const source = await openFile("examples/demo/stale/step_0010.npz");
 * assert.deepEqual([...(await source.slice(0, 2))], [0x50, 0x4b]); // a zip
 * await source.close();
 * ```
 *
 * @returns random access to the bytes; `openDocument` reads them as a document
 * @throws NotFoundError if the path does not exist or is a directory
 * @throws FileSystemError if the system refuses: no permission, too many open files, a failing device
 * @throws UnsupportedError if it is a pipe, socket or device
 */
export async function openFile(path: string): Promise<ByteSource> {
  return openWith(quickCalls, path);
}

/** {@link openFile} with the given calls, which may or may not be quick. */
export async function openWith(calls: QuickCalls, path: string): Promise<ByteSource> {
  const small = calls.areQuick ? calls.run(() => readSmallAtOnce(path)) : undefined;
  if (small !== undefined) return small;
  let handle: FileHandle;
  try {
    handle = await open(path, OPEN_FLAGS);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  const stats = await statHandle(handle, path);
  try {
    checkOpened(path, handle.fd);
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
  if (stats.isFile()) {
    const byteLength = stats.size;
    // Virtual files, which the system generates while they are read, also have size 0.
    if (byteLength > 0 && byteLength <= SMALL_BYTES) return await readSmall(handle, path, byteLength);
    return {
      name: path,
      byteLength,
      slice: (start, end, allocate) => readSpan(handle, path, byteLength, start, end, allocate),
      close: () => handle.close(),
    };
  }
  await handle.close().catch(() => {});
  if (stats.isDirectory()) throw isDirectory(path, undefined);
  throw new UnsupportedError(`${path} is a pipe, a socket or a device, not a file`, {
    at: { file: path },
    hint: "this format needs reads at any offset: write the data to a file first",
  });
}

/** A small file, read while the process waits; undefined for anything else, or if that fails. */
function readSmallAtOnce(path: string): ByteSource | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
    checkOpened(path, descriptor);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size === 0 || stats.size > SMALL_BYTES) return undefined;
    const whole = Buffer.allocUnsafeSlow(stats.size);
    let length = 0;
    while (length < whole.length) {
      const bytesRead = readSync(descriptor, whole, length, whole.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return smallSource(path, whole, length);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads a complete file and closes it. */
async function readSmall(handle: FileHandle, path: string, byteLength: number): Promise<ByteSource> {
  const whole = Buffer.allocUnsafeSlow(byteLength);
  let length = 0;
  try {
    while (length < byteLength) {
      const { bytesRead } = await pread(handle, path, whole, length, byteLength - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
  } finally {
    await handle.close().catch(() => {});
  }
  return smallSource(path, whole, length);
}

/** Slices are copies of the file's content when it was opened, of which `length` bytes could be read. */
function smallSource(path: string, whole: Uint8Array, length: number): ByteSource {
  const byteLength = whole.length;
  const plain = asPlainBytes(whole);
  return {
    name: path,
    byteLength,
    async slice(start, end, allocate) {
      checkSpan(path, byteLength, start, end);
      if (end > length) throw cutOff(path, length, byteLength);
      // Most are headers of a few bytes, which engines keep without a buffer until one is asked for.
      if (allocate === undefined) return plain.slice(start, end);
      const bytes = allocate(end - start);
      bytes.set(plain.subarray(start, end));
      return asPlainBytes(bytes);
    },
    close: async () => {},
  };
}

async function statHandle(handle: FileHandle, path: string): Promise<Stats> {
  try {
    return await handle.stat();
  } catch (cause) {
    await handle.close().catch(() => {});
    throw fileSystemError(cause, "read", { file: path });
  }
}

/**
 * Wraps bytes in memory as a source. Slices are views: writing to them changes the source.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { memorySource, openDocument } from "logratio/node";
 *
 * const bytes = new TextEncoder().encode('{"step": 3, "rollout_log_probs": [-0.5, -1]}');
 * const document = await openDocument(memorySource("step.json", bytes));
 * assert.equal(document.format, "json");
 * await document.close();
 * ```
 *
 * @param name appears in messages, and decides between formats that bytes do not distinguish
 * @returns random access to the bytes, as `openFile` gives it
 */
export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  const plain = asPlainBytes(bytes);
  return {
    name,
    byteLength: plain.byteLength,
    slice: async (start, end) => {
      checkSpan(name, plain.byteLength, start, end);
      return plain.subarray(start, end);
    },
    close: async () => {},
  };
}

/** A Buffer as a plain Uint8Array, since Buffer's `slice` does not copy. */
export function asPlainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function readSpan(
  handle: FileHandle,
  path: string,
  byteLength: number,
  start: number,
  end: number,
  // The "slow" buffer owns its memory (offset 0, aligned) and is not zeroed first.
  allocate: Allocate = Buffer.allocUnsafeSlow,
): Promise<Uint8Array> {
  checkSpan(path, byteLength, start, end);
  const bytes = allocate(end - start);
  let done = 0;
  while (done < bytes.length) {
    const length = Math.min(bytes.length - done, MAX_PREAD_BYTES);
    const { bytesRead } = await pread(handle, path, bytes, done, length, start + done);
    if (bytesRead === 0) throw cutOff(path, start + done, byteLength);
    done += bytesRead;
  }
  return asPlainBytes(bytes);
}

function cutOff(path: string, end: number, byteLength: number): FormatError {
  return new FormatError(`the file ends at byte ${end}; it had ${byteLength} bytes when it was opened`, {
    at: { file: path, offset: end },
    likely: "another process is rewriting the file",
    hint: "try again when the trainer has finished writing it",
  });
}

async function pread(
  handle: FileHandle,
  path: string,
  bytes: Uint8Array,
  at: number,
  length: number,
  offset: number,
): Promise<{ bytesRead: number }> {
  try {
    return await handle.read(bytes, at, length, offset);
  } catch (cause) {
    throw fileSystemError(cause, "read", { file: path, offset });
  }
}

function checkSpan(name: string, byteLength: number, start: number, end: number): void {
  if (start >= 0 && start <= end && end <= byteLength) return;
  throw new FormatError(`bytes ${start} to ${end} were requested, but the file has ${byteLength}`, {
    at: { file: name, offset: Math.min(start, byteLength) },
    likely: "the file was cut off, or an offset in it is damaged",
  });
}

function cannotOpen(path: string, cause: unknown): LogratioError {
  if (errorCode(cause) === "ENOENT" || errorCode(cause) === "ENOTDIR") {
    return new NotFoundError(`${path} does not exist`, {
      at: { file: path },
      likely: "the path is misspelled, or the run wrote its dump elsewhere",
      hint: "check the path; relative paths start at the current directory",
      cause,
    });
  }
  return errorCode(cause) === "EISDIR"
    ? isDirectory(path, cause)
    : fileSystemError(cause, "read", { file: path });
}

function isDirectory(path: string, cause: unknown): NotFoundError {
  return new NotFoundError(`${path} is a directory, not a file`, {
    at: { file: path },
    hint: "name one of the files in it",
    cause,
  });
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
