import { READ_AS_MISSING, type RecordBatch } from "../../core/schema/index.ts";

/** A batch whose trainer column was moved. */
export interface ShiftedBatch {
  readonly batch: RecordBatch;
  /** Tokens with mask 1 whose entry is outside the policy's own tokens: their trainer log-prob is missing. */
  readonly lost: number;
}

/**
 * The trainer's log-prob of token t from entry t + `shift` of its sequence. It is missing if that entry has mask 0: it
 * is unknown which of the two columns moved, so the entry may belong to tool output.
 */
export function shiftTrainer(batch: RecordBatch, shift: number): ShiftedBatch {
  const { trainerLogprobs: trainer, offsets, responseMask } = batch;
  if (trainer === undefined || shift === 0) return { batch, lost: 0 };
  const moved = new (trainer.constructor as Float32ArrayConstructor | Float64ArrayConstructor)(
    trainer.length,
  ).fill(Number.NaN);
  const readAsMissing = batch.readAsMissing?.slice() ?? new Uint8Array(trainer.length);
  let lost = 0;
  for (let i = 0; i < batch.length; i++) {
    const [start, end] = [offsets[i]!, offsets[i + 1]!];
    for (let t = start; t < end; t++) {
      const from = t + shift;
      if (from >= start && from < end && (responseMask[t] === 0 || responseMask[from] !== 0))
        moved[t] = trainer[from]!;
      else {
        lost += responseMask[t]!;
        readAsMissing[t]! |= READ_AS_MISSING.trainer;
      }
    }
  }
  return { batch: { ...batch, trainerLogprobs: moved, readAsMissing }, lost };
}
