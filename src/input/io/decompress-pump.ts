/**
 * Node's decompression streams as async generators that yield every decompressed byte before they fail.
 *
 * @module
 */
import type { Transform } from "node:stream";

/**
 * Bytes of `input` through `stream`, in order; returns when the stream ends, even if the input has more.
 *
 * A failing Node stream drops what it has not passed on, so its end is written only once everything before it was
 * read: a cut-off file then loses nothing that was complete.
 *
 * @param explain turns the stream's error into one that says what is wrong with the file
 */
export async function* pump(
  stream: Transform,
  input: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let failure: { readonly error: unknown } | undefined;
  let ended = false;
  let written = false;
  let wake = (): void => {};
  stream.on("readable", () => wake());
  stream.on("end", () => {
    ended = true;
    wake();
  });
  stream.on("error", (error) => {
    failure ??= { error: explain(error) };
    wake();
  });

  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of input) {
        await new Promise<void>((resolve) => stream.write(chunk, () => resolve()));
        if (failure !== undefined || stream.destroyed) return;
      }
    } catch (error) {
      failure ??= { error };
    }
    written = true;
    wake();
  };

  void feed();
  try {
    for (;;) {
      const chunk = stream.read() as Uint8Array | null;
      if (chunk !== null) {
        yield chunk;
        continue;
      }
      if (failure !== undefined) throw failure.error;
      if (ended) return;
      if (written && !stream.writableEnded) stream.end();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stream.destroy();
  }
}
