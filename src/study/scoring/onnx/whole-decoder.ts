import {
  bytesPerLogit,
  type Cursor,
  type Decoder,
  type DecoderSetup,
  keepRow,
  only,
  textFeeds,
} from "./decoder.ts";
import { cutBlock, type Session, type Tensor } from "./runtime.ts";

/** Without a cache, and with all logits at once: one run per text, and one run per sampled token. */
export function wholeDecoder(
  setup: DecoderSetup,
  session: Session,
  vocabulary: number,
  why: string,
): Decoder {
  const run = async (ids: Int32Array, signal?: AbortSignal): Promise<Tensor> => {
    signal?.throwIfAborted();
    return only(await session.run(textFeeds(setup, ids, 0), ["logits"]), "logits");
  };
  const begin = async (ids: Int32Array, signal?: AbortSignal): Promise<Cursor> => ({
    row: keepRow(cutBlock(await run(ids, signal), ids.length - 1, ids.length)),
    advance: (id, next) => begin(Int32Array.of(...ids, id), next),
  });
  return {
    async *logits(ids, first, signal) {
      yield cutBlock(await run(ids, signal), first, ids.length);
    },
    begin,
    leastBytes: (tokens) => tokens * vocabulary * bytesPerLogit(setup.signature),
    notes: [`No KV cache: one run gives the logits of a whole text${why}.`],
    close: () => session.close(),
  };
}
