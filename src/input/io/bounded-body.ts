/**
 * Reads a server's response up to a limit: its size is only known once it has arrived.
 *
 * @module
 */

/** Bytes in pieces, and whether they are complete: beyond the limit the rest is not read. */
interface Pieces {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly isWhole: boolean;
}

async function readPieces({ body }: Response, most: number): Promise<Pieces> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return { pieces, bytes, isWhole: true };
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { pieces, bytes, isWhole: true };
    bytes += value.byteLength;
    if (bytes > most) {
      pieces.push(value.subarray(0, value.byteLength - (bytes - most)));
      // A server that keeps sending must not be waited for.
      reader.cancel().catch(() => {});
      return { pieces, bytes, isWhole: false };
    }
    pieces.push(value);
  }
}

/** The bytes of a body; undefined when there are more than `most`. */
export async function readBodyBytes(response: Response, most: number): Promise<Uint8Array | undefined> {
  const { pieces, bytes, isWhole } = await readPieces(response, most);
  if (!isWhole) return undefined;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

export type BodyText =
  | { readonly text: string; readonly bytes: number }
  /** The limit was exceeded; the rest was not read. */
  | { readonly text: undefined; readonly bytes: number };

/** The text of a body of at most this many bytes. */
export async function readBodyText(response: Response, most: number): Promise<BodyText> {
  const { pieces, bytes, isWhole } = await readPieces(response, most);
  return isWhole ? { text: decode(pieces), bytes } : { text: undefined, bytes };
}

/** The beginning of a body as text, at most this many bytes. */
export async function readBodyStart(response: Response, most: number): Promise<string> {
  return decode((await readPieces(response, most)).pieces);
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  const parts = pieces.map((piece) => decoder.decode(piece, { stream: true }));
  return parts.join("") + decoder.decode();
}
