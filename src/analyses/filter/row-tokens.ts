import { turnMarks } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { TokenColumns, TokenTextColumn } from "./token-columns.ts";

/**
 * The response tokens of a row of a batch.
 *
 * @param textsOf texts of response tokens with these ids; used only if a term is about texts
 */
export function tokensOfRow(
  batch: RecordBatch,
  row: number,
  textsOf?: (ids: Int32Array) => TokenTextColumn,
): TokenColumns {
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  const { trainerLogprobs: trainer, rolloutLogprobs: rollout, responseMask, advantages } = batch;
  const entropy = batch.entropies.trainer ?? batch.entropies.rollout;
  const ids = batch.responseTokenIds?.subarray(start, end);
  const missing = new Float32Array(trainer && rollout ? 0 : end - start).fill(Number.NaN);
  return {
    length: end - start,
    mask: responseMask.subarray(start, end),
    rollout: rollout?.subarray(start, end) ?? missing,
    trainer: trainer?.subarray(start, end) ?? missing,
    turnMarks: turnMarks(responseMask, start, end),
    ...(entropy && { entropy: entropy.subarray(start, end) }),
    ...(advantages && { advantages: advantages.subarray(start, end) }),
    ...(ids && { ids }),
    ...(ids && textsOf && { texts: whenAsked(() => textsOf(ids)) }),
  };
}

function whenAsked(make: () => TokenTextColumn): TokenTextColumn {
  let made: TokenTextColumn | undefined;
  const texts = (): TokenTextColumn => {
    made ??= make();
    return made;
  };
  return { textAt: (token) => texts().textAt(token), flagsAt: (token) => texts().flagsAt(token) };
}
