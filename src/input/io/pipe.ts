/**
 * Named pipes and process substitutions, `<(zcat run.jsonl.gz)`: read once, from front to back, as standard input is.
 *
 * @module
 */

import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { Socket } from "node:net";
import { EmptyInputError, fileSystemError, isSystemError, UnsupportedError } from "../../core/base/index.ts";
import { checkOpened } from "./confinement.ts";
import type { ByteStream } from "./decompress.ts";

/** How long to wait for a pipe's writer. */
const WRITER_MS = 5000;
const POLL_MS = 20;
const PIPE_BYTES = 1 << 16;

/**
 * @param waitMs for the first byte, or for a process that has the pipe open to write
 * @throws EmptyInputError when no process writes to it
 * @throws UnsupportedError if it is a socket or a device
 * @throws FileSystemError if the system refuses
 */
export async function openPipe(path: string, waitMs: number = WRITER_MS): Promise<ByteStream> {
  const at = { file: path };
  let handle: FileHandle | undefined;
  try {
    const stats = await stat(path);
    if (!stats.isFIFO()) {
      throw new UnsupportedError(`${path} is a socket or a device, not a file`, {
        at,
        hint: "write the data to a file, or pipe it in: … | logratio report -",
      });
    }
    // Non-blocking, since an open that waits for a writer cannot be canceled.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    checkOpened(path, handle.fd);
    const first = await firstBytes(handle, path, waitMs);
    return { name: path, bytes: pipeBytes(handle, first, path) };
  } catch (error) {
    await handle?.close();
    throw fileSystemError(error, "read", at);
  }
}

/** The first bytes, or none when a writer has it open but has not written yet. */
async function firstBytes(handle: FileHandle, path: string, waitMs: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(PIPE_BYTES);
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead > 0) return buffer.subarray(0, bytesRead);
    } catch (error) {
      // There is a writer, but nothing written yet.
      if (isSystemError(error) && error.code === "EAGAIN") return buffer.subarray(0, 0);
      throw error;
    }
    if (Date.now() > until) {
      throw new EmptyInputError(`nothing was written to the pipe ${path} for ${waitMs / 1000} s`, {
        at: { file: path },
        likely: "the program that should write to it has not started, or ended without writing",
        hint: "start it first, or give a file",
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function* pipeBytes(handle: FileHandle, first: Uint8Array, path: string): AsyncGenerator<Uint8Array> {
  // The event loop waits for a socket; a file read would block a thread.
  const socket = new Socket({ fd: handle.fd, readable: true, writable: false });
  try {
    if (first.length > 0) yield first;
    for await (const chunk of socket) yield chunk as Uint8Array;
  } catch (cause) {
    throw fileSystemError(cause, "read", { file: path });
  } finally {
    socket.destroy();
    // The socket has closed the descriptor; the handle must not close it again.
    await handle.close().catch(() => {});
  }
}
