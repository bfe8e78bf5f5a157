import { UsageError } from "../../core/base/index.ts";
import { formatHandle, type Handle } from "../../core/schema/index.ts";

/** The sequence with the largest |Δ| of the run, and that token of it. */
export const WORST = "worst";

const HANDLE = /^(?:s(\d+)\.)?(?:r(\d+)\.)?q(\d+)(?:\.t(\d+))?$/;

/**
 * `s12.r3.q41.t880` and its shorter forms: step, rank and token may be left out.
 *
 * @throws UsageError when the text is not a handle
 */
export function parseHandle(text: string): Handle {
  const [, step, rank, sequence, token] = HANDLE.exec(text) ?? [];
  if (sequence === undefined) {
    throw new UsageError(`"${text}" is not a handle of a sequence or token`, {
      hint: "s12.r3.q41.t880 is step 12, rank 3, sequence 41, token 880; all but q41 may be left out. `logratio report` prints handles; or write worst",
    });
  }
  return {
    sequence: Number(sequence),
    ...(step !== undefined && { step: Number(step) }),
    ...(rank !== undefined && { rank: Number(rank) }),
    ...(token !== undefined && { token: Number(token) }),
  };
}

/** The part of a handle that names a sequence. */
export function sequenceHandle({ token: _, ...rest }: Handle): string {
  return formatHandle(rest);
}
