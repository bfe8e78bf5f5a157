import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The longest pause between two pieces of a body. */
const IDLE_MS = 15_000;

export interface ReceivedBody {
  readonly pieces: readonly Uint8Array[];
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Why a body ended early. */
export class BodyError extends Error {
  constructor(
    readonly reason: "gone" | "slow" | "longer",
    message: string,
  ) {
    super(message);
  }
}

export interface ReadBodyOptions {
  /** The longest pause between two pieces; default 15 s. */
  readonly idleMs?: number;
  /** Is told what arrives, and may end it. */
  readonly arriving?: { received: number; onEvicted: (() => void) | undefined };
}

/**
 * The body in pieces as received, without copying, and its digest.
 *
 * @param bytes that the request declares
 * @throws BodyError when the client disconnects, sends nothing for `idleMs`, sends more, or is too slow while others wait
 */
export function readBody(
  incoming: IncomingMessage,
  bytes: number,
  { idleMs = IDLE_MS, arriving }: ReadBodyOptions = {},
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    const hash = createHash("sha256");
    let read = 0;
    const end = (error: BodyError | undefined): void => {
      clearTimeout(timer);
      if (arriving !== undefined) arriving.onEvicted = undefined;
      incoming.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      if (error === undefined) resolve({ pieces, sha256: hash.digest("hex") });
      else reject(error);
    };
    const timer = setTimeout(
      () => end(new BodyError("slow", `nothing received for ${idleMs / 1000} s: ${read} of ${bytes} bytes`)),
      idleMs,
    );
    const onData = (piece: Uint8Array): void => {
      timer.refresh();
      read += piece.length;
      if (arriving !== undefined) arriving.received = read;
      if (read > bytes) {
        end(new BodyError("longer", `more than the ${bytes} bytes that content-length declares`));
        return;
      }
      hash.update(piece);
      pieces.push(piece);
    };
    const onEnd = (): void =>
      end(read === bytes ? undefined : new BodyError("gone", `${read} of ${bytes} bytes received`));
    const onClose = (): void =>
      end(new BodyError("gone", `the client disconnected after ${read} of ${bytes} bytes`));
    if (arriving !== undefined)
      arriving.onEvicted = () =>
        end(new BodyError("slow", `too slow while others wait: ${read} of ${bytes} bytes received`));
    incoming.on("data", onData).once("end", onEnd).once("close", onClose).once("error", onClose);
  });
}
